"""Frames in and out. A frame is whatever streams itself as Arrow; the release is of the same kind.

No package is imported that the caller's frame did not bring along.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._errors import TableError, UsageError

if TYPE_CHECKING:
    from . import _kinfold
    from ._policy import Policy

Frame = Any
"""A frame of pandas, polars, pyarrow or DuckDB, or any object with `__arrow_c_stream__`."""

#: Package and class of every kind that the release is given back as.
KINDS = {
    ("pandas", "DataFrame"): "pandas",
    ("polars", "DataFrame"): "polars",
    ("pyarrow", "Table"): "pyarrow",
    ("pyarrow", "RecordBatch"): "pyarrow",
    ("pyarrow", "RecordBatchReader"): "reader",
    ("duckdb", "DuckDBPyRelation"): "duckdb",
    ("_duckdb", "DuckDBPyRelation"): "duckdb",
}


def kind_of(table: Frame) -> str:
    """What a table is: a path, a kind of frame, or some other stream of Arrow."""
    if isinstance(table, str | os.PathLike):
        return "path"
    for base in type(table).__mro__:
        package = base.__module__.partition(".")[0]
        if (package, base.__name__) == ("polars", "LazyFrame"):
            raise UsageError("a LazyFrame has no rows yet", "collect it first: table.collect()")
        if kind := KINDS.get((package, base.__name__)):
            return kind
    if hasattr(table, "__arrow_c_stream__"):
        return "arrow"
    raise UsageError(
        f"a {type(table).__name__} is not a table",
        "pass a frame of pandas, polars, pyarrow or DuckDB, an object with __arrow_c_stream__, or a path",
    )


def handed(table: Frame, policy: Policy | None = None) -> Any:
    """The table in the form that the library takes: a path, or an object that streams Arrow."""
    kind = kind_of(table)
    if kind == "path":
        return os.fspath(table)
    if kind == "pandas":
        return _from_pandas(table, policy)
    if kind == "duckdb":
        # A connection streams one relation at a time: a release and its original may share one.
        return _guarded(table.to_arrow_table)
    return _Stream(table)


class _Stream:
    """A frame, whose own error on streaming becomes ours: it may show cells."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _guarded(self._frame.__arrow_c_stream__)


def _guarded(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except ImportError as error:
        package = error.name or "pyarrow"
        raise TableError(f"this frame needs {package} to be read", f"pip install {package}") from None
    except Exception as error:
        what = f"the frame cannot be read as Arrow ({type(error).__name__})"
        raise TableError(what, "does every column have a name of its own and values of one type?") from None


def _from_pandas(frame: Any, policy: Policy | None) -> Any:
    """A pandas frame as an Arrow table, without its index.

    Whole numbers with gaps are floats in pandas, and days are points in time: as quasi-identifiers they are read as
    what they are. Columns that the policy leaves out are not converted.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise TableError("a pandas frame needs pyarrow to be read", "pip install pyarrow") from None
    names = [str(name) for name in frame.columns]
    for at, name in enumerate(names):
        if name in names[:at]:
            where = f"columns {names.index(name) + 1} and {at + 1}"
            raise TableError(f'the header names column "{name}" twice ({where})', "give every column a name of its own")
    arrays = []
    quasi = policy._quasi() if policy else set()
    for at, name in enumerate(names):
        if policy and policy._unread(name):
            arrays.append(pa.nulls(len(frame)))
            continue
        try:
            array = pa.array(frame.iloc[:, at], from_pandas=True)
        except Exception:
            # Its message shows cells.
            what = f'column "{name}" cannot be read: its values are of several types, or of none that Arrow has'
            hint = f'make them one: frame["{name}"] = frame["{name}"].astype("string")'
            raise TableError(what, hint) from None
        arrays.append(_as_meant(pa, array) if name in quasi else array)
    return pa.table(arrays, names=names)


def _as_meant(pa: Any, array: Any) -> Any:
    """Whole numbers in place of floats that have gaps, and days in place of midnights."""
    kind = array.type
    if pa.types.is_floating(kind) and array.null_count:
        try:
            return array.cast(pa.int64())
        except pa.ArrowInvalid:
            return array
    if pa.types.is_timestamp(kind) and kind.tz is None:
        import pyarrow.compute as pc

        days = array.cast(pa.date32(), safe=False)
        if pc.all(pc.equal(days.cast(kind), array)).as_py() is not False:
            return days
    return array


def given_back(release: _kinfold.Release, table: Frame, quasi: set[str]) -> Frame:
    """The release as a frame of the same kind as the table."""
    kind = kind_of(table)
    if kind == "pandas":
        return _to_pandas(release, table, quasi)
    if kind == "polars":
        return _to_polars(release, table, quasi)
    if kind == "arrow":
        return release
    try:
        import pyarrow as pa
    except ImportError:
        return release
    if kind == "reader":
        return pa.RecordBatchReader.from_stream(release)
    whole = pa.table(release)
    return sys.modules["duckdb"].from_arrow(whole) if kind == "duckdb" else whole


def _to_pandas(release: _kinfold.Release, table: Any, quasi: set[str]) -> Any:
    import pyarrow as pa

    frame = pa.table(release).to_pandas()
    had = {str(name): (name, table.iloc[:, at].dtype) for at, name in enumerate(table.columns)}
    for name in [name for name in frame.columns if name in had and name not in quasi]:
        dtype = had[name][1]
        if isinstance(dtype, sys.modules["pandas"].CategoricalDtype):
            # Categories that no row has stay out of the release.
            left = set(frame[name].dropna().unique())
            dtype = type(dtype)([c for c in dtype.categories if c in left], dtype.ordered)
        if frame[name].dtype != dtype:
            try:
                frame[name] = frame[name].astype(dtype)
            except (TypeError, ValueError):
                continue
    return frame.rename(columns={name: had[name][0] for name in frame.columns if name in had})


def _to_polars(release: _kinfold.Release, table: Any, quasi: set[str]) -> Any:
    pl = sys.modules["polars"]
    frame = pl.DataFrame(release)
    had = dict(table.schema)
    for name in [name for name in frame.columns if isinstance(had.get(name), pl.Enum) and name not in quasi]:
        # Categories that no row has stay out of the release.
        left = set(frame[name].cast(pl.String).drop_nulls().unique())
        had[name] = pl.Enum([c for c in had[name].categories if c in left])
    changed = [n for n, kind in frame.schema.items() if n in had and n not in quasi and kind != had[n]]
    return frame.with_columns(pl.col(name).cast(had[name]) for name in changed) if changed else frame
