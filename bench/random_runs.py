#!/usr/bin/env python3
"""Anonymizes random tables under random policies, and checks every release by code of its own.

    cargo build --release --locked && python3 bench/random_runs.py --runs 10000

Nothing here comes from kinfold but the release: cells are read, groups counted, models computed and rows compared with the
original in plain Python, from the documentation. A run ends in a release or in a message and exit code 2. A release must be

- complete: the columns that the policy publishes and no others; every row once, but for as many people as may be withheld;
- k-anonymous: every published combination of quasi-identifiers stands for k people (and k persons);
- true: every cell covers the value that it stands for, and unchanged columns are unchanged;
- as private as asked: the privacy models hold in every group, and rounded ends lie on their grid;
- if it keeps k people in every intersection with an earlier release (one run in five, on tables of at most nine rows): all explanations of both releases are
  looked for, and everybody keeps k rows of either in them; with the groups file, the true groups are counted.

Needs python3 and nothing else. Run number N is the same whatever the others are: --first N --runs 1 repeats it, --keep FOLDER keeps its files.
"""
import argparse
import collections
import concurrent.futures
import csv
import datetime
import decimal
import fractions
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

if sys.version_info < (3, 8):
    sys.exit("random_runs.py needs python3.8 or later")

MISSING = ["", "NA"]
LEVELS = ["low", "middle", "high", "top", "peak"]
TREE = {"oak": ["broadleaf", "*"], "beech": ["broadleaf", "*"], "lime": ["broadleaf", "*"], "fir": ["conifer", "*"],
        "pine": ["conifer", "*"], "palm": ["palm trees", "*"]}
LABELS = ["red", "green", "blue", "a|b", "{c}", "x,y", 'quo"te', "back\\slash", "two words", "ünï", "[1-2]", "Z"]
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
        self.columns, self.cells, self.said = [], {}, {}
        self.add_quasi(clusters)
        if tiny:
            self.add("id", [f"r{row}" for row in range(self.rows)], role="drop")
            if dice.random() < 0.5:
                self.add("ill", dice.choices(["flu", "gout"], k=self.rows), role="sensitive")
        else:
            self.add_others(clusters)
        able = [s for s in solvers if self.objective in s["objectives"]]
        chosen = dice.choice(able) if dice.random() < 0.7 else able[0]
        self.solver = chosen["key"]
        for setting in chosen["settings"]:
            if dice.random() < 0.3:
                self.solver += f":{setting['key']}={dice.choice(setting['values'])}"
        self.effort = dice.choice(["quick", "quick", "normal"])
        self.bound = dice.choice(["none", "quick"])
        self.seed = dice.randrange(1000)

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
            kind = dice.choice(kinds)
            said = {"role": "quasi", "kind": kind}
            cells = getattr(self, kind)()
            if self.objective not in ("sse", "group-size") and dice.random() < 0.35:
                cells = [dice.choice(MISSING) if dice.random() < 0.15 else cell for cell in cells]
            if dice.random() < 0.2:
                said["weight"] = dice.choice([0.5, 2, 3])
            if kind == "numeric" and not clusters and dice.random() < 0.2:
                said["domain"] = [-200, 200]
            if self.spans and kind in STEPS and dice.random() < 0.25:
                said["round"] = dice.choice(STEPS[kind] + ["none"])
            if kind == "numeric" and self.objective in ("ncp", "stars") and "round" not in said and dice.random() < 0.4:
                said.update(self.levels())
            if kind == "ordinal":
                said["order"] = LEVELS
            if kind == "hierarchy":
                said["hierarchy"] = "trees.csv"
            self.add(f"q{number}", cells, **said)

    def levels(self):
        """Nested intervals, and which of them may be published."""
        dice = self.dice
        widths = dice.choice([[5], [5, 10], [2, 10, 20]])
        said = {"levels": widths}
        choice = dice.choice(["", "finest", "finest", "coarsest", "both", "level"])
        first = dice.randrange(len(widths))
        if choice in ("finest", "both"):
            said["finest"] = widths[first]
        if choice in ("coarsest", "both"):
            said["coarsest"] = dice.choice(widths[first:])
        if choice == "level":
            said["level"] = widths[first]
        if dice.random() < 0.4:
            said["top"] = dice.choice([4, 8, 20])
        if dice.random() < 0.3:
            said["bottom"] = dice.choice([-4, 0, 2])
        return said

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
            self.add("ref", [f"r{row}" for row in range(self.rows)], role="keep", acknowledge=True)
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
            self.add("ill", dice.choices(ills, k=self.rows), **said)
        for name, role in [("name", "identifier"), ("note", "keep"), ("junk", "drop")]:
            if dice.random() < 0.3:
                self.add(name, dice.choices(["u", "v", "", "w,x", "y\nz"], k=self.rows), role=role)

    def policy(self):
        lines = [f"k = {self.k}", f'objective = "{self.objective}"', f'form = "{self.form}"', f"withhold = {self.withhold}",
                 f"missing = {json.dumps(MISSING)}"]
        lines += ["blunt = true"] * self.blunt
        for name in self.columns:
            lines.append(f"[columns.{name}]")
            lines += [f"{key} = {toml(value)}" for key, value in self.said[name].items()]
        return "\n".join(lines) + "\n"

    def write(self, folder):
        with open(folder / "table.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(zip(*(self.cells[name] for name in self.columns)))
        (folder / "policy.toml").write_text(self.policy(), encoding="utf-8")
        (folder / "trees.csv").write_text("".join(";".join([leaf, *up]) + "\n" for leaf, up in TREE.items()))

    def people(self, row):
        return int(self.cells["people"][row]) if "people" in self.cells else 1

    def quasi(self):
        return [name for name in self.columns if self.said[name]["role"] == "quasi"]


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
    value = VALUE[kind]
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


def interval(text):
    """The first value of a named interval and the first one after it; None where it has no such end."""
    if text.endswith("+") and number(text[:-1]) is not None:
        return number(text[:-1]), None
    if text.startswith("<") and number(text[1:]) is not None:
        return None, number(text[1:])
    half_open = text.startswith("[") and text.endswith(")")
    inner = text[1:-1] if half_open else text
    for at in range(1, len(inner)):
        for between in ["..", "-"]:
            if inner.startswith(between, at):
                low, high = number(inner[:at]), number(inner[at + len(between):])
                if low is not None and high is not None:
                    return low, high if half_open else high + 1
    return None


def on_level(case, name, cell):
    """Whether a cell of a column with levels stands on one of those that are allowed."""
    said = case.said[name]
    widths, top, bottom = said["levels"], said.get("top"), said.get("bottom")
    finest, coarsest = said.get("level", said.get("finest")), said.get("level", said.get("coarsest"))
    if cell in MISSING:
        return True
    if cell == "*":
        return coarsest is None or case.form == "stars"
    value, found = number(cell), interval(cell)
    if value is not None and found is None:
        return finest is None and (top is None or value < top) and (bottom is None or value >= bottom)
    if found is None:
        return False
    low, end = found
    if low is None or end is None:
        return end == bottom if low is None else low == top
    for width in widths:
        start = low // width * width
        ends = (start if bottom is None else max(start, bottom), start + width if top is None else min(start + width, top))
        if ends == (low, end) and (finest is None or width >= finest) and (coarsest is None or width <= coarsest):
            return True
    return False


def covers(case, name, cells, original):
    """Whether what is published of a quasi-identifier covers a value of the table."""
    kind, missing = case.said[name]["kind"], original.strip() in MISSING
    cell = cells[0]
    if "levels" in case.said[name] and not missing and interval(cell) is not None:
        low, end = interval(cell)
        return (low is None or low <= number(original)) and (end is None or number(original) < end)
    if len(cells) == 2 and cells in [("", ""), ("*", "*")]:
        return True
    if len(cells) == 1 and (cell == original or cell == "*" or missing and cell in MISSING):
        return True
    if case.form == "stars":
        return not missing and kind in VALUE and VALUE[kind](cell) is not None and VALUE[kind](cell) == VALUE[kind](original)
    if kind in VALUE:
        value = VALUE[kind](original)
        return not missing and any(low <= value <= high for low, high in spans(case, name, cells))
    if kind == "category":
        inside = labels(cell) or []
        return original in inside or missing and any(token in inside for token in MISSING)
    return cell in TREE.get(original, [])


def on_grid(case, name, cells):
    """Whether the ends of a published range are those of the grid that the policy asks for."""
    kind, step = case.said[name]["kind"], case.said[name].get("round")
    if "levels" in case.said[name]:
        return on_level(case, name, cells[0])
    if kind not in VALUE or step == "none" or step is None and not (case.blunt and kind != "ordinal"):
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
    shown = {name: [name] for name in case.quasi()}
    if case.form == "codes":
        header, rows = spelled_out(case, header, rows, path.with_name("lookup.csv"))
    second = {"bounds": ["{}_min", "{}_max"], "midpoint": ["{}", "{}_width"]}.get(case.form)
    if second:
        shown.update({n: [name.format(n) for name in second] for n in shown
                      if case.said[n]["kind"] in VALUE and "levels" not in case.said[n]})
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
    if "ill" in case.cells:
        check_models(case, groups, of_row)


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


def pair(case, rows, at, kept, shown):
    """The row of the table that every published row is: by its reference, or by a matching."""
    def fits(row, original):
        if any(row[at[name]] != case.cells[name][original] for name in kept):
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

    def shares(members):
        counts = collections.Counter()
        for row in members:
            cell = case.cells["ill"][row]
            counts["" if cell in MISSING else cell] += case.people(row)
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
        if "closeness" in said and sum(abs(q[v] - p[v]) for v in p) / 2 > said["closeness"] + 1e-9:
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
    second = {"bounds": ["{}_min", "{}_max"], "midpoint": ["{}", "{}_width"]}.get(case.form)
    double = {n for n in case.quasi() if second and case.said[n]["kind"] in VALUE and "levels" not in case.said[n]}
    names = {n: [part.format(n) for part in second] if n in double else [n] for n in case.quasi()}
    at = {name: header.index(name) for name in header}
    cells = [{n: tuple(row[at[part]] for part in parts) for n, parts in names.items()} for row in rows]
    return [(look, row[at["ill"]] if "ill" in at else "") for look, row in zip(cells, rows)]


def explained(people, withheld, old, new, fits_old, fits_new, person, old_row, new_row):
    """Whether the files could have come about so that this person has these two rows: everybody has an old row of their own, everybody but those who are
    withheld a new one, the cells cover them, and the unchanged cells of both rows are the same. Tries all ways."""
    order = [person] + [other for other in people if other != person]

    def go(at, used_old, used_new, left_out):
        if at == len(order):
            return True
        one = order[at]
        for o in [old_row] if at == 0 else fits_old[one]:
            if used_old >> o & 1:
                continue
            for n in [new_row] if at == 0 else fits_new[one]:
                if not used_new >> n & 1 and old[o][1] == new[n][1] and go(at + 1, used_old | 1 << o, used_new | 1 << n, left_out):
                    return True
            if at > 0 and left_out < withheld and go(at + 1, used_old | 1 << o, used_new, left_out + 1):
                return True
        return False

    return go(0, 0, 0, 0)


def check_candidates(case, people, published, old, new):
    """Everybody who is in the new release keeps k rows of either release, for a reader who knows everybody's quasi-identifiers and that nobody is new."""
    def fitting(rows):
        return {p: [at for at, (look, _) in enumerate(rows) if all(covers(case, n, cells, case.cells[n][p]) for n, cells in look.items())] for p in people}

    fits_old, fits_new = fitting(old), fitting(new)
    withheld = len(people) - len(new)
    for person in published:
        pairs = [(o, n) for o in fits_old[person] for n in fits_new[person] if old[o][1] == new[n][1]
                 and explained(people, withheld, old, new, fits_old, fits_new, person, o, n)]
        if min(len({o for o, _ in pairs}), len({n for _, n in pairs})) < case.k:
            raise Wrong(f"row {person} is one of {len({o for o, _ in pairs})} old rows and of {len({n for _, n in pairs})} new rows, k is {case.k}")


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
            return subprocess.run(command, capture_output=True, text=True, timeout=300)

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
        if second.returncode == 2 and not re.search("panicked|verifier|refused the release|bug|belong", second.stderr):
            return "declined", second.stderr.strip().splitlines()[0]
        if second.returncode:
            return "wrong", f"exit code {second.returncode}: {second.stderr.strip()}"
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
                   "--time-limit", "2s"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "hang", f"no answer in 300 s with {case.solver}"
        if done.returncode == 2:
            broken = re.search("panicked|verifier|refused the release|bug", done.stderr)
            if broken or release.exists():
                return "wrong", f"{case.solver}: {done.stderr.strip()}"
            return "declined", done.stderr.strip().splitlines()[0] if done.stderr.strip() else "without a word"
        if done.returncode != 0:
            return "wrong", f"{case.solver}: exit code {done.returncode}: {done.stderr.strip()}"
        try:
            check(case, release)
        except Wrong as wrong:
            return "wrong", f"{case.solver}, {case.objective}, {case.form}: {wrong}"
        if number % 20 == 0:
            verify = [kinfold, "verify", release, "--policy", folder / "policy.toml", "--original", folder / "table.csv"]
            verify += ["--lookup", folder / "lookup.csv"] if case.form == "codes" else []
            verdict = subprocess.run(verify, capture_output=True, text=True, timeout=300)
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
    for reason, times in reasons.most_common(12):
        print(f"{times:6} declined: {reason}")
    bad = outcomes["wrong"] + outcomes["hang"]
    print(f"{args.runs} runs: {outcomes['good']} releases checked, {outcomes['declined']} declined, {bad} wrong; of intersections that were not refused, "
          f"{outcomes['found']} leave fewer than k")
    # A check that checks little is none.
    if bad or args.runs >= 100 and outcomes["good"] < args.runs * 0.6 or args.runs >= 2_000 and not outcomes["found"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
