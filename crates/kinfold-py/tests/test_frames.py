"""Frames of every kind in, and a release of the same kind out."""

import datetime
import decimal
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kinfold


def frames(people: pd.DataFrame):
    whole = pa.Table.from_pandas(people, preserve_index=False)
    return {
        "pandas": people,
        "polars": pl.from_arrow(whole),
        "pyarrow": whole,
        "batch": whole.to_batches()[0],
        "reader": whole.to_reader(),
        "duckdb": duckdb.from_arrow(whole),
        "capsule": Capsule(whole),
    }


class Capsule:
    """A frame of a kind that nobody knows."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


KINDS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.Table,
    "batch": pa.Table,
    "reader": pa.RecordBatchReader,
    "duckdb": duckdb.DuckDBPyRelation,
    "capsule": object,
}


def rows(frame) -> list[tuple]:
    table = frame.to_arrow_table() if isinstance(frame, duckdb.DuckDBPyRelation) else pa.table(frame)
    return [tuple(str(value) for value in row.values()) for row in table.to_pylist()]


@pytest.mark.parametrize("kind", KINDS)
def test_the_release_is_of_the_same_kind(kind, people, settings):
    done = kinfold.anonymize(frames(people)[kind], effort="quick", **settings)
    assert isinstance(done.frame, KINDS[kind])
    expected = kinfold.anonymize(people, effort="quick", **settings)
    assert rows(done.frame) == rows(expected.frame)
    assert done.report.loss == expected.report.loss


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_verified(kind, people, settings):
    done = kinfold.anonymize(people, effort="quick", **settings)
    release = pa.table(done)
    assert kinfold.verify(frames(release.to_pandas())[kind], done.policy, original=frames(people)[kind])


def test_paths(root, settings, tmp_path):
    done = kinfold.anonymize(root / "examples" / "patients.csv", effort="quick", **settings)
    assert isinstance(done.frame, pa.Table)
    for name in ("release.csv", "release.parquet", "release.arrow", "release.csv.gz"):
        done.save(tmp_path / name)
        assert kinfold.verify(str(tmp_path / name), done.policy, original=root / "examples" / "patients.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["release.csv", "release.parquet", "release.arrow", "release.csv.gz"]
    )


def test_the_table_is_not_replaced_by_its_release(people, settings, tmp_path):
    table = tmp_path / "table.csv"
    people.to_csv(table, index=False)
    with pytest.raises(kinfold.UsageError, match="replace the table"):
        kinfold.anonymize(table, effort="quick", **settings).save(table)


def test_a_lazy_frame_is_refused_with_a_hint(people, settings):
    with pytest.raises(kinfold.UsageError) as raised:
        kinfold.anonymize(pl.DataFrame(people).lazy(), **settings)
    assert ".collect()" in raised.value.hint


def test_what_is_no_table_is_refused(settings):
    for thing in (None, 5, [1, 2], {"age": [1]}):
        with pytest.raises(kinfold.UsageError, match="is not a table"):
            kinfold.anonymize(thing, **settings)


def test_the_index_of_a_pandas_frame_is_not_published(people, settings):
    named = people.set_index(people["name"] + " the elder")
    frame = kinfold.anonymize(named, effort="quick", **settings).frame
    assert list(frame.columns) == ["age", "sex", "zip", "diagnosis"]
    assert isinstance(frame.index, pd.RangeIndex)


def test_whole_numbers_with_gaps_are_whole_numbers():
    frame = pd.DataFrame({"age": [35, 36, None, 63, 61, None]})
    assert frame["age"].dtype == float
    done = kinfold.anonymize(frame, k=2, quasi=["age"])
    assert not any("." in str(cell) for cell in done.frame["age"])
    assert kinfold.verify(done.frame, done.policy, original=frame)


def test_floats_stay_floats():
    frame = pd.DataFrame({"dose": [0.5, 1.0, None, 2.5], "age": [30, 31, 40, 41]})
    done = kinfold.anonymize(frame, k=2, quasi=["age"], keep="dose")
    assert done.frame["dose"].dtype == float
    assert sorted(done.frame["dose"].dropna()) == [0.5, 1.0, 2.5]


def test_days_are_published_as_days():
    days = pd.to_datetime(["2020-01-01", "2020-01-03", "2021-05-05", "2021-05-06"])
    frame = pd.DataFrame({"day": days, "hour": days + pd.Timedelta(hours=3)})
    done = kinfold.anonymize(frame, k=2, quasi=["day", "hour"])
    assert set(done.frame["day"]) == {"[2020-01-01/2020-01-03]", "[2021-05-05/2021-05-06]"}
    assert all("T03:00:00" in cell for cell in done.frame["hour"])
    assert kinfold.verify(done.frame, done.policy, original=frame)


KEPT = {
    "int8": pa.array([1, 2, None, 4], pa.int8()),
    "uint64": pa.array([1, 2**63, 3, 4], pa.uint64()),
    "float32": pa.array([0.5, None, 1.5, 2.5], pa.float32()),
    "decimal": pa.array([decimal.Decimal("1.10"), None, decimal.Decimal("2.25"), decimal.Decimal("0.00")]),
    "bool": pa.array([True, False, None, True]),
    "date": pa.array([datetime.date(2020, 1, day) for day in (1, 2, 3, 4)]),
    "zone": pa.array([datetime.datetime(2020, 1, 1, h) for h in range(4)], pa.timestamp("us", "Europe/Berlin")),
    "nanoseconds": pa.array([1, 2, 3, None], pa.timestamp("ns")),
    "time": pa.array([datetime.time(h) for h in range(4)]),
    "text": pa.array(["a", "", None, "d"]),
    "large": pa.array(["a", "", None, "d"], pa.large_string()),
    "view": pa.array(["a", "", None, "d"], pa.string_view()),
    "category": pa.array(["x", "y", "x", None]).dictionary_encode(),
    "null": pa.nulls(4),
}


@pytest.mark.parametrize("kind", KEPT)
def test_unchanged_columns_keep_their_type(kind):
    table = pa.table({"age": [30, 31, 40, 41], "kept": KEPT[kind]})
    done = kinfold.anonymize(table, k=2, quasi=["age"], keep="kept")
    column = done.frame.column("kept")
    assert column.type == KEPT[kind].type
    key = repr
    assert sorted(column.to_pylist(), key=key) == sorted(KEPT[kind].to_pylist(), key=key)
    assert done.frame.column("age").type == pa.dictionary(pa.int32(), pa.string())


@pytest.mark.parametrize("kind", [kind for kind in KEPT if kind != "null"])
def test_unchanged_columns_keep_their_type_in_pandas_and_polars(kind):
    table = pa.table({"age": [30, 31, 40, 41], "kept": KEPT[kind]})
    for frame in (table.to_pandas(), pl.from_arrow(table)):
        done = kinfold.anonymize(frame, k=2, quasi=["age"], keep="kept")
        before, after = frame["kept"], done.frame["kept"]
        if isinstance(before.dtype, pd.CategoricalDtype):
            assert isinstance(after.dtype, pd.CategoricalDtype) and after.dtype.ordered == before.dtype.ordered
        else:
            assert after.dtype == before.dtype


def test_pandas_extension_types_and_names():
    frame = pd.DataFrame(
        {
            0: [30, 31, 40, 41],
            "size": pd.Categorical(["S", "L", "L", "S"], ["S", "M", "L"], ordered=True),
            "number": pd.array([1, None, 3, 4], "Int64"),
            "text": pd.array(["a", None, "c", "d"], "string"),
        }
    )
    done = kinfold.anonymize(frame, k=2, quasi=["0"], keep=["size", "number", "text"])
    assert list(done.frame.columns) == [0, "size", "number", "text"]
    assert done.frame["number"].dtype == "Int64" and done.frame["text"].dtype == "string"
    # A category that nobody has is not told.
    assert list(done.frame["size"].cat.categories) == ["S", "L"] and done.frame["size"].cat.ordered


def test_a_label_that_only_withheld_people_have_is_in_no_dictionary(tmp_path):
    labels = ["flu", "gout", "cold"] * 30 + ["Huntington"]
    ages = [20 + row // 5 for row in range(90)] + [500]
    table = pa.table({"age": ages, "diag": pa.array(labels).dictionary_encode()})
    said = {"k": 5, "quasi": ["age"], "sensitive": "diag", "withhold": "2%"}
    path = tmp_path / "table.parquet"
    pq.write_table(table, path)
    enum = pl.DataFrame(table).with_columns(pl.col("diag").cast(pl.Enum(["flu", "gout", "cold", "Huntington"])))
    for given in (table, table.to_pandas(), pl.DataFrame(table), enum, str(path)):
        done = kinfold.anonymize(given, **said)
        assert done.report.withheld == 1
        for frame in (pa.table(done), pa.table(done.frame)):
            out = tmp_path / "release"
            with pa.ipc.new_file(str(out), frame.schema) as writer:
                writer.write_table(frame)
            assert b"gout" in out.read_bytes() and b"Huntington" not in out.read_bytes()
            # pyarrow does not write the dictionaries of polars to Parquet.
            if not isinstance(given, pl.DataFrame):
                pq.write_table(frame, out, compression="none")
                assert b"gout" in out.read_bytes() and b"Huntington" not in out.read_bytes()


def test_what_pandas_cannot_say_in_arrow_is_an_error_without_a_cell():
    frame = pd.DataFrame({"age": [30, 31, 40, 41], "mixed": [1, "Zephyrine", {2}, None]})
    with pytest.raises(kinfold.TableError, match='column "mixed"') as raised:
        kinfold.anonymize(frame, k=2, quasi=["age"], keep="mixed")
    assert "Zephyrine" not in str(raised.value) and raised.value.__suppress_context__
    # A column that is left out is not looked at.
    for role in ({"drop": "mixed"}, {"identifier": "mixed"}, {"drop_rest": True}):
        assert kinfold.anonymize(frame, k=2, quasi=["age"], **role).report.groups == 2


def test_an_object_that_streams_nonsense():
    class Nonsense:
        def __arrow_c_stream__(self, requested_schema=None):
            return "Zephyrine"

    with pytest.raises(kinfold.TableError) as raised:
        kinfold.anonymize(Nonsense(), k=2, quasi=["age"])
    assert "Zephyrine" not in str(raised.value)


def test_columns_of_one_name():
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["age", "age"])
    with pytest.raises(kinfold.TableError, match="twice"):
        kinfold.anonymize(frame, k=2, quasi=["age"])
    with pytest.raises(kinfold.TableError, match="twice"):
        kinfold.anonymize(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["age", "age"]), k=2, quasi=["age"])


def test_frames_without_rows_or_columns():
    for frame in (pd.DataFrame({"age": []}), pd.DataFrame(), pl.DataFrame(), pa.table({"age": pa.array([], "int64")})):
        with pytest.raises(kinfold.Error):
            kinfold.anonymize(frame, k=2, quasi=["age"])


def test_a_stream_that_fails_is_an_error():
    schema = pa.schema([("age", pa.int64())])

    def batches():
        yield pa.record_batch([pa.array([1, 2])], schema=schema)
        raise RuntimeError("Zephyrine is gone")

    with pytest.raises(kinfold.TableError) as raised:
        kinfold.anonymize(pa.RecordBatchReader.from_batches(schema, batches()), k=2, quasi=["age"])
    assert "Zephyrine" not in str(raised.value)


def test_nothing_is_imported_that_the_frame_did_not_bring():
    import subprocess

    packages = ("numpy", "pandas", "polars", "pyarrow", "duckdb")
    code = f"import kinfold, sys; print([package for package in {packages} if package in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"
