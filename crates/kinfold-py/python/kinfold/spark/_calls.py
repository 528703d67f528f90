"""The calls: a Spark frame and a policy in, an answer out."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from pyspark import InheritableThread, StorageLevel
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from .. import _kinfold
from .._calls import Said, _how
from .._calls import inspect as inspect_whole
from .._calls import verify as verify_whole
from .._errors import Error, InternalError, TableError, UsageError
from .._policy import Policy, Settings, _role, with_places
from .._progress import Progress, shown
from .._reports import AnonymizeReport as WholeReport
from .._reports import Inspection, Report, VerifyReport
from . import _faults
from ._staging import Staging
from ._tasks import KEY, SAID, Figures, Task, Work, adding, counting, routing, solving

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: So many rows make a piece, if nothing else is said.
PIECE_ROWS = 500_000
#: So many rows of a release are judged by one task.
JUDGED_ROWS = 500_000
#: What tasks have counted of more rows than this is added up on the executors first.
ADDED_ROWS = 10_000_000
#: A release and its original are compared on the driver up to so many rows each.
COMPARED_ROWS = 1_000_000
#: A table is inspected by about so many of its rows.
INSPECTED_ROWS = 100_000
#: How long tasks that were cancelled may still take, in seconds.
PATIENCE = 15


class AnonymizeReport(WholeReport):
    """What came of an anonymization on Spark: the same figures as of one machine, in pieces."""

    def __init__(self, told: _kinfold.Told) -> None:
        """Takes what the library told."""
        Report.__init__(self, told)

    def to_html(self, language: str | None = None, **_: Any) -> str:
        """Declined: risk before and after needs the table as a whole."""
        what = "there is no full report of a table in pieces: risk before and after needs it as a whole"
        raise UsageError(what, "use the figures of this report; kinfold.risk takes a sample")


class Anonymized(NamedTuple):
    """A release that the verifier has passed, and the report on it."""

    frame: DataFrame
    report: AnonymizeReport


def anonymize(
    table: DataFrame,
    policy: Said = None,
    *,
    path: str | None = None,
    piece_rows: int = PIECE_ROWS,
    solver: str | None = None,
    effort: str | None = None,
    seed: int = 0,
    keep_order: bool = False,
    lookup: bool = False,
    progress: bool | Progress = False,
    max_memory: int | None = None,
    **settings: Unpack[Settings],
) -> Anonymized:
    """Anonymizes a Spark frame in pieces; the verifier passes the release as a whole.

    The table is read four times: it must have the same rows each time, and should not be costly to make. The same rows,
    policy, seed and version give the same release, whatever the partitions.

    Args:
        table: The table. Its partitions need not mean anything.
        policy: A policy; keywords win over it.
        path: Where the release goes, as a folder of Parquet files: it is written beside that under another name, read
            back, verified and renamed. Without a path the frame is kept on the executors' disks (`frame.unpersist()`
            frees them).
        piece_rows: About so many rows are anonymized at once, by one task on one core.
        solver: As for `kinfold.anonymize`.
        effort: As for `kinfold.anonymize`.
        seed: As for `kinfold.anonymize`.
        keep_order: Declined: a Spark frame has no order.
        lookup: Declined: pieces would give different names to one set.
        progress: Whether to show what is being done; or a function to call.
        max_memory: Refuse pieces that need more bytes than this.
        **settings: The policy's keys, as for `kinfold.anonymize`.

    Returns:
        The release and the report on it, as a named tuple: `frame`, `report`. Unchanged columns have the type they had,
        generalized columns are strings, and bounds have the type of their column.

    Raises:
        kinfold.Error: If there is no release. Nothing stays behind.
    """
    if not isinstance(seed, int):
        what = "a secret seed cannot be drawn on Spark: every executor would draw another, and there is no run record"
        raise UsageError(what, "draw one, and keep it: seed=secrets.randbits(63)", "seed=")
    how = _how(
        solver=solver,
        effort=effort,
        seed=seed,
        threads=1,
        keep_order=bool(keep_order),
        lookup=bool(lookup),
        max_memory=max_memory,
    )
    if not (isinstance(piece_rows, int) and 1 <= piece_rows < 2**63):
        raise UsageError("piece_rows is not a whole number from 1 on", f"write piece_rows={PIECE_ROWS}", "piece_rows=")
    spark, names = _session(table), _names(table)
    said = Policy(policy, **settings)
    needed = with_places(said, lambda: _kinfold.columns_for_pieces(said._handed(names), how))
    if said.to_dict().get("form") == "midpoint":
        what = "form midpoint cannot be published from Spark: the type of its numbers is not known before the end"
        raise UsageError(what, "use form ranges or bounds")
    staging = None if path is None else Staging(spark, str(path))
    with shown(progress) as told, _told():
        making = _Making(_Run(spark), said, Work(said, names, how), table.select(*map(_column, needed)), told)
        return making.release(table, piece_rows, staging)


class _Making:
    """A release in the making."""

    def __init__(self, run: _Run, said: Policy, work: Work, rows: DataFrame, told: Progress | None) -> None:
        self.run, self.said, self.work, self.rows, self._told = run, said, work, rows, told
        self.handed = said._handed(work.columns)
        self._seconds: dict[str, float] = {}
        self._since = time.monotonic()

    def phase(self, name: str, before: str | None = None) -> None:
        """Says what comes next, and keeps how long it took to get there."""
        now = time.monotonic()
        if before:
            self._seconds[before] = self._seconds.get(before, 0.0) + now - self._since
        self._since = now
        if self._told and name:
            self._told(name, None, None, None)

    def asked(self, call: Callable[[], Any]) -> Any:
        """An answer of the library; mistakes come with their place."""
        return with_places(self.said, call)

    def release(self, table: DataFrame, piece_rows: int, staging: Staging | None) -> Anonymized:
        plan, pieces, notes = self.planned(piece_rows)
        types = self.asked(lambda: _kinfold.published_columns(plan, self.handed))
        schema = _schema(table, types)
        self.phase("solving", "encode")
        keys = _keys(pieces)
        figures = self.run.spark.sparkContext.accumulator({}, Figures())
        routed = StructType([*self.rows.schema.fields, StructField(KEY, IntegerType())])
        shuffled = self.rows.mapInArrow(routing(self.work, plan, keys), routed).repartition(pieces, KEY)
        solved = shuffled.mapInArrow(solving(self.work, plan, keys, types, figures), schema)
        try:
            kept = self.kept(solved, staging)
            told = self.judged(kept, pieces, figures)
            if staging:
                staging.publish()
                kept = self.run.spark.read.schema(schema).parquet(staging.path)
        except BaseException as error:
            if staging is None:
                solved.unpersist()
            elif not staging.removed():
                error.add_note(f"{staging.folder} could not be removed: it holds no release, and may be deleted")
            raise
        report = AnonymizeReport(told)
        report.notes[:0] = notes
        if staging and not staging.removed():
            report.notes.append(f"{staging.folder} could not be removed: it is empty, and may be deleted")
        return Anonymized(kept, report)

    def planned(self, piece_rows: int) -> tuple[str, int, list[str]]:
        """The plan of the pieces, how many there are, and what else the user should know."""
        work, handed = self.work, self.handed
        self.phase("counting")
        rows = self.run.act(self.rows.count)
        if rows == 0:
            raise TableError("the table has no rows", "is the frame filtered too much?")

        def census(part: Any, policy: Any) -> str:
            return _kinfold.census(part, policy, rows, work.how)

        def sum_censuses(said: list[str], policy: Any) -> str:
            return _kinfold.sum_censuses(said, policy)

        counted = self.run.said(
            self.rows, counting(work, "counting", census), adding(work, sum_censuses), rows, self.said
        )
        plan, notes = self.asked(lambda: _kinfold.plan(counted, handed, piece_rows, work.how))
        self.phase("cutting", "read")

        def tally(part: Any, policy: Any) -> str:
            return _kinfold.tally(part, plan, policy, work.how)

        def sum_tallies(said: list[str], policy: Any) -> str:
            return _kinfold.sum_tallies(said, plan, policy)

        tallied = self.run.said(self.rows, counting(work, "cutting", tally), adding(work, sum_tallies), rows, self.said)
        settled, pieces = self.asked(lambda: _kinfold.settle(plan, tallied, handed))
        return settled, pieces, notes

    def kept(self, solved: DataFrame, staging: Staging | None) -> DataFrame:
        """The release as it will be published: written, or on the disks of the executors."""
        if staging is None:
            kept = solved.persist(StorageLevel.DISK_ONLY)
            self.run.act(kept.count)
            return kept
        self.run.act(lambda: solved.write.parquet(staging.release))
        return self.run.spark.read.schema(solved.schema).parquet(staging.release)

    def judged(self, release: DataFrame, pieces: int, figures: Any) -> _kinfold.Told:
        """The report on what was kept, if the verifier passes it."""
        found = dict(sorted(figures.value.items()))
        for error, text in found.values():
            if error:
                raise _placed(_faults.read(text), self.said)
        if list(found) != list(range(pieces)):
            raise InternalError("some pieces have not said what came of them", "please report it, without the table")
        self.phase("verifying", "solve")
        verdict = _verdict(self.run, self.said, self.work, release, True)
        texts = [text for _, text in found.values()]
        self.phase("", "verify")
        spent = [self._seconds[name] for name in ("read", "encode", "solve", "verify")]
        told: _kinfold.Told = self.asked(
            lambda: _kinfold.report_pieces(texts, verdict.document or "", self.handed, spent)
        )
        return told


def verify(
    release: DataFrame,
    policy: Said = None,
    *,
    original: DataFrame | None = None,
    progress: bool | Progress = False,
    max_memory: int | None = None,
    **settings: Unpack[Settings],
) -> VerifyReport:
    """Judges a release on Spark from what is published and the policy alone, as `kinfold.verify` does.

    Whether it is true, too, is decided on the driver, and only if release and `original` have no more than 1,000,000
    rows each. Otherwise `report.true` is None, a note says so, and the report does not count as true in an `if`.
    """
    how = _how(max_memory=max_memory)
    spark = _session(release)
    names, said = _names(release), Policy(policy, **settings)
    said.check()
    if "presence" in said:
        what = "presence cannot be judged on Spark: groups of several parts may overlap"
        raise UsageError(what, "use kinfold.verify on a machine with enough memory")
    run = _Run(spark)
    with shown(progress) as told, _told():
        if told:
            told("verifying", None, None, None)
        if original is not None and all(run.act(_limited(one).count) <= COMPARED_ROWS for one in (release, original)):
            both = [run.act(one.toArrow) for one in (release, original)]
            return verify_whole(both[0], said, original=both[1], max_memory=max_memory)
        if not names:
            raise TableError("the release has no columns")
        report = VerifyReport(_verdict(run, said, Work(said, [], how), release, False))
        if original is not None:
            report._data["true"] = None
            report.notes.append(
                f"whether the release is true was not decided: it or its original has more than {COMPARED_ROWS:,} rows"
            )
        return report


def _verdict(run: _Run, said: Policy, work: Work, release: DataFrame, judged: bool) -> _kinfold.Told:
    """The verdict on a release. Its groups are brought together by a hash of what publishes quasi-identifiers."""
    handed = said._handed(work.columns)
    quasi = with_places(said, lambda: _kinfold.quasi_columns(release.columns, handed))
    rows = run.act(release.count)

    def count(part: Any, policy: Any) -> str:
        return _kinfold.count_release(part, policy, work.how)

    def total(said: list[str], policy: Any) -> str:
        return _kinfold.sum_release(said, policy)

    counts: list[str] = []
    if any(_role(entry) in ("keep", "sensitive") for entry in said._table().values()):
        counts = run.said(release, counting(work, "verifying", count), adding(work, total), rows, said)
    overall = with_places(said, lambda: _kinfold.sum_release(counts, handed))

    def judge(part: Any, policy: Any) -> str | None:
        return _kinfold.verify_part(part, overall, policy, work.how)

    parts = max(run.spark.sparkContext.defaultParallelism, math.ceil(rows / JUDGED_ROWS))
    whole = release.repartition(parts, *map(_column, dict.fromkeys(quasi)))
    verdicts = run.said(whole, counting(work, "verifying", judge), None, rows, said)
    told: _kinfold.Told = with_places(said, lambda: _kinfold.sum_verdicts(verdicts, overall, handed, judged))
    return told


def inspect(
    table: DataFrame, *, missing: str | list[str] | None = None, progress: bool | Progress = False
) -> Inspection:
    """Looks at a table as `kinfold.inspect` does: at all rows if there are up to 100,000, else at a sample of them.

    The sample is drawn by a hash of the rows: the same rows, whatever the partitions. `rows` is exact; all other
    figures are of the sample, and a note says so.
    """
    spark, names = _session(table), _names(table)
    run = _Run(spark)
    with _told():
        rows = run.act(table.count)
        every = math.ceil(rows / INSPECTED_ROWS)
        looked = table
        if every > 1:
            looked = table.where(F.pmod(F.xxhash64(*map(_column, names)), F.lit(every)) == 0)
        sample = run.act(looked.toArrow)
    found = inspect_whole(sample, missing=missing, progress=progress)
    if every > 1:
        found._data["rows"] = rows
        found.notes.append(f"all figures but the number of rows are those of a sample of {sample.num_rows:,} rows")
    return found


def _placed(error: Error, said: Policy) -> Error:
    """The error of a task, with places as the user wrote them."""

    def again() -> None:
        raise error

    try:
        with_places(said, again)
    except Error as placed:
        return placed
    return error


class _Run:
    """The jobs of one call. They end with the call, whatever ends it."""

    def __init__(self, spark: Any) -> None:
        self.spark, self._context = spark, spark.sparkContext
        self._group = f"kinfold-{uuid.uuid4().hex}"

    def act(self, action: Callable[[], Any]) -> Any:
        """What an action of Spark answers.

        It runs on a thread of its own: an interrupted call into the JVM would leave the job going, and a staging folder
        may only be removed once nothing writes there any more.
        """
        answer: list[Any] = []
        fault: list[BaseException] = []

        def work() -> None:
            try:
                self._context.setJobGroup(self._group, "kinfold", interruptOnCancel=True)
                answer.append(action())
            except BaseException as error:
                fault.append(error)

        thread = InheritableThread(target=work, session=self.spark)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.5)
        except BaseException:
            self._stop(thread)
            raise
        if fault:
            self._settle()
            raise fault[0]
        return answer[0]

    def said(self, frame: DataFrame, task: Task, add: Task | None, rows: int, policy: Policy) -> list[str]:
        """What tasks say of a frame of so many rows. Of many rows it is added up on the executors first."""
        found = frame.mapInArrow(task, SAID)
        if add and rows > ADDED_ROWS:
            found = found.repartition(min(64, math.ceil(rows / ADDED_ROWS))).mapInArrow(add, SAID)
        said = self.act(found.collect)
        for row in said:
            if row.error:
                raise _placed(_faults.read(row.said), policy)
        return [row.said for row in said]

    def _stop(self, thread: Any) -> None:
        """Ends the jobs, also one that is only being planned."""
        until = time.monotonic() + PATIENCE
        while thread.is_alive() and time.monotonic() < until:
            self._context.cancelJobGroup(self._group)
            thread.join(0.2)
        self._settle()

    def _settle(self) -> None:
        """Waits until tasks that were cancelled have ended. Those of other calls are not told apart from them."""
        until = time.monotonic() + PATIENCE
        tracker = self._context._jsc.sc().statusTracker()
        quiet = 0
        # A task that is just being started is not counted yet: one look is not enough.
        while quiet < 5 and time.monotonic() < until:
            busy = any(executor.numRunningTasks() for executor in tracker.getExecutorInfos())
            quiet = 0 if busy else quiet + 1
            time.sleep(0.1)


@contextmanager
def _told() -> Iterator[None]:
    """What Spark raises becomes an error of the package."""
    try:
        yield
    except Error:
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):
            raise
        raise _faults.of_spark(error) from None


def _session(table: Any) -> Any:
    kind = type(table)
    if kind.__name__ != "DataFrame" or not kind.__module__.startswith("pyspark.sql"):
        raise UsageError(f"a {kind.__name__} is not a frame of Spark", "use kinfold.anonymize for frames in memory")
    if ".connect" in kind.__module__:
        raise UsageError("frames of Spark Connect have no access to the cluster's files and jobs", "use classic Spark")
    return table.sparkSession


def _names(table: DataFrame) -> list[str]:
    """The columns. Spark cannot tell apart names that differ by case alone."""
    names: list[str] = list(table.columns)
    sensitive = str(table.sparkSession.conf.get("spark.sql.caseSensitive", "false")).lower() == "true"
    seen: dict[str, int] = {}
    for at, name in enumerate(names, 1):
        before = seen.setdefault(name if sensitive else name.lower(), at)
        if before != at:
            what = f'the table names column "{name}" twice (columns {before} and {at})'
            raise TableError(what, "give every column a name of its own")
    return names


def _column(name: str) -> Any:
    return F.col("`" + name.replace("`", "``") + "`")


def _schema(table: DataFrame, types: list[tuple[str, str | None]]) -> StructType:
    kinds = {field.name: field.dataType for field in table.schema.fields}
    return StructType([StructField(name, StringType() if of is None else kinds[of]) for name, of in types])


def _keys(pieces: int) -> list[int]:
    """For every piece a number that Spark sends to a partition of its own, so that work is spread evenly."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < pieces:
        found.setdefault(_hash(number) % pieces, number)
        number += 1
    # Should Spark hash in another way one day, pieces only share partitions.
    return [found[piece] for piece in range(pieces)]


def _hash(number: int) -> int:
    """Spark's hash of an `int`: Murmur3 (x86, 32 bits) with seed 42, as a signed number."""

    def rotated(bits: int, by: int) -> int:
        return (bits << by | bits >> 32 - by) & 0xFFFFFFFF

    mixed = rotated(number * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF
    mixed = (rotated(42 ^ mixed, 13) * 5 + 0xE6546B64 & 0xFFFFFFFF) ^ 4
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _limited(frame: DataFrame) -> DataFrame:
    return frame.limit(COMPARED_ROWS + 1)
