#!/usr/bin/env python3
"""Anonymizes random tables under random policies, and checks every release by code of its own.

    cargo build --release --locked && python3 bench/random_runs.py --runs 10000

Nothing here comes from kinfold but the release: cells are read, groups counted, models computed and rows compared with the
original in plain Python, from the documentation. A run ends in a release or in a message and exit code 2. A release must be

- complete: the columns that the policy publishes and no others; every row once, but for as many people as may be withheld;
- k-anonymous: every published combination of quasi-identifiers stands for k people (and k persons);
- true: every cell covers the value that it stands for, and unchanged columns are unchanged, or on the level on which they are published;
- on its levels: cells of a column with levels are what its values are called, none finer or coarser than the policy allows. Where all are to be on one level
  (by the policy, or under global recoding) they are, equal values have equal cells, and nobody is withheld whose group is there;
- silent: no byte tells a value beyond top or bottom, and Parquet, Arrow and report have no text of the table that the CSV has not;
- as private as asked: the privacy models hold in every group, and rounded ends lie on their grid;
- if it keeps k people in every intersection with an earlier release (one run in five, on tables of at most nine rows): all explanations of both releases are
  looked for, and everybody keeps k rows of either in them; with the groups file, the true groups are counted.

Needs python3 and nothing else; where pyarrow is there, all cells, dictionaries and statistics of Parquet and Arrow are compared with the CSV. Run number N is
the same whatever the others are: --first N --runs 1 repeats it, --keep FOLDER keeps its files.
"""
import argparse
import collections
import concurrent.futures
import csv
import datetime
import decimal
import fractions
import functools
import json
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

try:
    import pyarrow.ipc
    import pyarrow.parquet
except ImportError:
    pyarrow = None

if sys.version_info < (3, 8):
    sys.exit("random_runs.py needs python3.8 or later")

MISSING = ["", "NA"]
LEVELS = ["low", "middle", "high", "top", "peak"]
TREE = {"oak": ["broadleaf", "*"], "beech": ["broadleaf", "*"], "lime": ["broadleaf", "*"], "fir": ["conifer", "*"],
        "pine": ["conifer", "*"], "palm": ["palm trees", "*"]}
LABELS = ["red", "green", "blue", "a|b", "{c}", "x,y", 'quo"te', "back\\slash", "two words", "ünï", "[1-2]", "Z"]
#: Named groups of labels, from the innermost up.
GROUPS = [{"red": ["warm"], "x,y": ["warm"], "green": ["sea", "cold"], "blue": ["sea", "cold"], **{label: ["odd", "cold"] for label in LABELS[3:5]},
           **{label: ["most", "more", "rest"] for label in LABELS[6:]}},
          {label: ["plain" if label.isalpha() else "odd"] for label in LABELS}]
WIDTHS = {"numeric": [[5], [5, 10], [2, 10, 20], [1, 5], [0.5, 1], [0.5, 5]],
          "date": [["month", "quarter", "year", "decade"], ["week"], ["year"], ["day", "month", "year"], ["day", "week"]]}
TOP = {"numeric": ["4", "8", "20", "4.5"], "date": ["2020-02-01", "2020-05-15", "2021-01-01"]}
BOTTOM = {"numeric": ["-4", "0", "2"], "date": ["2019-12-25", "2020-01-01"]}
#: Values beyond top or bottom, which are like no others, so that their bytes are not, either.
HIDDEN = {"top": {"numeric": [str(n) for n in range(917310, 917390, 7)], "date": [f"2077-07-1{n}" for n in range(10)]},
          "bottom": {"numeric": [str(n) for n in range(-826490, -826410, 7)], "date": [f"1877-03-1{n}" for n in range(10)]}}
BEYOND = {value for kinds in HIDDEN.values() for values in kinds.values() for value in values}
OBJECTIVES = ["ncp"] * 12 + ["stars"] * 3 + ["columns"] + ["radius", "cellular", "sse"] + ["group-size"] * 2
STEPS = {"numeric": ["2", "5", "10", "0.5", "1"], "date": ["week", "month", "quarter", "year", "10 days"], "ordinal": ["2"]}
DAY = datetime.timedelta(days=1)


class Wrong(Exception):
    """What is wrong with a release."""


# ---- tables and policies


class Case:
    """A random table and policy, as the files that kinfold is given."""

    def __init__(self, seed, solvers, tiny=False):
        self.dice = dice = random.Random(seed)
        self.rows = dice.randint(6, 9) if tiny else dice.choice([6, 12, 12, 25, 25, 60, 150])
        self.k = 2 if tiny else dice.choice([2, 2, 3, 3, 4, 5, 7])
        self.objective = dice.choice(["ncp", "ncp", "stars"] if tiny else OBJECTIVES)
        clusters = self.objective in ("radius", "cellular", "sse")
        forms = ["ranges", "ranges", "ranges", "bounds", "midpoint"] + ["codes"] * (not tiny)
        self.form = {"stars": "stars", "columns": "stars"}.get(self.objective, "centres" if clusters else dice.choice(forms))
        self.spans = self.form in forms
        self.withhold = dice.choice([0, 0, 0, 0.05, 0.2])
        self.blunt = self.spans and dice.random() < 0.2
        self.named = self.objective in ("ncp", "stars", "columns")
        self.alike = self.objective in ("ncp", "stars") and not tiny and dice.random() < 0.2
        self.tiny, self.columns, self.cells, self.said, self.trees, self.known = tiny, [], {}, {}, {}, {}
        self.add_quasi(clusters)
        if tiny:
            self.add("id", [f"r{row:04}" for row in range(self.rows)], role="drop")
            if dice.random() < 0.5:
                self.add("ill", dice.choices(["flu", "gout"], k=self.rows), role="sensitive")
        else:
            self.add_others(clusters)
        able = [s for s in solvers if self.objective in s["objectives"] and (s["key"] in ("auto", "levels") if self.alike else s["key"] != "levels")]
        chosen = dice.choice(able) if dice.random() < 0.7 else able[0]
        self.solver = chosen["key"]
        for setting in chosen["settings"]:
            if dice.random() < 0.3:
                self.solver += f":{setting['key']}={dice.choice(setting['values'])}"
        self.effort = dice.choice(["quick", "quick", "normal"])
        self.bound = dice.choice(["none", "quick"])
        self.seed = dice.randrange(1000)
        # Of an answer that a time limit cuts short there are several: only those who need none write a release twice.
        self.beside = dice.choice(["", "", "parquet", "arrow"]) if chosen["key"] in ("auto", "anneal", "levels", "mondrian", "tree-greedy") else ""

    def add(self, name, cells, **said):
        self.columns.append(name)
        self.cells[name], self.said[name] = cells, said

    def add_quasi(self, clusters):
        dice = self.dice
        kinds = ["numeric", "numeric", "date", "category", "category", "ordinal", "hierarchy"]
        if self.objective == "sse":
            kinds = ["numeric"]
        several = dice.randint(1, 4)
        if self.objective == "group-size":
            kinds, several = (["category", "numeric", "ordinal"], 1) if dice.random() < 0.6 else (["numeric", "ordinal", "date"], dice.randint(2, 3))
        for number in range(several):
            name, kind = f"q{number}", dice.choice(kinds)
            if self.named and dice.random() < (0.7 if self.alike else 0.4):
                cells, said, rungs = self.ladder(name)
                said = {"role": "quasi", **said, **self.between(rungs)}
                if {"level", "coarsest"} & set(said) and not self.tiny:
                    self.withhold = dice.choice([self.withhold, 0.2, 0.5])
            else:
                cells, said = getattr(self, kind)(), {"role": "quasi", "kind": kind}
                if self.spans and kind in STEPS and dice.random() < 0.25:
                    said[dice.choice(["round", "round", "finest"])] = dice.choice(STEPS[kind])
                elif self.blunt and kind in STEPS and dice.random() < 0.1:
                    said["round"] = "none"
                elif self.named and kind in TOP and not self.blunt and self.form not in ("bounds", "midpoint") and dice.random() < 0.3:
                    cells = self.ends(said, cells)
                if kind == "ordinal":
                    said["order"] = LEVELS
                if kind == "hierarchy":
                    said["hierarchy"], self.trees[name] = f"{name}.csv", TREE
            if said["kind"] == "numeric" and not clusters and not {"top", "bottom"} & set(said) and dice.random() < 0.2:
                said["domain"] = [-200, 200]
            if dice.random() < 0.2:
                said["weight"] = dice.choice([0.5, 2, 3])
            self.add(name, cells if self.objective in ("sse", "group-size") else self.holes(cells), **said)

    def holes(self, cells):
        some = self.dice.random() < 0.35
        return [self.dice.choice(MISSING) if some and self.dice.random() < 0.15 else cell for cell in cells]

    def ladder(self, name):
        """Cells of a column with levels, what is said of it, and its levels as a policy calls them, finest first."""
        dice, kind = self.dice, self.dice.choice(["numeric", "numeric", "date", "date", "prefix", "category", "hierarchy", "hierarchy"])
        said = {"kind": kind}
        if kind in WIDTHS:
            said["levels"] = dice.choice(WIDTHS[kind])
            if kind == "numeric" and dice.random() < 0.2:
                said["origin"] = dice.choice([1, -3, 0.3])
            return self.ends(said, getattr(self, kind)()), said, said["levels"]
        if kind == "prefix":
            said["prefix"] = dice.choice([[3], [3, 1], [4, 2], [4, 3, 2, 1]])
            return ["".join(map(dice.choice, ["AB", "12", ["", "7", "73", "738", "749"]])) for _ in range(self.rows)], said, said["prefix"]
        tree = self.trees[name] = dice.choice(GROUPS) if kind == "category" else self.tree()
        said.update({"levels": nested(tree)} if kind == "category" else {"hierarchy": f"{name}.csv"})
        cells = dice.choices(list(tree), k=self.rows)
        if dice.random() < 0.25:
            said["unknown"] = "top"
            cells = [f"other{dice.randrange(3)}" if dice.random() < 0.1 else cell for cell in cells]
        return cells, said, list(range(len(called(tree, cells[0]))))

    def tree(self):
        """A hierarchy: names that are repeated a level up, names that several levels have; above all a star, a name or nothing."""
        dice, height = self.dice, self.dice.randint(1, 3)
        shared, repeated, root = dice.random() < 0.3, dice.choice([0, 0, 0.3]), dice.choice([["*"], ["*"], ["all"], []])
        found = {}
        for leaf in range(dice.choice([4, 6, 8])):
            path = [f"leaf{leaf}"]
            for up in range(1, height + 1):
                path.append(path[-1] if dice.random() < repeated else f"w{'' if shared else up}-{leaf >> up}")
            found[path[0]] = path[1:] + root
        return found

    def between(self, rungs):
        """Which levels may be published."""
        dice, choice = self.dice, self.dice.choice(["", "", "finest", "finest", *["coarsest", "both", "level", "auto", "auto"] * (self.objective != "columns")])
        first = dice.randrange(len(rungs))
        last = dice.choice([dice.randrange(first, len(rungs)), len(rungs) - 1])
        said = {"level": rungs[last]} if choice == "level" else {"level": "auto"} if choice == "auto" and not self.tiny else {}
        if choice in ("finest", "both") or choice == "auto" and dice.random() < 0.3:
            said["finest"] = rungs[first]
        if choice in ("coarsest", "both") or choice == "auto" and dice.random() < 0.3:
            said["coarsest"] = rungs[last]
        return said

    def ends(self, said, cells):
        """Cuts the line off now and then, and puts values beyond its ends."""
        dice, kind = self.dice, said["kind"]
        late = "T05:30:00" if kind == "date" and "T" in cells[0] else ""
        for key, values in [("top", TOP), ("bottom", BOTTOM)]:
            if dice.random() < 0.4:
                said[key] = dice.choice(values[kind])
                cells = [dice.choice(HIDDEN[key][kind]) + late if dice.random() < 0.1 else cell for cell in cells]
        return cells

    def recoded(self, name, said):
        """Cells of a column that is published on a level, or cut off."""
        dice, kind = self.dice, self.dice.choice(list(TOP))
        if dice.random() < 0.25:
            said["kind"] = kind
            cells = self.ends(said, getattr(self, kind)())
        else:
            cells, more, rungs = self.ladder(name)
            said.update(more, level=dice.choice(rungs))
        if dice.random() < 0.8:
            said["acknowledge"] = True
        if "closeness" in said and said["kind"] in TOP and dice.random() < 0.7:
            said["closeness"] = {"t": said["closeness"], "distance": "ordered"}
            return cells
        return self.holes(cells)

    def numeric(self):
        dice, some = self.dice, self.dice.choice([3, 10, 40])
        texts = {"whole": lambda: str(dice.randrange(some)), "signed": lambda: str(dice.randrange(-some, some)),
                 "fine": lambda: f"{dice.randrange(10 * some) / 10:.1f}", "spelled": lambda: dice.choice(["1", "1.0", "2", "2.50", "1e1"])}
        write = texts[dice.choice(list(texts))]
        return [write() for _ in range(self.rows)]

    def date(self):
        some, times = self.dice.choice([5, 90, 2000]), self.dice.random() < 0.25
        days = [datetime.date(2019, 12, 20) + DAY * self.dice.randrange(some) for _ in range(self.rows)]
        return [f"{day}T{self.dice.randrange(24):02}:30:00" if times else str(day) for day in days]

    def category(self):
        labels = self.dice.sample(LABELS, self.dice.randint(1, len(LABELS)))
        return self.dice.choices(labels, k=self.rows)

    def ordinal(self):
        return self.dice.choices(LEVELS, k=self.rows)

    def hierarchy(self):
        return self.dice.choices(list(TREE), k=self.rows)

    def add_others(self, clusters):
        dice = self.dice
        if dice.random() < 0.8:
            # Tells which row of the table a published row is.
            self.add("ref", [f"r{row:04}" for row in range(self.rows)], role="keep", acknowledge=True)
        if not clusters and dice.random() < 0.25:
            self.add("people", [str(dice.choice([0, 1, 1, 2, 5])) for _ in range(self.rows)], role="count")
        elif self.objective != "group-size" and dice.random() < 0.2:
            self.add("who", [f"p{dice.randrange(max(2, self.rows * 2 // 3))}" for _ in range(self.rows)], role="person")
        if dice.random() < 0.5:
            said = {"role": "sensitive"}
            if self.objective != "group-size" and not clusters and dice.random() < 0.7:
                model = dice.choice(["diversity", "diversity", "closeness", "likeness", "disclosure"])
                said[model] = {"diversity": dice.choice([2, 3, {"entropy": 1.5}, {"recursive": [3, 2]}]), "closeness": dice.choice([0.3, 0.6]),
                               "likeness": dice.choice([1, 3]), "disclosure": dice.choice([1.5, 3])}[model]
            ills = ["flu", "cold", "none", "burn", "NA"][: dice.randint(2, 5)]
            self.add("ill", self.recoded("ill", said) if dice.random() < 0.4 else dice.choices(ills, k=self.rows), **said)
        for name, role in [("name", "identifier"), ("note", "keep"), ("junk", "drop")]:
            if dice.random() < 0.3:
                said, cells = {"role": role}, dice.choices(["u", "v", "", "w,x", "y\nz", f"{name}7"], k=self.rows)
                self.add(name, self.recoded(name, said) if role == "keep" and dice.random() < 0.5 else cells, **said)

    def policy(self):
        lines = [f"k = {self.k}", f'objective = "{self.objective}"', f'form = "{self.form}"', f"withhold = {self.withhold}",
                 f"missing = {json.dumps(MISSING)}"]
        lines += ["blunt = true"] * self.blunt + ['recoding = "global"'] * self.alike
        for name in self.columns:
            lines.append(f"[columns.{name}]")
            told = {key: value for key, value in self.said[name].items() if (key, self.said[name]["role"]) != ("kind", "keep")}
            lines += [f"{key} = {toml(value)}" for key, value in told.items()]
        return "\n".join(lines) + "\n"

    def write(self, folder):
        with open(folder / "table.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(zip(*(self.cells[name] for name in self.columns)))
        (folder / "policy.toml").write_text(self.policy(), encoding="utf-8")
        for name, tree in self.trees.items():
            (folder / f"{name}.csv").write_text("".join(";".join([leaf, *up]) + "\n" for leaf, up in tree.items()), encoding="utf-8")

    def people(self, row):
        return int(self.cells["people"][row]) if "people" in self.cells else 1

    def quasi(self):
        return [name for name in self.columns if self.said[name]["role"] == "quasi"]


def nested(tree):
    """Named groups as a policy says them."""
    groups = {}
    for label, path in tree.items():
        at = groups
        for group in path[:0:-1]:
            at = at.setdefault(group, {})
        at.setdefault(path[0], []).append(label)
    return groups


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, str) and re.fullmatch(r"[0-9.]+", value):
        return value
    return json.dumps(value)


# ---- what published cells say


def number(text):
    """The exact value of a number, or None."""
    try:
        return fractions.Fraction(decimal.Decimal(text))
    except (decimal.InvalidOperation, ValueError, OverflowError):
        return None


def moment(text):
    """The time that a date stands for, or None."""
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def level(text):
    return LEVELS.index(text) if text in LEVELS else None


VALUE = {"numeric": number, "date": moment, "ordinal": level}
ENDS = {"numeric": (-math.inf, math.inf), "date": (datetime.datetime.min, datetime.datetime.max)}


def reader(said, of_table=False):
    """What reads a value, or an end, of an ordered column. Beyond its ends all values are one, which cells name, and do not tell."""
    value = VALUE[said["kind"]]
    bottom, top = (value(said[key]) if key in said else None for key in ("bottom", "top"))

    def read(text):
        below, above = text.startswith("<"), text.endswith("+")
        found = value(text[below:len(text) - above])
        if found is None or below and found != bottom or above and found != top:
            return None
        beyond = below or not above and bottom is not None and found < bottom, above or top is not None and found >= top
        if any(beyond) and not (below or above or of_table):
            return None
        return ENDS[said["kind"]][beyond[1]] if any(beyond) else found

    return read if bottom is not None or top is not None else value


def ranges(text, value, kind):
    """Every pair of ends that a cell can be read as."""
    found = []
    if value(text) is not None:
        found.append((value(text), value(text)))
    if text.startswith("[") and text.endswith("]"):
        inner, mark = text[1:-1], "/" if kind == "date" else None
        for at in range(1, len(inner)):
            for between in [mark] if mark else ["-", ".."]:
                if inner.startswith(between, at):
                    low, high = value(inner[:at]), value(inner[at + len(between):])
                    if low is not None and high is not None:
                        found.append((low, high))
    return found


def spans(case, name, cells):
    """Every pair of ends that what is published of an ordered column can be read as."""
    kind = case.said[name]["kind"]
    value = reader(case.said[name])
    if len(cells) == 1:
        return ranges(cells[0], value, kind)
    if case.form == "bounds":
        low, high = map(value, cells)
    else:
        middle, width = value(cells[0]), number(cells[1])
        if middle is None or width is None:
            return []
        # Days, seconds and levels have no halves: the middle is rounded down.
        half = width / 2 if kind == "numeric" else width // 2
        if kind == "date":
            unit = DAY / 86_400 if any("T" in cell for cell in case.cells[name]) else DAY
            low, high = middle - int(half) * unit, middle + int(width - half) * unit
        else:
            low, high = middle - half, middle + (width - half)
    return [] if low is None or high is None else [(low, high)]


def labels(text):
    """The labels of a set, or None."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    found, at, inner = [""], 0, text[1:-1]
    while at < len(inner):
        if inner[at] == "\\":
            at += 1
            found[-1] += inner[at] if at < len(inner) else ""
        elif inner[at] == "|":
            found.append("")
        else:
            found[-1] += inner[at]
        at += 1
    return found


def month(number):
    return datetime.datetime(number // 12, number % 12 + 1, 1)


MONTHS = {"month": (r"(\d{4})-(\d\d)", 1), "quarter": (r"(\d{4})-Q([1-4])", 3), "year": (r"(\d{4})()", 12), "decade": (r"(\d{3}0)s()", 120)}


def consecutive(case, name):
    """Whether values of a column follow each other, so that names may tell the last one: those of dates, and whole numbers."""
    if name not in case.known:
        said = case.said[name]
        if said["kind"] == "date":
            case.known[name] = True
            return True
        ends = {key: number(str(said[key])) for key in ("top", "bottom") if key in said}
        cells = (number(one) for one in case.cells[name] if one not in MISSING)
        # What lies in a band has no other name.
        cells = [one for one in cells if one < ends.get("top", one + 1) and one >= ends.get("bottom", one)]
        numbers = [*(number(str(one)) for one in [*said.get("levels", []), said.get("origin", 0)]), *ends.values(), *cells]
        case.known[name] = all(one.denominator == 1 for one in numbers)
    return case.known[name]


def parts(text, kind, closed):
    """Every part of a line that a name may stand for: its first value and the first one after it, none where it has no such end. A value is its own end."""
    if kind == "date":
        for pattern, wide in MONTHS.values():
            if match := re.fullmatch(pattern, text):
                first = int(match[1]) * 12 + (int(match[2] or 1) - 1) * wide
                return [(month(first), month(first + wide))]
        if match := re.fullmatch(r"(\d{4})-W(\d\d)", text):
            first = datetime.datetime.fromisocalendar(int(match[1]), int(match[2]), 1)
            return [(first, first + 7 * DAY)]
    value, unit = (moment, DAY) if kind == "date" else (number, 1)
    below, above = text.startswith("<"), text.endswith("+")
    if below or above:
        end = value(text[below:len(text) - above])
        return [] if end is None else [(None, end) if below else (end, None)]
    if value(text) is not None:
        return [(value(text), value(text)), *[(value(text), value(text) + unit)] * closed]
    half_open, found = text.startswith("[") and text.endswith(")"), []
    inner = text[1:-1] if half_open else text
    for at in range(1, len(inner)):
        for dots in [".."] if kind == "date" else ["..", "-"]:
            if inner.startswith(dots, at):
                low, high = value(inner[:at]), value(inner[at + len(dots):])
                if low is not None and high is not None and (half_open or closed):
                    found.append((low, high if half_open else high + unit))
    return found


def called(tree, value):
    """What a value of a tree is called on all levels, itself first, the root last. What lies in fewer groups is called as the widest on all levels up to it."""
    path, paths = tree.get(value, [value]), list(tree.values())
    return [value, *path, *path[-1:] * (max(map(len, paths)) - len(path)), *["*"] * (len({path[-1] for path in paths}) > 1)]


def names(case, name, original):
    """What a value of a column with levels is called on each of them, itself first: texts, or parts of the line. The last level is the star."""
    said = case.said[name]
    if name in case.trees:
        return called(case.trees[name], original)
    if said["kind"] == "prefix":
        # Where all codes are to have one length, there is no star.
        star = "*" * (said.get("level") == "auto" or len(set(allowed(case, name))) > 1)
        return [original, *(original[:n] + star if n <= len(original) else original for n in said["prefix"]), "*"]
    value, origin = VALUE[said["kind"]](original), number(str(said.get("origin", 0)))
    bottom, top = (VALUE[said["kind"]](said[key]) if key in said else None for key in ("bottom", "top"))
    widths = said.get("levels", [])
    if bottom is not None and value < bottom or top is not None and value >= top:
        return [(None, bottom) if top is None or value < top else (top, None)] * (1 + len(widths)) + ["*"]
    found = [(value, value)]
    for width in widths:
        if width in MONTHS:
            wide = MONTHS[width][1]
            first = (value.year * 12 + value.month - 1) // wide * wide
            low, end = month(first), month(first + wide)
        elif said["kind"] == "date":
            low = datetime.datetime(value.year, value.month, value.day) - DAY * (value.weekday() if width == "week" else 0)
            end = low + DAY * (7 if width == "week" else 1)
        else:
            width = number(str(width))
            low = (value - origin) // width * width + origin
            end = low + width
        found.append((low if bottom is None else max(low, bottom), end if top is None else min(end, top)))
    return [*found, "*"]


def has_levels(said):
    """Whether cells of a column are names. Sensitive and kept columns that are cut off have a single level: that of the values."""
    return said.get("kind") in ("prefix", "hierarchy") or "levels" in said or said["role"] != "quasi" and bool({"top", "bottom"} & set(said))


def stands(case, name, cell, original):
    """The levels on which a cell is what a value of the table is called."""
    key = name, cell, original
    if key in case.known:
        return case.known[key]
    said, missing = case.said[name], original.strip() in MISSING
    tree = [called(case.trees[name], leaf) for leaf in case.trees.get(name, [])]
    some = original if not missing else next(iter(case.trees.get(name, [])), {"numeric": "0", "date": "2020-01-01"}.get(said["kind"], ""))
    known = names(case, name, some)
    root = len(known) - 1
    # What everything is called says as much as a star.
    every = {"*", *(level[0] for level in zip(*tree) if len(set(level)) == 1)}
    if missing and cell in MISSING:
        # It is no part of what a level covers. Where all the others are stars it is one, unless there is no finer level.
        found = range(root + (known[root] != "*" or allowed(case, name)[0] >= root))
    elif missing or tree and original not in case.trees[name]:
        found = [] if cell not in every else [root] if missing else range(root + 1)
    else:
        read = parts(cell, said["kind"], consecutive(case, name)) if said["kind"] in TOP else []
        found = (at for at, own in enumerate(known) if own == cell or own in read or own in every and cell in every)
    return case.known.setdefault(key, frozenset(found))


def allowed(case, name):
    """The first and the last level that may be published."""
    said = case.said[name]
    rungs = said.get("prefix", said.get("levels"))
    level = said.get("level", "auto" if said["role"] == "quasi" else 0)
    first, last = (said.get(key) if level == "auto" else level for key in ("finest", "coarsest"))
    if isinstance(rungs, list):
        first, last = (rungs.index(end) + 1 if end in rungs else end for end in (first, last))
    return first or 0, math.inf if last is None else last


def may_be(case, name, cell, original):
    """Whether a cell is what a value is called on a level that is allowed. Where cells are only suppressed, a star is no level."""
    first, last = allowed(case, name)
    suppressed = cell == "*" and case.form == "stars" and case.said[name]["role"] == "quasi"
    return suppressed or any(first <= at <= last for at in stands(case, name, cell, original))


def covers(case, name, cells, original):
    """Whether what is published of a quasi-identifier covers a value of the table."""
    kind, missing = case.said[name]["kind"], original.strip() in MISSING
    cell = cells[0]
    if has_levels(case.said[name]):
        return may_be(case, name, cell, original)
    if len(cells) == 2 and cells in [("", ""), ("*", "*")]:
        return True
    if len(cells) == 1 and (cell == "*" or missing and cell in MISSING or cell == original and not {"top", "bottom"} & set(case.said[name])):
        return True
    if case.form == "stars":
        return not missing and kind in VALUE and reader(case.said[name])(cell) == reader(case.said[name], True)(original) is not None
    if kind in VALUE:
        value = reader(case.said[name], True)(original)
        return not missing and any(low <= value <= high for low, high in spans(case, name, cells))
    inside = labels(cell) or []
    return original in inside or missing and any(token in inside for token in MISSING)


def on_grid(case, name, cells):
    """Whether the ends of a published range are those of the grid that the policy asks for."""
    kind, step = case.said[name]["kind"], case.said[name].get("round", case.said[name].get("finest"))
    if has_levels(case.said[name]) or kind not in VALUE or step == "none" or step is None and not (case.blunt and kind != "ordinal"):
        return True
    if set(cells) <= {"*", *MISSING}:
        return True
    found = spans(case, name, cells)
    return any(low < high if step is None else starts_and_ends(kind, step, low, high) for low, high in found)


def starts_and_ends(kind, step, low, high):
    if kind == "ordinal":
        return low % 2 == 0 and (high % 2 == 1 or high == len(LEVELS) - 1)
    if kind == "numeric":
        step = number(step)
        ends = high % step == 0 or high.denominator == 1 and (high + 1) % step == 0
        return low < high and low % step == 0 and ends

    def begins(time):
        if (time.hour, time.minute, time.second) != (0, 0, 0):
            return False
        days = time.toordinal() - 1
        return {"week": time.weekday() == 0, "10 days": days % 10 == 0, "month": time.day == 1,
                "quarter": time.day == 1 and time.month % 3 == 1, "year": (time.day, time.month) == (1, 1)}[step]

    return low < high and begins(low) and (begins(high) or begins(high + DAY))


# ---- the check


def check(case, path):
    """Raises what is wrong with a release."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    header, rows = lines[0], lines[1:]
    if case.form == "codes":
        header, rows = spelled_out(case, header, rows, path.with_name("lookup.csv"))
    shown = published(case)
    kept = [n for n in case.columns if case.said[n]["role"] in ("keep", "sensitive", "count")]
    own = ["group_size", "group_radius"] if case.form == "centres" else []
    expected = sorted([c for names in shown.values() for c in names] + kept + own)
    if sorted(header) != expected:
        raise Wrong(f"columns {header}, expected {expected}")
    if any(len(row) != len(header) for row in rows):
        raise Wrong("a row has another number of cells")
    at = {name: header.index(name) for name in header}
    looks = [tuple(row[at[c]] for names in shown.values() for c in names) + tuple(row[at[c]] for c in own) for row in rows]
    of_row = pair(case, rows, at, kept, shown)
    withheld = set(range(case.rows)) - set(of_row)
    people = sum(case.people(row) for row in range(case.rows))
    allowed = math.floor(case.withhold * people + 1e-9)
    if sum(case.people(row) for row in withheld) > allowed or withheld and allowed == 0:
        raise Wrong(f"{len(withheld)} rows are missing, {allowed} people may be")
    groups = collections.defaultdict(list)
    for look, row in zip(looks, of_row):
        groups[look].append(row)
    for look, members in groups.items():
        size = sum(case.people(row) for row in members)
        if size < case.k:
            raise Wrong(f"a group of {size} people, k is {case.k}")
        if case.form == "centres" and size % int(look[-2]):
            raise Wrong(f"groups of {look[-2]} people have {size} rows")
        if "who" in case.cells and "ref" in case.cells and len({case.cells["who"][row] for row in members}) < case.k:
            raise Wrong(f"a group of fewer than {case.k} persons")
    for row in rows:
        for name, names in shown.items():
            if not on_grid(case, name, tuple(row[at[c]] for c in names)):
                raise Wrong(f"an end of {name} is not on its grid: {[row[at[c]] for c in names]}")
    said = "".join(file.read_text(encoding="utf-8") for file in (path, path.with_name("lookup.csv")) if file.exists())
    if told := [text for text in beyond(case) if re.search(rf"(?<!\d){text}(?!\d)", said)]:
        raise Wrong(f"values beyond top or bottom are told: {told}")
    if "ref" in case.cells:
        check_levels(case, {n: [tuple(row[at[c]] for c in shown[n]) for row in rows] for n in shown}, of_row, withheld)
    if "ill" in case.cells:
        check_models(case, groups, of_row)


def published(case):
    """The columns of the release that every quasi-identifier is published in."""
    two = {"bounds": ["{}_min", "{}_max"], "midpoint": ["{}", "{}_width"]}.get(case.form, ["{}"])
    return {n: [part.format(n) for part in (two if case.said[n]["kind"] in VALUE and not has_levels(case.said[n]) else ["{}"])] for n in case.quasi()}


def check_levels(case, cells, of_row, withheld):
    """Columns that are coded once for everybody: one level, equal cells for equal values, and nobody is withheld whose group is there."""
    def value_of(name, text):
        value = VALUE.get(case.said[name]["kind"], lambda text: None)(text)
        return "" if text in MISSING else text if value is None else value

    coded = {}
    for name, column in cells.items():
        said, blank = case.said[name], {"*", ""}
        if not case.alike and ("level" not in said or case.form == "stars" and said["level"] != "auto"):
            continue
        both = [(cell, case.cells[name][row]) for cell, row in zip(column, of_row)]
        if has_levels(said):
            levels = [stands(case, name, cell[0], original) for cell, original in both]
            if levels and not frozenset.intersection(*levels):
                raise Wrong(f"{name} is on several levels: {sorted(set(column))}")
        elif not {"round", "finest"} & set(said) and not case.blunt and not all(set(cell) <= blank for cell in column):
            for cell, original in both:
                single = cell[0] == original or said["kind"] in VALUE and any(low == high for low, high in spans(case, name, cell))
                if original not in MISSING and (not single or set(cell) <= blank):
                    raise Wrong(f"{name} is neither published as it is nor suppressed: {cell}")
        coded[name] = {}
        for cell, original in both:
            known = coded[name].setdefault(value_of(name, original), cell)
            if [value_of(name, part) for part in known] != [value_of(name, part) for part in cell]:
                raise Wrong(f"equal values of {name} have the cells {known} and {cell}")
    if case.alike:
        looks = set(zip(*([coded[n][value_of(n, case.cells[n][row])] for row in of_row] for n in cells)))
        for row in withheld:
            if tuple(coded[n].get(value_of(n, case.cells[n][row])) for n in cells) in looks:
                raise Wrong(f"row {row} is withheld, and its group is not")


def beyond(case):
    """The values of the table that lie beyond top or bottom, and are like no others."""
    return {cell for cells in case.cells.values() for cell in cells if cell.partition("T")[0] in BEYOND}


def check_beside(case, release, header, rows):
    """Parquet or Arrow beside the CSV, and the report, have no text of the table that the CSV has not."""
    folder, every = release.parent, {cell for cells in case.cells.values() for cell in cells}
    said = "".join((folder / name).read_text(encoding="utf-8") for name in ("release.csv", "lookup.csv") if (folder / name).exists())
    texts = {text for text in every if len(text) > 4 and re.search(r"\d", text) and text not in said}
    content = release.read_bytes()
    found = [text for text in texts if any(trace in content for trace in (traces(text) if text in beyond(case) else [text.encode()]))]
    for name in ("report.html", "report.json"):
        if (folder / name).exists():
            words = re.split(r"[^\w.:-]+|\.\.", (folder / name).read_text(encoding="utf-8"))
            found += texts.intersection([*words, *(word.rstrip(".:") for word in words)])
    if found:
        raise Wrong(f"{release.name} or the report tells {sorted(found)[:3]}")
    if pyarrow:
        check_columns(release, header, rows)


def traces(text):
    """The bytes by which a value that is like no other would be told, even if compression cuts it somewhere."""
    found = [text[at:at + 5].encode() for at in range(min(3, len(text) - 4))]
    if number(text) is None:
        return [*found, struct.pack("<i", (moment(text) - datetime.datetime(1970, 1, 1)).days)]
    return [*found, struct.pack("<i", int(text)), struct.pack("<d", int(text))[-5:]]


def check_columns(release, header, rows):
    """All that a columnar file holds, read by pyarrow, is what the CSV says."""
    parquet = release.suffix == ".parquet"
    table = pyarrow.parquet.read_table(release) if parquet else pyarrow.ipc.open_file(release).read_all()
    if table.column_names != header or table.num_rows != len(rows):
        raise Wrong(f"{release.name} has {table.num_rows} rows of {table.column_names}")

    def alike(value, cell):
        if isinstance(value, datetime.date):
            return moment(cell) == moment(str(value))
        return cell == "" if value is None else cell == value if isinstance(value, str) else number(cell) == number(str(value))

    for at, name in enumerate(header):
        cells = [row[at] for row in rows]
        if not all(map(alike, table[name].to_pylist(), cells)):
            raise Wrong(f"{release.name} has other cells in {name}")
        held = [value for chunk in table[name].chunks if hasattr(chunk, "dictionary") for value in chunk.dictionary.to_pylist()]
        if parquet:
            meta = pyarrow.parquet.ParquetFile(release).metadata
            every = [meta.row_group(part).column(at).statistics for part in range(meta.num_row_groups)]
            held += [end for statistics in every if statistics and statistics.has_min_max for end in (statistics.min, statistics.max)]
        if not all(any(alike(value, cell) for cell in cells) for value in held):
            raise Wrong(f"{release.name} holds values of {name} that no row has")


def spelled_out(case, header, rows, lookup):
    """A release of codes with the cells that its labels stand for."""
    with open(lookup, newline="", encoding="utf-8") as file:
        names, *lines = list(csv.reader(file))
    if "group" not in header or sorted(names) != sorted(["group", *case.quasi()]):
        raise Wrong(f"a release of codes with columns {header} and {names}")
    at, own = header.index("group"), names.index("group")
    cells = {line[own]: line[:own] + line[own + 1:] for line in lines}
    try:
        rows = [cells[row[at]] + row[:at] + row[at + 1:] for row in rows]
    except KeyError:
        raise Wrong("a label that the lookup does not have") from None
    return names[:own] + names[own + 1:] + header[:at] + header[at + 1:], rows


def is_kept(case, name, cell, original):
    """Whether an unchanged column has this cell: as it is, or on its level."""
    return may_be(case, name, cell, original) if has_levels(case.said[name]) and original not in MISSING else cell == original


def pair(case, rows, at, kept, shown):
    """The row of the table that every published row is: by its reference, or by a matching."""
    def fits(row, original):
        if not all(is_kept(case, name, row[at[name]], case.cells[name][original]) for name in kept):
            return False
        if case.form == "centres":
            return True
        return all(covers(case, n, tuple(row[at[c]] for c in names), case.cells[n][original]) for n, names in shown.items())

    if "ref" in case.cells:
        of_row = [int(row[at["ref"]][1:]) for row in rows]
        if len(set(of_row)) < len(of_row):
            raise Wrong("a row is published twice")
        for row, original in zip(rows, of_row):
            if not fits(row, original):
                raise Wrong(f"a published row is not true of row {original}: {row}")
        return of_row
    edges = [[original for original in range(case.rows) if fits(row, original)] for row in rows]
    taken = {}

    def place(row, seen):
        for original in edges[row]:
            if original not in seen:
                seen.add(original)
                if original not in taken or place(taken[original], seen):
                    taken[original] = row
                    return True
        return False

    for row in range(len(rows)):
        if not place(row, set()):
            raise Wrong(f"published row {row} is no row of the table: {rows[row]}")
    return [original for original, _ in sorted(taken.items(), key=lambda item: item[1])]


def check_models(case, groups, of_row):
    """The privacy models of the sensitive column. Without a reference, values are those of the paired rows, which are equal."""
    said = case.said["ill"]

    def value(row):
        """What is published of a row."""
        cell = case.cells["ill"][row]
        if cell in MISSING:
            return ""
        if not has_levels(said):
            # Numbers and dates are one value however they are spelled.
            return (VALUE[said["kind"]](cell),) * 2 if said.get("kind") in VALUE else cell
        return "*" if cell not in case.trees.get("ill", [cell]) else names(case, "ill", cell)[allowed(case, "ill")[0]]

    def shares(members):
        counts = collections.Counter()
        for row in members:
            counts[value(row)] += case.people(row)
        return +counts, sum(counts.values())

    whole, everybody = shares(of_row)
    for members in groups.values():
        counts, size = shares(members)
        known = sorted((n for value, n in counts.items() if value), reverse=True)
        diversity = said.get("diversity")
        if isinstance(diversity, int) and len(known) < diversity:
            raise Wrong(f"{len(known)} distinct values, {diversity} asked")
        if isinstance(diversity, dict) and "entropy" in diversity:
            entropy = -sum(n / sum(known) * math.log(n / sum(known)) for n in known)
            if math.exp(entropy) < diversity["entropy"] - 1e-9:
                raise Wrong("too little entropy")
        if isinstance(diversity, dict) and "recursive" in diversity:
            c, l = diversity["recursive"]
            if not (known and known[0] < c * sum(known[l - 1:])):
                raise Wrong("not recursively diverse")
        q = {value: counts[value] / size for value in whole}
        p = {value: n / everybody for value, n in whole.items()}
        if isinstance(said.get("closeness"), dict):
            # What has no low end comes first, what is missing last.
            order = sorted(p, key=lambda part: (1, 0, 0) if part == "" else (0, part[0] is not None, part[0] or 0))
            steps = [sum(q[v] - p[v] for v in order[:at]) for at in range(1, len(order))]
            if steps and sum(map(abs, steps)) / len(steps) > said["closeness"]["t"] + 1e-9:
                raise Wrong("not close in order")
        elif "closeness" in said and sum(abs(q[v] - p[v]) for v in p) / 2 > said["closeness"] + 1e-9:
            raise Wrong("not close")
        if "likeness" in said and any((q[v] - p[v]) / p[v] > said["likeness"] + 1e-9 for v in p):
            raise Wrong("not like")
        if "disclosure" in said and any(q[v] == 0 or abs(math.log(q[v] / p[v])) >= said["disclosure"] + 1e-9 for v in p):
            raise Wrong("disclosed")


def overlooks(case, path):
    """A fault that the check does not see when it is planted in a good release, or None: who checks is checked, too."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    first = case.quasi()[0]
    cell = next(lines[0].index(name) for name in (first, f"{first}_min", "group") if name in lines[0])
    faults = {"an untrue cell": [lines[0], [*lines[1][:cell], "no such value", *lines[1][cell + 1:]], *lines[2:]]}
    if case.withhold == 0:
        faults["a lost row"] = lines[:-1]
    faults["a column too many"] = [[*line, "x"] for line in lines]
    for name in case.quasi() if case.form in ("ranges", "bounds", "midpoint") else []:
        if not has_levels(case.said[name]):
            continue
        at = lines[0].index(name)
        some = [line[at] for line in lines[1:] if all(stands(case, name, line[at], cell) & stands(case, name, "*", cell) == set() for cell in case.cells[name])]
        starred = [[*line[:at], "*", *line[at + 1:]] for line in lines]
        if some and not any(may_be(case, name, "*", cell) for cell in case.cells[name]):
            faults["cells that are too coarse"] = [lines[0], *starred[1:]]
        if some and len(set(some)) > 1 and (case.alike or "level" in case.said[name]) and "ref" in case.cells:
            faults["cells on two levels"] = [starred[n] if line[at] == some[0] else line for n, line in enumerate(lines)]
    for fault, changed in faults.items():
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(changed)
        try:
            check(case, path)
            return fault
        except Wrong:
            pass
    return None


# ---- after an earlier release


def shown_in(case, path):
    """What a release says of every row: its quasi-identifiers, and its unchanged cell."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    names = published(case)
    at = {name: header.index(name) for name in header}
    cells = [{n: tuple(row[at[part]] for part in parts) for n, parts in names.items()} for row in rows]
    return [(look, row[at["ill"]] if "ill" in at else "") for look, row in zip(cells, rows)]


def explained(people, withheld, old, new, fits):
    """For everybody the pairs of an old and a new row that may be theirs, were there not others who need them: in some way in which the files can have come
    about everybody has an old row of their own, everybody but those who are withheld a new one, the cells cover them, and the unchanged cells of both rows are
    the same. All ways are tried; rows that look alike are one kind of row."""
    kinds = [collections.Counter((tuple(look.items()), unchanged) for look, unchanged in rows) for rows in (old, new)]
    mine = {p: [[(o, n) for o in kinds[0] if fits(p, o) for n in kinds[1] if o[1] == n[1] and fits(p, n)], [o for o in kinds[0] if fits(p, o)]] for p in people}

    def steps(at, left):
        """The ways to give rows to a person: which, and what is left then of both files, and of those who may be withheld."""
        pairs, alone = mine[people[at]]
        for o, n in [*pairs, *((o, None) for o in alone)]:
            olds, news, out = left
            if dict(olds)[o] and (dict(news)[n] if n else out):
                yield (o, n), (take(olds, o), take(news, n), out - (n is None))

    def take(rows, row):
        return tuple((kind, count - (kind == row)) for kind, count in rows)

    @functools.lru_cache(maxsize=None)
    def possible(at, left):
        return at == len(people) or any(possible(at + 1, then) for _, then in steps(at, left))

    found, before = {}, {(*(tuple(rows.items()) for rows in kinds), withheld)}
    for at, person in enumerate(people):
        taken = [(pair, then) for left in before for pair, then in steps(at, left) if possible(at + 1, then)]
        found[person] = {pair for pair, _ in taken if pair[1]}
        before = {then for _, then in taken}
    return {p: [sum(rows[kind] for kind in {pair[side] for pair in pairs}) for side, rows in enumerate(kinds)] for p, pairs in found.items()}


def check_candidates(case, people, published, old, new):
    """Everybody who is in the new release keeps k rows of either release, for a reader who knows everybody's quasi-identifiers and that nobody is new."""
    @functools.lru_cache(maxsize=None)
    def fits(person, row):
        return all(covers(case, n, cells, case.cells[n][person]) for n, cells in row[0])

    found = explained(people, len(people) - len(new), old, new, fits)
    for person in published:
        if min(found[person]) < case.k:
            raise Wrong(f"row {person} is one of {found[person][0]} old rows and of {found[person][1]} new rows, k is {case.k}")


def groups_in(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [line[-1] for line in list(csv.reader(file))[1:]]


def overlaid(number, kinfold, solvers, keep, refuse=True):
    """An earlier release of most of the same people, and a new one that refuses intersections below k. Without that, the check should find some."""
    case = Case(number, solvers, tiny=True)
    dice = case.dice
    with tempfile.TemporaryDirectory(prefix="kinfold-random-") as temporary:
        folder = pathlib.Path(keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        case.write(folder)
        with open(folder / "table.csv", newline="", encoding="utf-8") as file:
            header, *lines = list(csv.reader(file))

        def table(name, rows):
            with open(folder / name, "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([header, *(lines[row] for row in rows)])

        def run(name, *more):
            command = [kinfold, "anonymize", folder / f"{name}.csv", "--policy", folder / "policy.toml", "-o", folder / f"{name}_release.csv", "--groups",
                       folder / f"{name}_groups.csv", "--force", "--quiet", "--threads", "1", "--effort", "quick", *more]
            return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

        everybody = list(range(case.rows))
        mode = dice.choice(["cells", "cells", "rows", "key"])
        # By cells, people may have gone; by a key, some may be new, too.
        gone = dice.sample(everybody, dice.choice([0, 0, 1])) if mode != "rows" else []
        new_ones = dice.sample(everybody, dice.choice([0, 1, 2])) if mode == "key" else []
        before, after = [row for row in everybody if row not in new_ones], [row for row in everybody if row not in gone]
        table("old.csv", before)
        table("new.csv", after)
        # Other weights make other groups.
        weights = [part for name in case.quasi() for part in ("--set", f"columns.{name}.weight = {dice.choice([0.1, 1, 10])}")]
        first = run("old", "--seed", str(case.seed), "-k", str(case.k * dice.choice([1, 1, 2])), *weights)
        if first.returncode:
            return "declined", first.stderr.strip().splitlines()[0]
        old_groups = groups_in(folder / "old_groups.csv")
        more = ["--after", folder / "old_release.csv", "--seed", str(case.seed + 1), *(["--refuse"] if refuse else []), *(["--solver", case.solver] if dice.random() < 0.3 else [])]
        if mode == "key":
            lines_of = [f"{case.cells['id'][row]},{group}" for row, group in zip(before, old_groups)]
            (folder / "old_groups.csv").write_text("\n".join(["id,group", *lines_of]) + "\n")
        if mode != "cells":
            more += ["--after-groups", folder / "old_groups.csv"]
        second = run("new", *more)
        if second.returncode == 2 and not re.search(f"{BROKEN}|belong", second.stderr):
            return "declined", second.stderr.strip().splitlines()[0]
        if second.returncode:
            return "wrong", f"exit code {second.returncode}: {first_lines(second)}"
        new_groups = dict(zip(after, groups_in(folder / "new_groups.csv")))
        try:
            if mode == "cells":
                check_candidates(case, after, [row for row in after if new_groups[row]], shown_in(case, folder / "old_release.csv"), shown_in(case, folder / "new_release.csv"))
            else:
                was = dict(zip(before, old_groups))
                classes = collections.Counter((was.get(row, ""), group) for row, group in new_groups.items() if group)
                if any(size < case.k for size in classes.values()):
                    raise Wrong(f"a true intersection of {min(classes.values())}, k is {case.k}")
        except Wrong as wrong:
            return "wrong", f"{mode}, {case.objective}, {case.form}: {wrong}"
        return "good", ""


# ---- running


def first_lines(done):
    return " ".join(done.stderr.split("stack backtrace")[0].split("\n")[:3])


BROKEN = "panicked|verifier|refused the release|bug|invalid answer|internal"


def one(number, kinfold, solvers, keep):
    """Runs one case: its outcome, and what is wrong with it."""
    if number % 50 == 3:
        # Who checks is checked, too: without --refuse there is something to be found now and then.
        outcome, why = overlaid(number, kinfold, solvers, keep, refuse=False)
        return ("found" if re.search("is one of|true intersection", why) else outcome), why
    if number % 5 == 3:
        return overlaid(number, kinfold, solvers, keep)
    case = Case(number, solvers)
    with tempfile.TemporaryDirectory(prefix="kinfold-random-") as temporary:
        folder = pathlib.Path(keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        case.write(folder)
        release = folder / "release.csv"
        command = [kinfold, "anonymize", folder / "table.csv", "--policy", folder / "policy.toml", "-o", release, "--force", "--quiet",
                   *(["--lookup", folder / "lookup.csv"] if case.form == "codes" else []), "--solver", case.solver, "--effort", case.effort, "--bound", case.bound, "--seed", str(case.seed), "--threads", "1",
                   # Solvers that look for a proof would go on for minutes.
                   *([] if case.beside else ["--time-limit", "2s"])]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return "hang", f"no answer in 300 s with {case.solver}"
        if done.returncode == 2:
            broken = re.search(BROKEN, done.stderr)
            if broken or release.exists():
                return "wrong", f"{case.solver}: {first_lines(done)}"
            return "declined", done.stderr.strip().splitlines()[0] if done.stderr.strip() else "without a word"
        if done.returncode != 0:
            return "wrong", f"{case.solver}: exit code {done.returncode}: {first_lines(done)}"
        try:
            check(case, release)
            if case.beside:
                with open(release, newline="", encoding="utf-8") as file:
                    header, *rows = list(csv.reader(file))
                beside = folder / f"release.{case.beside}"
                more = ["--report", folder / "report.html", "--report-json"] if number % 2 else []
                done = subprocess.run([beside if part == release else part for part in command] + more, capture_output=True, text=True, timeout=300, check=False)
                if done.returncode:
                    raise Wrong(f"{case.beside} {'and report' * bool(more)}: exit code {done.returncode}: {first_lines(done)}")
                check_beside(case, beside, header, rows)
        except Wrong as wrong:
            return "wrong", f"{case.solver}, {case.objective}, {case.form}: {wrong}"
        if number % 20 == 0:
            verify = [kinfold, "verify", release, "--policy", folder / "policy.toml", "--original", folder / "table.csv"]
            verify += ["--lookup", folder / "lookup.csv"] if case.form == "codes" else []
            verdict = subprocess.run(verify, capture_output=True, text=True, timeout=300, check=False)
            if verdict.returncode != 0:
                return "wrong", f"kinfold verify says {verdict.stdout.strip()} {verdict.stderr.strip()}"
        if number % 10 == 0 and (fault := overlooks(case, release)):
            return "wrong", f"the check itself does not see {fault}"
        return "good", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1, help="number of the first run")
    parser.add_argument("--kinfold", default="target/release/kinfold")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="folder for the files of a single run")
    args = parser.parse_args()
    if not pathlib.Path(args.kinfold).exists():
        sys.exit(f"there is no {args.kinfold}: build it with cargo build --release --locked, or name it with --kinfold")
    kinfold = str(pathlib.Path(args.kinfold).resolve())
    solvers = json.loads(subprocess.run([kinfold, "solvers", "--json"], capture_output=True, text=True, check=True).stdout)
    outcomes, reasons = collections.Counter(), collections.Counter()
    numbers = range(args.first, args.first + args.runs)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for number, (outcome, why) in zip(numbers, pool.map(lambda n: one(n, kinfold, solvers, args.keep), numbers)):
            outcomes[outcome] += 1
            if outcome == "declined":
                reasons[re.sub(r'"[^"]*"|\d+', "…", why)] += 1
            elif outcome not in ("good", "found"):
                print(f"run {number}: {why}", flush=True)
    for reason, times in reasons.most_common(20):
        print(f"{times:6} declined: {reason}")
    bad = outcomes["wrong"] + outcomes["hang"]
    print(f"{args.runs} runs: {outcomes['good']} releases checked, {outcomes['declined']} declined, {bad} wrong; of intersections that were not refused, "
          f"{outcomes['found']} leave fewer than k")
    # A check that checks little is none.
    if bad or args.runs >= 100 and outcomes["good"] < args.runs * 0.6 or args.runs >= 2_000 and not outcomes["found"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
