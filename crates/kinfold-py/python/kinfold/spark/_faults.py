"""What goes wrong on an executor, on its way to the driver. No message shows a cell."""

from __future__ import annotations

import json
import re
from typing import Any

from .. import _errors
from .._errors import Error, InternalError, PolicyError, UsageError

#: What the message of a task's own exception starts with.
MARK = "[kinfold] "


class TaskError(RuntimeError):
    """A fault of a task that another attempt may not have. Spark tries again."""


def task_error(error: Exception, doing: str) -> TaskError:
    """The same fault without the words of others: they may show cells."""
    return TaskError(f"{MARK}{type(error).__name__} while {doing}")


def written(error: Error, own_lines: bool) -> str:
    """An error of the package as text. Lines of a policy that the user has not written are left out."""
    args: Any = [error.message, error.hint, error.place]
    if isinstance(error, PolicyError):
        lines = zip(error.mistakes, error._lines, strict=True)
        args = [[[mistake.message, mistake.hint, line if own_lines else None] for mistake, line in lines]]
    return json.dumps([type(error).__name__, args])


def read(text: str) -> Error:
    """The error that was written."""
    name, args = json.loads(text)
    kind = getattr(_errors, name, Error)
    error: Error = kind(*args)
    return error


def of_spark(error: Exception) -> Error:
    """What Spark says, without its words: they may show cells."""
    told = str(error)
    if "No module named 'kinfold" in told:
        return UsageError("an executor lacks the package kinfold", "install the same version of it on every machine")
    if own := re.search(re.escape(MARK) + r"(\w+ while \w+(?: \w+)*)", told):
        return InternalError(f"a task failed for good: {own[1]}", "the log of the executors says more")
    if "exited unexpectedly" in told or "OutOfMemoryError" in told:
        hint = "was its memory too small? Use smaller pieces (piece_rows=), or give executors more memory"
        return Error("a process of Spark ended in the middle of its work", hint)
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    return Error(f"Spark could not do its part ({condition})", "does the table itself go through? Try table.count()")
