"""The package on Spark: two real executor processes, killed where a test needs it."""

import contextlib
import io
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from test_cases import chosen, laid_out

import kinfold
import kinfold.spark
from kinfold.spark import _calls

EXECUTOR = "CoarseGrainedExecutorBackend"


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    java = os.environ.get("JAVA_HOME", "") and os.path.join(os.environ["JAVA_HOME"], "bin", "java")
    java = java or shutil.which("java")
    told = java and subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(\d+)', told or "")
    if version is None or int(version[1]) < 17:
        pytest.fail("Spark needs Java 17 or newer: apt install openjdk-17-jre-headless")
    folder = tmp_path_factory.mktemp("spark")
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("kinfold tests")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.log.level": "ERROR",
        # An executor that a test has killed is not to be waited for.
        "spark.network.timeout": "60s",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """3,000 people."""
    random = np.random.default_rng(11)
    rows = 3_000
    age = random.integers(18, 90, rows)
    return pa.table(
        {
            "name": [f"person {i}" for i in range(rows)],
            "age": pa.array(age, pa.int32()),
            "zip": [f"{z:05}" for z in random.integers(10_000, 10_400, rows)],
            "sex": random.choice(["F", "M"], rows),
            "income": pa.array(
                np.where(random.random(rows) < 0.05, None, (age * 700 + random.integers(0, 9_000, rows)))
            ),
            "diagnosis": random.choice(["asthma", "flu", "gout", "ulcer"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "people": pa.array(random.integers(1, 4, rows), pa.int64()),
        }
    )


SETTINGS = {
    "k": 5,
    "quasi": ["age", "zip:category", "sex", "income"],
    "identifier": "name",
    "keep": "diagnosis",
    "drop": "people",
}


def frame(spark, table, partitions=3):
    return spark.createDataFrame(table).repartition(partitions)


def rows_of(release) -> list:
    return sorted(release.collect(), key=repr)


def executors() -> list[int]:
    """The processes of the executors, which are children of the driver's JVM."""
    children = psutil.Process().children(recursive=True)
    return [child.pid for child in children if any(EXECUTOR in word for word in _words(child))]


def wait_until_gone(pid: int) -> None:
    """A killed process is listed until its parent has taken note; one that lives on raises a timeout."""
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(timeout=30)


def _words(process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def when_busy(spark, act):
    """Acts as soon as a task of a job is at work. What could not be done, and says so, is tried again."""

    def watch():
        tracker = spark.sparkContext.statusTracker()
        until = time.monotonic() + 30
        while time.monotonic() < until:
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            if any(stage and stage.numActiveTasks for stage in stages) and act() is not False:
                return
            time.sleep(0.01)

    threading.Thread(target=watch, daemon=True).start()


@pytest.fixture
def unhurried(monkeypatch):
    """Tasks take a moment, so that they are still at work when something happens to them."""

    def slowly(make):
        def made(*args):
            task = make(*args)

            def slow(batches):
                time.sleep(0.5)
                yield from task(batches)

            return slow

        return made

    for name in ["counting", "solving"]:
        monkeypatch.setattr(kinfold.spark._calls, name, slowly(getattr(kinfold.spark._calls, name)))


# What is declined, by objective, form or model.
DECLINED = re.compile(
    r'objective = "(?!ncp|stars)|form = "(codes|centres|midpoint)"|\[presence\]'
    r'|recoding = "global"|coarsest = |level = (\d|"auto")'
)


CASES = chosen("release", "optimum")


@pytest.fixture(scope="module")
def outcomes(spark, tmp_path_factory):
    """What comes of every case, by its place. Four are under way at a time: Spark mostly waits for itself."""

    def run(at):
        case, folder = CASES[at].values[0], tmp_path_factory.mktemp(f"case-{at}")
        laid_out(case, folder)
        text = case["table"].removeprefix("\ufeff")
        delimiter = next((sign for sign in ";|\t" if sign in text.splitlines()[0]), ",")
        cells = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, sep=delimiter)
        given = spark.createDataFrame(pa.Table.from_pandas(cells, preserve_index=False)).coalesce(1)
        policy = folder / "policy.toml"
        try:
            release, report = kinfold.spark.anonymize(given, policy, piece_rows=4)
            verdict = kinfold.verify(release.toArrow(), policy, original=cells)
            release.unpersist()
            return report, verdict
        except kinfold.Error as error:
            return error

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(run, range(len(CASES))))


@pytest.mark.parametrize(("at", "case"), [pytest.param(at, *one.values, id=one.id) for at, one in enumerate(CASES)])
def test_every_case_is_safe_and_true_or_declined(outcomes, at, case):
    outcome = outcomes[at]
    if DECLINED.search(case["policy"]):
        assert isinstance(outcome, kinfold.UsageError)
        assert "in pieces, " in str(outcome) or "from Spark" in str(outcome)
        return
    if isinstance(outcome, kinfold.Error):
        raise outcome
    report, verdict = outcome
    assert verdict, verdict
    assert report.loss > case.get("optimum", 0) - 1e-6
    assert report.smallest_group == verdict.smallest_group


def test_partitions_do_not_matter_and_the_command_makes_the_same(spark, table, tmp_path):
    found = [kinfold.spark.anonymize(frame(spark, table, n), piece_rows=500, **SETTINGS) for n in (1, 3, 7)]
    rows = [rows_of(release) for release, _ in found]
    assert rows[0] == rows[1] == rows[2]
    assert len({report.loss for _, report in found}) == 1
    report = found[0].report
    assert (report.rows, report.released, report.pieces) == (3_000, 3_000, 6)
    assert report.smallest_group >= 5
    # One machine that cuts the table into as many pieces publishes the same rows.
    pq.write_table(table, tmp_path / "table.parquet")
    kinfold.Policy(**SETTINGS).save(tmp_path / "policy.toml")
    command = [sys.executable, "-m", "kinfold", "anonymize", "table.parquet", "--policy", "policy.toml"]
    subprocess.run([*command, "--pieces", "6", "-o", "release.parquet"], check=True, cwd=tmp_path)
    whole = pq.read_table(tmp_path / "release.parquet")
    assert sorted(map(repr, whole.to_pylist())) == sorted(repr(row.asDict()) for row in rows[0])
    # Pieces are measured on the scale of the table: they lose about what the table as a whole loses.
    assert report.loss < 1.15 * kinfold.anonymize(table, **SETTINGS).report.loss


def test_types_of_the_release(spark, table):
    release, _ = kinfold.spark.anonymize(frame(spark, table), **SETTINGS)
    assert dict(release.dtypes) == dict.fromkeys(("age", "zip", "sex", "income", "diagnosis"), "string")
    typed = frame(spark, table).withColumn("admitted", F.expr("date_add(DATE'2020-01-01', age * 7)"))
    typed = typed.withColumn("at", F.expr("timestamp_seconds(1600000000 + age)")).withColumn("share", F.expr("age / 7"))
    typed = typed.withColumn("price", F.expr("cast(age / 8 as decimal(12, 3))"))
    settings = SETTINGS | {"quasi": ["age", "income", "admitted", "sex"], "keep": ["at", "share", "price", "people"]}
    settings |= {"drop": ["zip", "diagnosis"], "form": "bounds", "acknowledge": ["at", "share", "price"]}
    release, _ = kinfold.spark.anonymize(typed, piece_rows=900, **settings)
    had, has = dict(typed.dtypes), dict(release.dtypes)
    assert has == {
        **{f"{name}_{end}": had[name] for name in ("age", "income", "admitted") for end in ("min", "max")},
        **{name: had[name] for name in ("sex", "people", "at", "share", "price")},
    }
    sums = [F.sum(F.unix_timestamp("at")), F.sum("price"), F.sum("people")]
    assert typed.agg(*sums).collect() == release.agg(*sums).collect()


@pytest.mark.parametrize(
    "more",
    [
        {"keep": (), "sensitive": {"diagnosis": {"diversity": 3}}},
        {"keep": (), "sensitive": {"diagnosis": {"closeness": 0.3}}},
        {"drop": (), "count": "people", "k": 12},
        {"withhold": 0.02},
        {"drop": (), "person": "people", "k": 3},
        {"objective": "stars", "quasi": ["age:category", "zip:category", "sex"], "drop": ["people", "income"]},
    ],
    ids=["diversity", "closeness", "counts", "withholding", "persons", "stars"],
)
def test_policies(spark, table, more):
    settings = SETTINGS | more
    if "withhold" in more:
        # Some people are unlike all others.
        income = [10**7 + at if at % 1_000 == 0 else own for at, own in enumerate(table["income"].to_pylist())]
        table = table.set_column(table.column_names.index("income"), "income", [income])
    release, report = kinfold.spark.anonymize(frame(spark, table), piece_rows=700, **settings)
    assert report.pieces > 1
    verdict = kinfold.verify(release.toArrow(), original=table, **settings)
    assert verdict, verdict
    assert (verdict.rows, verdict.smallest_group) == (report.released, report.smallest_group)
    if "withhold" in more:
        assert 0 < report.withheld <= 60


def test_what_cannot_be_done_is_said_before_any_work(spark, table, monkeypatch):
    def worked(*_):
        raise AssertionError("work was done")

    monkeypatch.setattr(_calls._Making, "planned", worked)
    given = frame(spark, table)
    for more in (
        {"objective": "sse", "quasi": ["age", "income"]},
        {"form": "codes"},
        {"form": "midpoint"},
        {"keep_order": True},
        {"lookup": True},
        {"presence": {"population": "members.csv", "delta": 0.5}},
        {"closeness": {"diagnosis": 0.2}, "withhold": 0.1, "keep": ()},
        {"piece_rows": 0},
        {"solver": "nobody"},
        {"k": 0},
        {"quasi": ["agee"]},
    ):
        with pytest.raises(kinfold.Error) as raised:
            kinfold.spark.anonymize(given, **(SETTINGS | more))
        assert "person " not in str(raised.value), more
    with pytest.raises(kinfold.UsageError, match="not a frame of Spark"):
        kinfold.spark.anonymize(table, **SETTINGS)
    with pytest.raises(kinfold.TableError, match='column "AGE" twice'):
        kinfold.spark.anonymize(given.withColumnRenamed("sex", "AGE"), **SETTINGS)


def test_policies_that_the_table_cannot_fulfil(spark, table):
    given = frame(spark, table)
    with pytest.raises(kinfold.ImpossibleError):
        kinfold.spark.anonymize(given, **(SETTINGS | {"k": 3_001}))
    with pytest.raises(kinfold.ImpossibleError):
        kinfold.spark.anonymize(given, **(SETTINGS | {"keep": (), "sensitive": {"diagnosis": {"diversity": 5}}}))
    with pytest.raises(kinfold.TableError):
        kinfold.spark.anonymize(given.where("age < 0"), **SETTINGS)
    # A mistake that only a task sees comes through as what it is, and without a cell.
    wrong = given.withColumn("people", F.expr("if(age = 40, -7777, people)"))
    with pytest.raises(kinfold.PolicyError, match="people") as raised:
        kinfold.spark.anonymize(wrong, **(SETTINGS | {"drop": (), "count": "people"}))
    assert "7777" not in str(raised.value)


def test_a_hierarchy_travels_to_the_executors(spark, table, tmp_path):
    zips = sorted(set(table["zip"].to_pylist()))
    (tmp_path / "zips.csv").write_text("".join(f"{z},{z[:4]},{z[:3]}\n" for z in zips))
    policy = kinfold.Policy(
        **(SETTINGS | {"quasi": {"age": None, "zip": {"hierarchy": "zips.csv"}, "sex": None}}), drop_rest=True
    )
    policy._folder = tmp_path
    release, report = kinfold.spark.anonymize(frame(spark, table), policy, piece_rows=700)
    assert report.pieces > 1
    assert {len(row.zip) for row in release.select("zip").distinct().collect()} <= {1, 3, 4, 5}


def test_a_release_on_disk(spark, table, tmp_path):
    out = tmp_path / "release"
    phases = []
    given = frame(spark, table)
    release, report = kinfold.spark.anonymize(
        given, path=str(out), piece_rows=700, progress=lambda phase, *_: phases.append(phase), **SETTINGS
    )
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    assert phases == ["counting", "cutting", "solving", "verifying"]
    assert pq.read_table(out).num_rows == release.count() == report.released == 3_000
    assert kinfold.verify(pq.read_table(out), original=table, **SETTINGS)
    before = rows_of(release)
    with pytest.raises(kinfold.OutputError, match="exists"):
        kinfold.spark.anonymize(given, path=str(out), **SETTINGS)
    with pytest.raises(kinfold.OutputError, match="does not exist"):
        kinfold.spark.anonymize(given, path=str(tmp_path / "nowhere" / "release"), **SETTINGS)
    with pytest.raises(kinfold.OutputError, match="at once"):
        kinfold.spark.anonymize(given, path="s3a://bucket/release", **SETTINGS)
    assert rows_of(spark.read.parquet(str(out))) == before


def test_what_is_verified_is_what_is_published(spark, table, tmp_path, monkeypatch):
    """A file that is altered after it was written is found, and nothing is published."""
    judge = _calls._verdict

    def altered(run, said, work, release, judged):
        staged = next(tmp_path.glob(".kinfold-*")) / "release"
        one = release.limit(1).withColumn("age", F.lit("17"))
        one.write.mode("append").parquet(str(staged))
        return judge(run, said, work, spark.read.parquet(str(staged)), judged)

    monkeypatch.setattr(_calls, "_verdict", altered)
    with pytest.raises(kinfold.InternalError):
        kinfold.spark.anonymize(frame(spark, table), path=str(tmp_path / "release"), **SETTINGS)
    assert not list(tmp_path.iterdir())


def test_verify(spark, table):
    release, _ = kinfold.spark.anonymize(frame(spark, table), piece_rows=700, **SETTINGS)
    good = kinfold.spark.verify(release, **SETTINGS)
    whole = kinfold.verify(release.toArrow(), **SETTINGS)
    assert good.safe and good.to_dict() == whole.to_dict()
    assert kinfold.spark.verify(release, original=frame(spark, table), **SETTINGS).true
    # One row more, rows less, one column too many.
    near_misses = {
        "one row has a look of its own": release.union(release.limit(1).withColumn("sex", F.lit("X"))),
        "an identifier": release.withColumn("name", F.lit("somebody")),
        "a group lacks rows": release.join(
            release.groupBy("age", "zip", "sex", "income")
            .count()
            .orderBy("count", "age", "zip")
            .limit(1)
            .drop("count"),
            ["age", "zip", "sex", "income"],
            "left_semi",
        ).limit(4),
    }
    for what, doctored in near_misses.items():
        verdict = kinfold.spark.verify(doctored, **SETTINGS)
        assert not verdict.safe and not verdict, what
    with pytest.raises(kinfold.PolicyError, match="age"):
        kinfold.spark.verify(release.drop("age"), **SETTINGS)


def test_truth_is_not_decided_of_more_rows_than_the_driver_takes(spark, table, monkeypatch):
    monkeypatch.setattr(_calls, "COMPARED_ROWS", 2_999)
    release, _ = kinfold.spark.anonymize(frame(spark, table), **SETTINGS)
    report = kinfold.spark.verify(release, original=frame(spark, table), **SETTINGS)
    assert report.safe and report.true is None and not report
    assert any("not decided" in note for note in report.notes)


def test_inspect(spark, table, monkeypatch):
    assert kinfold.spark.inspect(frame(spark, table)).rows == 3_000
    monkeypatch.setattr(_calls, "INSPECTED_ROWS", 1_000)
    found = [kinfold.spark.inspect(frame(spark, table, partitions)) for partitions in (2, 5)]
    assert found[0].rows == 3_000 and any("sample" in note for note in found[0].notes)
    assert {column.name for column in found[0].columns} == set(table.column_names)
    assert [c.distinct for c in found[0].columns] == [c.distinct for c in found[1].columns]


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("phase", ["solving", "verifying"])
def test_an_executor_that_is_killed_changes_nothing(spark, table, tmp_path, phase):
    given = spark.createDataFrame(table).repartition(3)
    expected = rows_of(kinfold.spark.anonymize(given, piece_rows=300, **SETTINGS).frame)
    killed = []

    def kill():
        # One that was killed before may not have been replaced yet.
        killed.extend(executors()[:1])
        return bool(killed) and os.kill(killed[0], signal.SIGKILL)

    def progress(name, *_):
        if name == phase:
            when_busy(spark, kill)

    release, _ = kinfold.spark.anonymize(
        given, path=str(tmp_path / "release"), piece_rows=300, progress=progress, **SETTINGS
    )
    assert killed
    wait_until_gone(killed[0])
    assert rows_of(release) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("how", ["raises", "asks for too much memory", "is killed by the system"])
def test_a_task_that_fails_for_good_leaves_nothing(spark, table, tmp_path, how):
    flag = tmp_path / "flag"

    def failing(batches):
        for batch in batches:
            if flag.exists() and how == "raises":
                raise ValueError("person 17 has gout")
            if flag.exists() and how == "asks for too much memory":
                before = resource.getrlimit(resource.RLIMIT_AS)
                resource.setrlimit(resource.RLIMIT_AS, (4 << 30, before[1]))
                try:
                    bytearray(8 << 30)
                finally:
                    # The process serves other tasks, too.
                    resource.setrlimit(resource.RLIMIT_AS, before)
            if flag.exists():
                # As a system does that has run out of memory.
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    given = frame(spark, table)
    given = given.mapInArrow(failing, given.schema)
    out = tmp_path / "out"
    out.mkdir()
    for path in (str(out / "release"), None):
        flag.unlink(missing_ok=True)
        with pytest.raises(kinfold.Error) as raised:
            kinfold.spark.anonymize(
                given, path=path, progress=lambda phase, *_: flag.touch() if phase == "solving" else None, **SETTINGS
            )
        assert "gout" not in str(raised.value)
        assert raised.value.__cause__ is None and raised.value.__suppress_context__
        assert not list(out.iterdir())


def test_a_piece_that_has_no_answer_leaves_nothing(spark, table, tmp_path):
    """What the library says of a piece comes through as its own error, at the first attempt."""
    with pytest.raises(kinfold.TableError, match="memory"):
        kinfold.spark.anonymize(frame(spark, table), path=str(tmp_path / "release"), max_memory=60_000, **SETTINGS)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("phase", ["counting", "solving", "verifying"])
def test_a_driver_that_is_interrupted_leaves_nothing(spark, table, tmp_path, phase):
    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)

    def progress(name, *_):
        if name == phase:
            when_busy(spark, interrupt)

    with pytest.raises(KeyboardInterrupt):
        kinfold.spark.anonymize(
            frame(spark, table), path=str(tmp_path / "release"), piece_rows=300, progress=progress, **SETTINGS
        )
    assert not list(tmp_path.iterdir())
    time.sleep(1)
    assert not list(tmp_path.iterdir()), "a task went on"


def test_the_command(table, tmp_path):
    pq.write_table(table, tmp_path / "table.parquet")
    kinfold.Policy(**SETTINGS).save(tmp_path / "policy.toml")
    command = [sys.executable, "-m", "kinfold.spark", "--table", "table.parquet", "--policy", "policy.toml"]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    environment["PYSPARK_SUBMIT_ARGS"] = "--master local[2] --conf spark.ui.enabled=false pyspark-shell"

    def run(*more):
        return subprocess.run([*command, *more], cwd=tmp_path, env=environment, capture_output=True, text=True)

    told = run("--out", "release", "--piece-rows", "1000", "--effort", "quick")
    assert told.returncode == 0, told.stderr
    assert "3 pieces" in told.stdout
    assert kinfold.verify(
        pq.read_table(tmp_path / "release"), "policy.toml" and tmp_path / "policy.toml", original=table
    )
    again = run("--out", "release")
    assert again.returncode == 2 and "release exists" in again.stderr


def test_every_piece_has_a_partition_of_its_own(spark):
    for pieces in (1, 7, 50):
        keys = spark.createDataFrame([(key,) for key in _calls._keys(pieces)], "key int").repartition(pieces, "key")
        assert keys.select(F.spark_partition_id()).distinct().count() == pieces


def test_the_package_does_not_need_spark():
    code = "import sys, kinfold; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_pages_name_what_is_there():
    page = pathlib.Path(__file__).parents[3] / "docs" / "spark.md"
    assert set(re.findall(r"kinfold\.spark\.(\w+)\(", page.read_text())) <= set(kinfold.spark.__all__)
