"""What tasks do on the executors: functions for `mapInArrow`, from batches to batches."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from .. import _kinfold
from .._errors import Error, InternalError, UsageError
from .._policy import Policy, PolicyText
from . import _faults

Batches = Iterator[Any]
Task = Callable[[Batches], Batches]

#: What tasks say that only count or judge, as Spark writes its types.
SAID = "error boolean, said string"
#: The column by which rows find their piece.
KEY = "__kinfold_key"
#: So many rows are sent to their pieces at a time.
CHUNK = 100_000
#: So many rows of the release leave a task at a time.
BATCH = 20_000


class Work:
    """What every task must know. It is sent to the executors."""

    def __init__(self, policy: Policy, columns: list[str], how: str) -> None:
        """Takes a policy, the columns of the table it is for (none: it is for a release), and how to work."""
        handed = policy._handed()
        self.files: dict[str, bytes] = {}
        moved = Policy(policy)
        for table, key in list(moved._files()):
            path = policy._folder / str(table[key])
            table[key] = f"{len(self.files)}-{path.name}"
            self.files[table[key]] = path.read_bytes()
        #: Whether lines of the text are those that the user wrote.
        self.own_lines = not (self.files and policy._source)
        if self.files:
            moved._source, moved._folder = None, Path()
            handed = moved._handed()
        self.text, self.complete = handed.text, handed.complete
        self.columns, self.how, self.version = columns, how, _kinfold.__version__

    def policy(self, folder: str) -> PolicyText:
        """The policy, with the files that it names in this folder."""
        if self.version != _kinfold.__version__:
            what = f"the driver has version {self.version} of kinfold, an executor {_kinfold.__version__}"
            raise UsageError(what, "install one version everywhere")
        for name, contents in self.files.items():
            (Path(folder) / name).write_bytes(contents)
        return PolicyText(self.text, Path(folder) / "policy", self.complete, self.columns)


class _Stream:
    """Batches as the library takes them. What goes wrong while they arrive is kept: it is not ours."""

    def __init__(self, first: Any, rest: Batches) -> None:
        self._schema, self._batches = first.schema, chain([first], rest)
        self.fault: Exception | None = None

    def _watched(self) -> Batches:
        try:
            yield from self._batches
        except Exception as fault:
            self.fault = fault
            raise

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        reader = pa.RecordBatchReader.from_batches(self._schema, self._watched())
        return reader.__arrow_c_stream__(requested_schema)


def counting(work: Work, doing: str, count: Callable[[Any, PolicyText], str | None]) -> Task:
    """A task that says one thing of all its rows. `count` reads them as a stream, some at a time."""

    def task(batches: Batches) -> Batches:
        first = next(batches, None)
        if first is None:
            return
        stream = _Stream(first, batches)
        with tempfile.TemporaryDirectory() as folder:
            yield from _one(work, lambda: count(stream, work.policy(folder)), doing, lambda: stream.fault)
        _drained(batches)

    return task


def adding(work: Work, add: Callable[[list[str], PolicyText], str]) -> Task:
    """A task that adds up what others have said."""

    def task(batches: Batches) -> Batches:
        said: list[str] = []
        for batch in batches:
            for error, text in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                if error:
                    yield _row(True, text)
                    _drained(batches)
                    return
                said.append(text)
        if said:
            with tempfile.TemporaryDirectory() as folder:
                yield from _one(work, lambda: add(said, work.policy(folder)), "adding up", lambda: None)

    return task


def _drained(batches: Batches) -> None:
    """Spark ends a worker that has left rows unread."""
    for _ in batches:
        pass


def _one(work: Work, say: Callable[[], str | None], doing: str, fault: Callable[[], Exception | None]) -> Batches:
    try:
        text = say()
    except Error as error:
        if other := fault():
            raise _faults.task_error(other, doing) from None
        yield _row(True, _faults.written(error, work.own_lines))
    except Exception as error:
        raise _faults.task_error(error, doing) from None
    else:
        if text is not None:
            yield _row(False, text)


def _row(error: bool, said: str) -> Any:
    kinds = [("error", pa.bool_()), ("said", pa.string())]
    return pa.RecordBatch.from_pydict({"error": [error], "said": [said]}, schema=pa.schema(kinds))


def routing(work: Work, plan: str, keys: list[int]) -> Task:
    """A task that adds to every row the key of its piece."""

    def routed(batches: list[Any], policy: PolicyText) -> Batches:
        table = pa.Table.from_batches(batches)
        piece_of = _kinfold.route(table, plan, policy, work.how)
        pieces = pa.Array.from_buffers(pa.uint32(), table.num_rows, [None, pa.py_buffer(piece_of)])
        key_of = pa.array(keys, pa.int32()).take(pieces)
        yield from table.append_column(pa.field(KEY, pa.int32()), key_of).to_batches()

    def task(batches: Batches) -> Batches:
        try:
            with tempfile.TemporaryDirectory() as folder:
                policy = work.policy(folder)
                for chunk in _chunks(batches):
                    yield from routed(chunk, policy)
        except Error as error:
            # The same rows and the same plan have gone through before.
            raise _faults.task_error(error, "cutting") from None
        except Exception as error:
            raise _faults.task_error(error, "cutting") from None

    return task


def _chunks(batches: Batches) -> Iterator[list[Any]]:
    chunk: list[Any] = []
    for batch in batches:
        if batch.num_rows:
            chunk.append(batch)
        if sum(own.num_rows for own in chunk) >= CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


class Figures:
    """What came of every piece, gathered on the driver. A piece that is made twice comes to the same."""

    def zero(self, value: dict[int, tuple[bool, str]]) -> dict[int, tuple[bool, str]]:
        """Nothing yet."""
        return {}

    def addInPlace(self, one: dict[int, Any], two: dict[int, Any]) -> dict[int, Any]:
        """Everything of both."""
        one.update(two)
        return one


def solving(work: Work, plan: str, keys: list[int], types: list[tuple[str, str | None]], figures: Any) -> Task:
    """A task that anonymizes every piece it finds among its rows.

    As a rule that is one. `types` has the columns of the release and the column of the table whose type each has.
    """
    piece_of = {key: piece for piece, key in enumerate(keys)}

    def solved(table: Any, policy: PolicyText, piece: int) -> Batches:
        try:
            release = _kinfold.anonymize_piece(table, plan, policy, work.how)
            done = as_planned(pa.table(release), table.schema, types)
        except Error as error:
            # Another attempt would end the same: the driver is told, and does not publish.
            figures.add({piece: (True, _faults.written(error, work.own_lines))})
            return
        figures.add({piece: (False, release.figures())})
        yield from done.to_batches(max_chunksize=BATCH)

    def task(batches: Batches) -> Batches:
        try:
            pieces = _by_key(batches)
            with tempfile.TemporaryDirectory() as folder:
                policy = work.policy(folder)
                for key in sorted(pieces):
                    yield from solved(pa.Table.from_batches(pieces.pop(key)), policy, piece_of[key])
        except Error as error:
            figures.add({-1: (True, _faults.written(error, work.own_lines))})
        except Exception as error:
            raise _faults.task_error(error, "anonymizing a piece") from None

    return task


def _by_key(batches: Iterable[Any]) -> dict[int, list[Any]]:
    import pyarrow.compute as pc

    found: dict[int, list[Any]] = {}
    for batch in batches:
        keys = batch.column(batch.schema.get_field_index(KEY))
        bare = batch.drop_columns([KEY])
        for key in pc.unique(keys).to_pylist():
            own = bare.filter(pc.equal(keys, pa.scalar(key, pa.int32())))
            found.setdefault(key, []).append(own)
    return found


def as_planned(release: Any, table: Any, types: list[tuple[str, str | None]]) -> Any:
    """The release of a piece in the types that were planned."""
    fields = [pa.field(name, pa.string() if source is None else table.field(source).type) for name, source in types]
    if release.column_names != [name for name, _ in types]:
        raise InternalError("a piece has other columns than the plan", "please report it, without the table")
    arrays = []
    for column, field in zip(release.columns, fields, strict=True):
        try:
            arrays.append(column.cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            what = f'what is published in column "{field.name}" does not fit the type of the table\'s column'
            raise UsageError(what, "use form ranges, or a wider type") from None
    return pa.table(arrays, schema=pa.schema(fields))
