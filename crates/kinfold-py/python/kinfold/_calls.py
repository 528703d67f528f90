"""The calls: a table and a policy in, an answer out."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from . import _kinfold
from ._errors import UsageError
from ._frames import Frame, given_back, handed, kind_of
from ._policy import Policy, Settings, SettingsBesideK, with_places
from ._progress import Progress, shown
from ._reports import (
    AnonymizeReport,
    CertifyReport,
    CompareReport,
    Inspection,
    Ladder,
    Record,
    RiskReport,
    VerifyReport,
    WhatIfReport,
    thresholds,
)

Said = Policy | Mapping[str, Any] | str | os.PathLike[str] | None
"""A policy: a `Policy`, a dict of the same shape as a policy file, or the path of one."""


def _how(**options: Any) -> str:
    """Options as JSON; those that are not said are left out."""
    limit = options.get("time_limit")
    if isinstance(limit, datetime.timedelta):
        options["time_limit"] = limit = limit.total_seconds()
    if limit is not None and not (isinstance(limit, int | float) and limit > 0):
        raise UsageError("time_limit is not a number of seconds above 0", "write time_limit=60", "time_limit=")
    for name, least in [("seed", 0), ("new_people", 0), ("threads", 1), ("max_memory", 1)]:
        number = options.get(name)
        if name == "seed" and number == "secret":
            continue
        if number is not None and not (isinstance(number, int) and least <= number < 2**63):
            raise UsageError(f"{name} is not a whole number from {least} on", f"write {name}={least}", f"{name}=")
    for name in ("solver", "effort", "bound", "delimiter", "encoding"):
        if not isinstance(options.get(name), str | None):
            raise UsageError(f"{name} is not a text", None, f"{name}=")
    if len(options.get("delimiter") or ",") != 1:
        raise UsageError("the delimiter is not one character", 'write delimiter=";"', "delimiter=")
    return json.dumps({name: value for name, value in options.items() if value is not None})


def _texts(said: str | Iterable[str] | None) -> list[str] | None:
    return [said] if isinstance(said, str) else None if said is None else [str(text) for text in said]


Groups = str | os.PathLike[str] | Iterable[int | None]
"""Who was in which group of a release: `Anonymized.groups`, or the path of a groups file."""


def _earlier(
    after: Frame | list[Frame] | tuple[Frame, ...], groups: Groups | list[Groups] | tuple[Groups, ...] | None
) -> list[tuple[str, Any, str | list[int | None] | None]]:
    """Earlier releases, what they are called in messages, and who was in which group of them."""
    several = isinstance(after, list | tuple)
    listed: list[Frame] = list(after) if isinstance(after, list | tuple) else [after]
    one = groups is None or not several or isinstance(groups, str | os.PathLike)
    of_each: Any = groups
    given: list[Any] = [None] * len(listed) if groups is None else [groups] if one else list(of_each)
    if len(given) != len(listed):
        what = f"after has {len(listed)} releases, after_groups {len(given)}"
        raise UsageError(what, "give the groups of every earlier release, in their order", "after_groups=")
    named = [Path(one).name if kind_of(one) == "path" else str(i + 1) for i, one in enumerate(listed)]
    read = [_groups(one) for one in given]
    return [(name, handed(one), of) for name, one, of in zip(named, listed, read, strict=True)]


def _groups(said: Groups | None) -> str | list[int | None] | None:
    if said is None:
        return None
    if isinstance(said, str | os.PathLike):
        try:
            return Path(said).read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise UsageError(
                f"cannot read the groups file {said}: {error}", "check the path", "after_groups="
            ) from None
    try:
        return [None if group is None else int(group) for group in said]
    except (TypeError, ValueError):
        hint = "give Anonymized.groups, or the path of a groups file; a list of them beside a list of releases"
        raise UsageError("after_groups is not the groups of a release", hint, "after_groups=") from None


class Anonymized:
    """A release that the verifier has passed.

    Attributes:
        report: What was lost, what was proven, which privacy models hold.
        policy: The policy that the release fulfils, with a role for every column of the table.
    """

    def __init__(self, release: _kinfold.Release, table: Frame, policy: Policy) -> None:
        """Made by `anonymize`."""
        self._release = release
        self._table = table
        self._frame: Frame = None
        self.policy = policy
        self.report = AnonymizeReport(release)

    @property
    def frame(self) -> Frame:
        """The release as a frame of the same kind as the table.

        Cells that groups share are categories; columns that are published unchanged have the type they had. Rows are
        sorted by what is published, unless `keep_order=True`. The index of a pandas frame is not kept in any case: it
        may name people. For a path it is a pyarrow table, where pyarrow is installed.
        """
        if self._frame is not None:
            return self._frame
        frame = given_back(self._release, self._table, self.policy._quasi())
        if kind_of(self._table) != "reader":  # Which can be read once.
            self._frame = frame
        return frame

    @property
    def groups(self) -> list[int | None]:
        """The group of every row of the table; None for rows that are withheld.

        Confidential: it links the release to the table.
        """
        return self._release.groups()

    @property
    def record(self) -> dict[str, Any]:
        """What it takes to make the release again: version, options, the seed.

        Confidential: whoever has it and a register of the same people can make the groups again. A seed that was drawn
        (`seed="secret"`) is told here alone.
        """
        record: dict[str, Any] = json.loads(self._release.record())
        return record

    @property
    def lookup(self) -> str | None:
        """With `lookup=True`, what the names in the release stand for, as CSV. It is part of the release."""
        return self._release.lookup()

    def mapping(self) -> str:
        """What every value is published as, as CSV: column, value, published.

        For columns that are coded once for all rows: under `recoding="global"`, and those with a `level`.
        Confidential: it lists values of the table, though none that only withheld rows have.
        """
        return self._release.mapping()

    def save(self, path: str | os.PathLike[str], lookup: str | os.PathLike[str] | None = None) -> None:
        """Writes the release: .csv, .csv.gz, .tsv, .parquet or .arrow; and to `lookup` what names or codes in it mean.

        The file is written under another name, read back, verified and renamed: it appears whole, or not at all. It
        replaces one that exists, but not the table.
        """
        target = Path(path)
        if kind_of(self._table) == "path" and target.exists() and target.samefile(self._table):
            raise UsageError("the release would replace the table", "choose another name")
        self._release.save(str(target), None if lookup is None else os.fspath(lookup))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The release as a stream of Arrow batches."""
        return self._release.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        """The report."""
        return repr(self.report)

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def anonymize(
    table: Frame,
    policy: Said = None,
    *,
    solver: str | None = None,
    effort: str | None = None,
    bound: str | None = None,
    seed: int | str = 0,
    threads: int | None = None,
    time_limit: float | datetime.timedelta | None = None,
    keep_order: bool = False,
    lookup: bool = False,
    after: Frame | list[Frame] | tuple[Frame, ...] = (),
    after_groups: Groups | list[Groups] | tuple[Groups, ...] | None = None,
    refuse: bool = False,
    new_people: int | None = None,
    progress: bool | Progress = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    max_memory: int | None = None,
    **settings: Unpack[Settings],
) -> Anonymized:
    """Anonymizes a table: groups the rows, makes the release, has it verified.

    Args:
        table: A frame of pandas, polars, pyarrow or DuckDB, any object with `__arrow_c_stream__`, or the path of a CSV,
            Parquet or Arrow file.
        policy: A policy; keywords win over it.
        solver: Who groups the rows: `"auto"`, or a name from `kinfold.solvers()`, with settings as `"name:key=value"`.
        effort: `"quick"`, `"normal"` or `"deep"`: more effort takes longer and loses less.
        bound: The lower bound on the loss to prove: `"none"`, `"quick"` or `"lp"`.
        seed: Same table, policy, seed and version: same release. `"secret"` draws one, which only `Anonymized.record`
            tells.
        threads: How many threads may work; the release does not depend on it.
        time_limit: Seconds after which the best grouping so far is taken.
        keep_order: Whether rows stand in the order of the table. By default they are sorted by what is published, so
            that their position tells nothing.
        lookup: Whether long sets of labels get short names, which `Anonymized.lookup` explains.
        after: Earlier releases about the same people, as frames or paths, under the same policy. `report.overlay` says
            how many people are left where they are laid over the new one.
        after_groups: Who was in which group of `after`: `Anonymized.groups` of that time, or the path of a groups file;
            a list where `after` is one. Without it, that is worked out from the cells.
        refuse: Group so that at least k people are left in every intersection with `after`; raise an error if that
            is not possible.
        new_people: With `refuse`, how many people may count as new: in no group of a release of `after`. By default
            nobody.
        progress: Whether to show how far it is, on a terminal or in a notebook; or a function to call.
        delimiter: Of a text file, where it is not detected.
        encoding: Of a text file that is not UTF-8.
        max_memory: Refuse tables that need more bytes than this.
        **settings: The policy's keys: `k`, `quasi`, `identifier`, `person`, `sensitive`, `keep`, `drop`, `drop_rest`,
            `missing`, `objective`, `recoding`, `withhold`, `form`, … `quasi` takes names, `"name:kind"`, or a dict from
            names to keys. What else is said of columns may have a keyword, too: `level={"age": 10}`.

    Raises:
        kinfold.Error: If there is no release. Mistakes of a policy are reported together.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"name": ["Ann", "Bea", "Cal", "Dan"], "age": [35, 36, 61, 63], "sex": list("FFMM")})
    >>> done = anonymize(people, k=2, quasi=["age", "sex"], identifier="name")
    >>> done.frame
           age sex
    0  [35-36]   F
    1  [35-36]   F
    2  [61-63]   M
    3  [61-63]   M
    >>> done.report.groups, done.report.smallest_group
    (2, 2)
    """
    how = _how(
        solver=solver,
        effort=effort,
        bound=bound,
        seed=seed,
        threads=threads,
        time_limit=time_limit,
        keep_order=bool(keep_order),
        lookup=bool(lookup),
        refuse=bool(refuse),
        new_people=new_people,
        delimiter=delimiter,
        encoding=encoding,
        max_memory=max_memory,
    )
    said = Policy(policy, **settings)
    given = handed(table, said)
    earlier = _earlier(after, after_groups)
    with shown(progress) as told:
        release = with_places(said, lambda: _kinfold.anonymize(given, said._handed(), how, earlier, told))
    return Anonymized(release, table, said._fill(release.columns))


def verify(
    release: Frame,
    policy: Said = None,
    *,
    original: Frame | None = None,
    lookup: str | None = None,
    others_ok: bool = False,
    progress: bool | Progress = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    max_memory: int | None = None,
    **settings: Unpack[Settings],
) -> VerifyReport:
    """Judges a release from what is published and the policy alone; with `original`, whether it is true as well.

    The verifier shares no code with what makes releases, and judges those of other tools, too. `report.safe` says
    whether the release fulfils the policy; a report counts as true in an `if` if the release is safe and, with
    `original`, true. Without a policy file, columns without a role that seem to identify people or to publish a
    quasi-identifier a second time are not safe, unless `others_ok`.

    >>> import pandas as pd
    >>> release = pd.DataFrame({"age": ["[35-36]", "[35-36]", "61"], "sex": ["F", "F", "M"]})
    >>> report = verify(release, k=2, quasi=["age", "sex"])
    >>> report.safe, report.smallest_group
    (False, 1)
    """
    how = _how(others_ok=others_ok, delimiter=delimiter, encoding=encoding, max_memory=max_memory)
    said = Policy(policy, **settings)
    given, first = handed(release), None if original is None else handed(original, said)
    with shown(progress) as told:
        return VerifyReport(with_places(said, lambda: _kinfold.verify(given, said._handed(), how, first, lookup, told)))


def risk(
    table: Frame,
    policy: Said = None,
    *,
    original: Frame | None = None,
    population: Frame | None = None,
    population_size: int | None = None,
    sampling_fraction: float | None = None,
    threshold: float | Iterable[float] | None = None,
    sets: int | None = None,
    progress: bool | Progress = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    max_memory: int | None = None,
    **settings: Unpack[Settings],
) -> RiskReport:
    """Says how likely people are found again in a table or a release, by its quasi-identifiers.

    Args:
        table: A table, or a release.
        policy: A policy; keywords win over it. k is not needed.
        original: The table that a release was made from: who of it fits which rows, and whom do exact ends single out?
        population: A table of the population that the people are from.
        population_size: How many people the population has.
        sampling_fraction: The share of the population that is in the table.
        threshold: People at a risk above this are counted; or several.
        sets: Sets of quasi-identifiers of up to so many columns are looked at.
        progress: As for `anonymize`.
        delimiter: As for `anonymize`.
        encoding: As for `anonymize`.
        max_memory: As for `anonymize`.
        **settings: As for `anonymize`.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [35, 35, 61, 63], "sex": ["F", "F", "M", "M"]})
    >>> risk(people, quasi=["age", "sex"]).people
    4
    """
    how = _how(
        threshold=thresholds(threshold),
        population_size=population_size,
        sampling_fraction=sampling_fraction,
        sets=sets,
        delimiter=delimiter,
        encoding=encoding,
        max_memory=max_memory,
    )
    said = Policy(policy, **settings)
    given = handed(table, said)
    first = None if original is None else handed(original, said)
    everybody = None if population is None else handed(population, said)
    with shown(progress) as told:
        return RiskReport(with_places(said, lambda: _kinfold.risk(given, said._handed(), how, first, everybody, told)))


def inspect(
    table: Frame,
    policy: Said = None,
    *,
    missing: str | Iterable[str] | None = None,
    progress: bool | Progress = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    max_memory: int | None = None,
) -> Inspection:
    """Looks at a table: kinds, distinct values, uniqueness, and a first draft of a policy.

    >>> import pandas as pd
    >>> found = inspect(pd.DataFrame({"age": [35, 36, 61, 63], "sex": ["F", "F", "M", "M"]}))
    >>> [(column.name, column.kind) for column in found.columns]
    [('age', 'numeric'), ('sex', 'category')]
    """
    how = _how(missing=_texts(missing), delimiter=delimiter, encoding=encoding, max_memory=max_memory)
    said = None if policy is None else Policy(policy)
    given = handed(table)
    text = None if said is None else said._handed()
    with shown(progress) as told:
        return Inspection(with_places(said or Policy(), lambda: _kinfold.inspect(given, text, how, told)))


def hierarchy(
    table: Frame,
    column: str,
    *,
    by: str | None = None,
    missing: str | Iterable[str] | None = None,
    progress: bool | Progress = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    max_memory: int | None = None,
) -> Ladder:
    """Proposes levels for a column: ever coarser names for its values, with a preview.

    Args:
        table: The table.
        column: The column.
        by: How levels are made: `"round"`, `"even"`, `"calendar"`, `"prefix"`, `"bands"` or `"frequent"`; by default
            that depends on the values.
        missing: Texts that mean a missing value.
        progress: As for `anonymize`.
        delimiter: As for `anonymize`.
        encoding: As for `anonymize`.
        max_memory: As for `anonymize`.

    >>> import pandas as pd
    >>> found = hierarchy(pd.DataFrame({"age": range(18, 98)}), "age")
    >>> found.settings
    {'role': 'quasi', 'kind': 'numeric', 'levels': [5, 10, 20]}
    >>> [(level.level, level.names) for level in found.levels]
    [(0, 80), (1, 17), (2, 9), (3, 5), (4, 1)]
    """
    how = _how(missing=_texts(missing), delimiter=delimiter, encoding=encoding, max_memory=max_memory)
    given = handed(table)
    with shown(progress) as told:
        return Ladder(_kinfold.hierarchy(given, column, by, how, told))


def certify(
    table: Frame,
    policy: Said = None,
    *,
    groups: Iterable[int | None] | None = None,
    improve: bool = False,
    check: str | None = None,
    solver: str | None = None,
    effort: str | None = None,
    seed: int = 0,
    threads: int | None = None,
    time_limit: float | datetime.timedelta | None = None,
    progress: bool | Progress = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    max_memory: int | None = None,
    **settings: Unpack[Settings],
) -> CertifyReport:
    """Proves how far a grouping can be from the best there is.

    Args:
        table: The table.
        policy: A policy; keywords win over it.
        groups: The grouping to certify, as `Anonymized.groups` has it; None: one is made.
        improve: Whether a better grouping is looked for on the way.
        check: A certificate to check instead of making one: the text that `certificate` of an earlier report holds.
        solver: As for `anonymize`.
        effort: As for `anonymize`.
        seed: As for `anonymize`.
        threads: As for `anonymize`.
        time_limit: Seconds for everything.
        progress: As for `anonymize`.
        delimiter: As for `anonymize`.
        encoding: As for `anonymize`.
        max_memory: As for `anonymize`.
        **settings: As for `anonymize`.
    """
    how = _how(
        solver=solver,
        effort=effort,
        seed=seed,
        threads=threads,
        time_limit=time_limit,
        improve=improve,
        delimiter=delimiter,
        encoding=encoding,
        max_memory=max_memory,
    )
    said = Policy(policy, **settings)
    given = handed(table, said)
    numbers = None if groups is None else list(groups)
    with shown(progress) as told:
        return CertifyReport(
            with_places(said, lambda: _kinfold.certify(given, said._handed(), how, numbers, check, told))
        )


def compare(
    table: Frame,
    policy: Said = None,
    *,
    k: int | Iterable[int] | None = None,
    solvers: str | Iterable[str] | None = None,
    efforts: str | Iterable[str] | None = None,
    seed: int = 0,
    threads: int | None = None,
    time_limit: float | datetime.timedelta | None = None,
    progress: bool | Progress = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    max_memory: int | None = None,
    **settings: Unpack[SettingsBesideK],
) -> CompareReport:
    """Compares solvers on one table, for one k or several: what each loses, and how long it takes.

    Args:
        table: The table.
        policy: A policy; keywords win over it.
        k: One k, or several.
        solvers: Names of solvers; none: every one that minimises the objective.
        efforts: Efforts of solvers whose answer depends on it.
        seed: As for `anonymize`.
        threads: As for `anonymize`.
        time_limit: Seconds for each solver.
        progress: As for `anonymize`.
        delimiter: As for `anonymize`.
        encoding: As for `anonymize`.
        max_memory: As for `anonymize`.
        **settings: As for `anonymize`.
    """
    how = _how(
        solvers=_texts(solvers),
        efforts=_texts(efforts),
        seed=seed,
        threads=threads,
        time_limit=time_limit,
        delimiter=delimiter,
        encoding=encoding,
        max_memory=max_memory,
    )
    base = Policy(policy, **settings)
    ks = [k] if k is None or isinstance(k, int) else list(k)
    said = [base if one is None else Policy(base, k=one) for one in ks]
    if not said:
        raise UsageError("no k is given", "write k=[3, 5, 10]", "k=")
    given = handed(table, base)
    texts = [one._handed() for one in said]
    with shown(progress) as told:
        return CompareReport(with_places(said[0], lambda: _kinfold.compare(given, texts, how, told)))


def whatif(
    table: Frame,
    policy: Said = None,
    *,
    solver: str | None = None,
    effort: str | None = "quick",
    seed: int = 0,
    threads: int | None = None,
    time_limit: float | datetime.timedelta | None = None,
    progress: bool | Progress = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    max_memory: int | None = None,
    **settings: Unpack[Settings],
) -> WhatIfReport:
    """Says what other settings would cost: other k, rows withheld, columns dropped or weighed less.

    The arguments are those of `anonymize`.
    """
    how = _how(
        solver=solver,
        effort=effort,
        seed=seed,
        threads=threads,
        time_limit=time_limit,
        delimiter=delimiter,
        encoding=encoding,
        max_memory=max_memory,
    )
    said = Policy(policy, **settings)
    given = handed(table, said)
    with shown(progress) as told:
        return WhatIfReport(with_places(said, lambda: _kinfold.whatif(given, said._handed(), how, told)))


def solvers() -> list[Record]:
    """What every solver says of itself: its name, what it minimises, what it promises.

    >>> solvers()[0].key
    'auto'
    """
    return [Record(card) for card in json.loads(_kinfold.solvers())]
