"""What can go wrong, with what to try."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Error(Exception):
    """Why there is no answer. No message shows a cell of a table.

    Attributes:
        message: What is wrong.
        hint: What to try, if anything is known.
        place: Where it is wrong: a keyword, a key of the policy, a line of its file.
    """

    def __init__(self, message: str, hint: str | None = None, place: str | None = None) -> None:
        """Takes what is wrong, what to try, and where."""
        self.message = message
        self.hint = hint or None
        self.place = place
        super().__init__(message, hint, place)

    def __str__(self) -> str:
        """The place, the message, and the hint on a line of its own."""
        at = f"{self.place}: " if self.place else ""
        return f"{at}{self.message}" + (f"\n  hint: {self.hint}" if self.hint else "")


class TableError(Error):
    """A table that cannot be read."""


class ImpossibleError(Error):
    """A policy that no release of this table can fulfil."""


class SolverError(Error):
    """A solver, or a proof of a bound, that has no answer for this table and policy."""


class OutputError(Error):
    """A file that cannot be written. Nothing is left behind."""


class UsageError(Error):
    """A call that makes no sense."""


class InternalError(Error):
    """A fault of kinfold itself. Please report it, without the table."""


class Mistake(NamedTuple):
    """One mistake of a policy."""

    message: str
    hint: str | None = None
    place: str | None = None


class PolicyError(Error):
    """A policy with mistakes, all of them together, or one that does not fit the table.

    Attributes:
        mistakes: Every mistake, with its own message, hint and place. `message`, `hint` and `place` are those of
            the first.
    """

    def __init__(self, mistakes: Sequence[tuple[str, str | None, int | str | None]]) -> None:
        """Takes every mistake: what is wrong, what to try, where."""
        told = [(what, hint, None if at is None else str(at)) for what, hint, at in mistakes]
        self.mistakes = [Mistake(*mistake) for mistake in told]
        #: The lines of the policy's text that the mistakes are in.
        self._lines = [at if isinstance(at, int) else None for _, _, at in mistakes]
        first = self.mistakes[0] if self.mistakes else Mistake("the policy has a mistake")
        super().__init__(*first)
        self.args = (mistakes,)

    def __str__(self) -> str:
        """Every mistake."""
        return "\n".join(str(Error(*mistake)) for mistake in self.mistakes)
