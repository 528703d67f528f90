"""The command: `python -m kinfold`, or `kinfold` where the package is installed."""

import sys

from . import _kinfold


def main() -> int:
    """Runs the command with the arguments of this process."""
    return _kinfold.command(["kinfold", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
