"""Any frame gives an answer or a kinfold.Error, nothing else, and every answer is verified."""

import datetime
import decimal

import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kinfold

TEXTS = st.text(max_size=4) | st.sampled_from(["a", "b", "", "NA", "*", "[1-2]", "{a|b}", "1", "2020-01-01"])
ZONES = st.sampled_from([datetime.UTC, datetime.timezone(datetime.timedelta(hours=5, minutes=30))])
MOMENTS = st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1))
VALUES = {
    "whole": st.integers(-(2**63), 2**63 - 1) | st.integers(0, 5),
    "float": st.floats() | st.floats(0, 3, width=16),
    "text": TEXTS,
    "category": st.sampled_from(["x", "y", "z"]),
    "date": st.dates(),
    "moment": MOMENTS,
    "zone": st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1), timezones=ZONES),
    "decimal": st.decimals(-1000, 1000, places=2),
    "bool": st.booleans(),
    "bytes": st.binary(max_size=3),
    "list": st.lists(st.integers(0, 3), max_size=2),
    "mixed": st.integers(0, 3) | TEXTS | st.floats() | st.none() | st.tuples(st.integers()),
    "span": st.timedeltas(),
}


@st.composite
def columns(draw):
    """Names and columns of one length."""
    rows = draw(st.integers(0, 9))
    found = []
    for at in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(sorted(VALUES)))
        gaps = draw(st.booleans())
        values = VALUES[kind] | st.none() if gaps else VALUES[kind]
        name = draw(st.sampled_from([f"c{at}", "age", "", "a b", "ü\n"]))
        found.append((name, kind, draw(st.lists(values, min_size=rows, max_size=rows))))
    return found


def answer(frame, names):
    quasi = names[:2]
    try:
        done = kinfold.anonymize(frame, k=2, quasi=quasi, drop_rest=True, effort="quick", threads=1)
    except kinfold.Error as error:
        assert not isinstance(error, kinfold.InternalError), error
        assert error.message
        return
    release = done.frame
    report = kinfold.verify(release, done.policy)
    assert report.safe, report


CALM = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@CALM
@given(columns())
def test_any_pandas_frame(found):
    series = []
    for _, kind, values in found:
        one = pd.Series(values, dtype=object if kind == "mixed" else None)
        series.append(one.astype("category") if kind == "category" else one)
    frame = pd.concat(series, axis=1)
    frame.columns = [name for name, *_ in found]
    answer(frame, list(frame.columns))


@CALM
@given(columns())
def test_any_arrow_table(found):
    arrays, names = [], []
    for name, kind, values in found:
        try:
            array = pa.array(values)
        except (pa.ArrowException, OverflowError, ValueError, TypeError, decimal.DecimalException):
            continue
        arrays.append(array.dictionary_encode() if kind == "category" else array)
        names.append(name)
    if arrays:
        answer(pa.Table.from_arrays(arrays, names), names)


@CALM
@given(columns())
def test_any_polars_frame(found):
    try:
        frame = pl.DataFrame({name: values for name, _, values in found}, strict=False)
    except Exception:
        return
    answer(frame, frame.columns)
