"""How far a call is: by tqdm where it is installed, else as a line of text; only where somebody can see it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[str, float | None, int | None, float | None], object]
"""Called now and then with the phase, the share of it that is done, the rows that were read, and the loss so far."""


@contextmanager
def shown(progress: bool | Progress) -> Iterator[Progress | None]:
    """What the library calls with its progress, if anything."""
    if callable(progress):
        yield progress
        return
    if not progress or not _seen():
        yield None
        return
    line = _bar() or _Line()
    try:
        yield line
    finally:
        line.close()


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _seen() -> bool:
    try:
        return _in_notebook() or sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def _words(phase: str, rows: int | None, loss: float | None) -> str:
    read = f" {rows:,} rows" if rows is not None else ""
    return phase + read + (f"  loss {loss:.4f}" if loss is not None else "")


def _bar() -> _Bar | None:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm)


class _Bar:
    """A bar of tqdm, in per cent of the phase."""

    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(total=100, leave=False, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}")

    def __call__(self, phase: str, done: float | None, rows: int | None, loss: float | None) -> None:
        self._bar.set_description_str(_words(phase, rows, loss), refresh=False)
        self._bar.n = round(100 * done, 1) if done is not None else 0
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


class _Line:
    """A line of text that is written over."""

    def __init__(self) -> None:
        self._length = 0
        self._started = time.monotonic()

    def __call__(self, phase: str, done: float | None, rows: int | None, loss: float | None) -> None:
        share = f" {done:.0%}" if done is not None else ""
        self._write(f"{_words(phase, rows, loss)}{share}  {time.monotonic() - self._started:.0f} s")

    def _write(self, text: str) -> None:
        print(f"\r{text:<{self._length}}", end="", file=sys.stderr, flush=True)
        self._length = len(text)

    def close(self) -> None:
        if self._length:
            self._write("")
            print("\r", end="", file=sys.stderr, flush=True)
