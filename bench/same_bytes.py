#!/usr/bin/env python3
"""Compares the releases of two builds byte for byte: what a change that should change nothing has changed.

    python3 bench/same_bytes.py OLD/kinfold target/release/kinfold
    python3 bench/same_bytes.py OLD/kinfold target/release/kinfold --runs 500

Runs the named policies below on made-up tables of 2,000 rows, over all kinds, objectives, forms, models and file formats, then
every table and policy of testdata/cases, then random ones (those of random_runs.py). Settings are in policy files, which both builds read; a
build that declines must decline in both. Prints what differs, and exits with 1 if anything does. Losses and bounds are compared, too.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import tomllib

import random_runs

ROWS = 2000
QUASI = """
[columns]
age = { role = "quasi", kind = "numeric" }
job = { role = "quasi", kind = "category" }
zip = { role = "quasi", kind = "prefix", prefix = [3, 1] }
seen = { role = "quasi", kind = "date" }
tree = { role = "quasi", kind = "hierarchy", hierarchy = "trees.csv" }
size = { role = "quasi", kind = "ordinal", order = ["low", "middle", "high", "top", "peak"] }
ill = { role = "sensitive" }
id = { role = "drop" }
who = { role = "drop" }
lat = { role = "drop" }
lon = { role = "drop" }
place = { role = "drop" }
pay = { role = "drop" }
people = { role = "drop" }
"""


def roles(**changed):
    """The roles above, with other lines for some columns."""
    lines = []
    for line in QUASI.strip().splitlines():
        name = line.split(" = ")[0]
        lines.append(f"{name} = {changed[name]}" if name in changed else line)
    return "\n".join(lines) + "\n"


DROP = '{ role = "drop" }'
NUMBERS = dict(job=DROP, zip=DROP, seen=DROP, tree=DROP, size=DROP, pay='{ role = "quasi", kind = "numeric" }')
ONLY = dict(age=DROP, job=DROP, zip=DROP, seen=DROP, tree=DROP, size=DROP)
REGIONS = {**ONLY, "place": '{ role = "quasi", regions = "edges.csv" }'}


def points():
    """The roles of a table of which the place of every row is published."""
    lines = [line for line in roles(**ONLY).splitlines(keepends=True) if not line.startswith(("lat ", "lon "))]
    return "".join(lines) + '"lat/lon" = { role = "quasi", kind = "point" }\n'


# Name: head of the policy, its roles, the ending of the release, more arguments.
POLICIES = {
    "ranges": ("k = 5", roles(), "csv", []),
    "normal effort": ("k = 5", roles(), "csv", ["--effort", "normal"]),
    "bounds": ('k = 5\nform = "bounds"', roles(), "csv", []),
    "midpoint": ('k = 5\nform = "midpoint"', roles(tree=DROP), "csv", []),
    "codes": ('k = 5\nform = "codes"', roles(), "csv", ["--lookup", "LOOKUP"]),
    "names for sets": ("k = 30", roles(), "csv", ["--lookup", "LOOKUP"]),
    "parquet": ("k = 5", roles(), "parquet", []),
    "arrow": ('k = 5\nform = "bounds"', roles(), "arrow", []),
    "gzip": ("k = 5", roles(), "csv.gz", []),
    "order kept": ("k = 5", roles(), "csv", ["--keep-order"]),
    "withheld": ("k = 8\nwithhold = 0.05", roles(), "csv", []),
    "blunt": ("k = 5\nblunt = true", roles(), "csv", []),
    "counts": ("k = 10", roles(people='{ role = "count" }'), "csv", []),
    "persons": ("k = 4", roles(who='{ role = "person" }'), "csv", []),
    "distinct diversity": ("k = 5", roles(ill='{ role = "sensitive", diversity = 2 }'), "csv", []),
    "entropy diversity": ("k = 5", roles(ill='{ role = "sensitive", diversity = { entropy = 1.8 } }'), "csv", []),
    "recursive diversity": ("k = 5", roles(ill='{ role = "sensitive", diversity = { recursive = [3, 2] } }'), "csv", []),
    "closeness": ("k = 5", roles(ill='{ role = "sensitive", closeness = 0.3 }'), "csv", []),
    "likeness": ("k = 5", roles(ill='{ role = "sensitive", likeness = 2 }'), "csv", []),
    "disclosure": ("k = 5", roles(ill='{ role = "sensitive", disclosure = 2 }'), "csv", []),
    "stars": ('k = 5\nobjective = "stars"', roles(), "csv", []),
    "columns": ('k = 5\nobjective = "columns"', roles(), "csv", []),
    "radius": ('k = 5\nobjective = "radius"', roles(**NUMBERS), "csv", []),
    "cellular": ('k = 5\nobjective = "cellular"', roles(**NUMBERS), "csv", []),
    "sse": ('k = 5\nobjective = "sse"', roles(**{**NUMBERS, "age": DROP, "lat": '{ role = "quasi", kind = "numeric" }'}), "csv", []),
    "labels": ('k = 50\nobjective = "group-size"', roles(**{**ONLY, "job": '{ role = "quasi", kind = "category" }'}), "csv", []),
    "intervals": ('k = 50\nobjective = "group-size"', roles(**{**ONLY, "age": '{ role = "quasi", kind = "numeric" }'}), "csv", []),
    "regions": ("k = 20", roles(**REGIONS), "csv", []),
    "sizes of regions": ('k = 300\nobjective = "group-size"', roles(**REGIONS), "csv", []),
    "points": ("k = 5", points(), "csv", []),
    "sizes of boxes": ('k = 50\nobjective = "group-size"', points(), "csv", []),
    "points as WKT": ('k = 5\nform = "wkt"', points(), "csv", []),
    "mondrian": ("k = 5", roles(), "csv", ["--solver", "mondrian"]),
    "pieces": ("k = 5", roles(), "csv", ["--pieces", "3"]),
    "pieces of parquet": ("k = 5", roles(), "parquet", ["--pieces", "3"]),
}


def people(folder):
    """A table with a column of every kind."""
    dice = random.Random(1)
    lines = ["id,who,age,job,zip,seen,tree,size,ill,lat,lon,place,pay,people"]
    trees, jobs = list(random_runs.TREE), [f"job {i}" for i in range(12)]
    for row in range(ROWS):
        age = "" if dice.random() < 0.05 else dice.randint(18, 90)
        seen = "" if dice.random() < 0.05 else random_runs.datetime.date(2020, 1, 1) + random_runs.DAY * dice.randrange(700)
        lines.append(",".join(map(str, [
            f"n{row}", f"p{dice.randrange(ROWS * 2 // 3)}", age, dice.choice(jobs), f"{dice.choice([10, 10, 20, 45])}{dice.randrange(1000):03}",
            seen, dice.choice(trees), dice.choice(random_runs.LEVELS), dice.choice(["flu", "flu", "cold", "burn", "none"]),
            f"{50 + dice.random():.4f}", f"{8 + dice.random():.4f}", f"R{dice.randrange(9)}", dice.randint(100, 9000), dice.choice([1, 1, 2, 5])])))
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    (folder / "edges.csv").write_text("a,b\n" + "".join(f"R{i},R{i + 1}\n" for i in range(8)) + "R0,R3\nR2,R7\n")
    (folder / "trees.csv").write_text("".join(";".join([leaf, *up]) + "\n" for leaf, up in random_runs.TREE.items()))


def release_of(kinfold, folder, ending, arguments):
    """What a build makes of table.csv and policy.toml: the bytes of its files, or that it declines."""
    with tempfile.TemporaryDirectory() as out:
        out = pathlib.Path(out)
        arguments = [out / "lookup.csv" if argument == "LOOKUP" else argument for argument in arguments]
        command = [kinfold, "anonymize", folder / "table.csv", "--policy", folder / "policy.toml", "-o", out / f"release.{ending}", "--json",
                   *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            return {"declined": done.returncode}
        report = json.loads(done.stdout)
        files = {file.name: file.read_bytes() for file in sorted(out.iterdir())}
        return {**files, **{key: report[key] for key in ("loss", "bound", "groups", "withheld", "values_told", "singled_out")}}


def cases():
    """The tables and policies of testdata/cases."""
    folder = pathlib.Path(__file__).parent.parent / "testdata" / "cases"
    for file in sorted(folder.glob("*.toml")):
        data = tomllib.loads(file.read_text())
        for number, case in enumerate(data.get("case", [data])):
            case = {**{key: value for key, value in data.items() if key != "case"}, **case}
            if "table" in case and "policy" in case and "published" not in case and "command" not in case:
                yield f"{file.stem} {number}", folder, case


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--runs", type=int, default=200, help="random tables and policies")
    args = parser.parse_args()
    builds = [str(pathlib.Path(build).resolve()) for build in (args.old, args.new)]
    solvers = json.loads(subprocess.run([builds[0], "solvers", "--json"], capture_output=True, text=True, check=True).stdout)
    # A program that stops at a time limit does not answer the same twice.
    solvers = [solver for solver in solvers if solver["key"] not in ("milp", "stars-pattern", "exact", "polish")]
    compared = different = declined = 0

    def compare(name, folder, ending, arguments):
        nonlocal compared, different, declined
        old, new = (release_of(build, folder, ending, arguments) for build in builds)
        compared += 1
        declined += "declined" in old
        if old != new:
            different += 1
            print(f"{name}: {', '.join(key for key in {**old, **new} if old.get(key) != new.get(key))}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        people(folder)
        for name, (head, columns, ending, arguments) in POLICIES.items():
            (folder / "policy.toml").write_text(f"{head}\n{columns}")
            compare(name, folder, ending, ["--effort", "quick", *arguments] if "--effort" not in arguments else arguments)
        print(f"{compared} named policies: {different} differ, {declined} declined", flush=True)
    for name, beside, case in cases():
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for file in beside.glob("*.csv"):
                (folder / file.name).write_bytes(file.read_bytes())
            for file, text in case.get("files", {}).items():
                (folder / file).write_text(text)
            (folder / "table.csv").write_text(case["table"].removeprefix("\n"))
            (folder / "policy.toml").write_text(case["policy"])
            compare(name, folder, "csv", [])
    for number in range(1, args.runs + 1):
        case = random_runs.Case(number, solvers)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            case.write(folder)
            lookup = ["--lookup", "LOOKUP"] if case.form == "codes" else []
            compare(f"random {number} ({case.solver})", folder, "csv", [*lookup, "--solver", case.solver, "--effort", "quick", "--seed", str(case.seed)])
    print(f"{compared} compared: {different} differ, {declined} declined by both or either")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
