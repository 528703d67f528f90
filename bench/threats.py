#!/usr/bin/env python3
"""Figures of docs/threat-model.md on the UCI Adult table.

    python3 bench/threats.py adult.csv --kinfold target/release/kinfold

Prints what ends and labels tell, with and without blunt ends; whom the row order singles out if it is kept and a place is known to within
500 rows; and how many people two releases leave in the intersection of their groups, by the groups files and by `anonymize --after`, and what
`--after … --refuse` costs. --hierarchies FOLDER adds releases with hierarchies (adult_hierarchy_COLUMN.csv) instead of sets. --holes 0.05
blanks that share of the quasi-identifiers' cells first.
"""
import argparse
import collections
import csv
import json
import pathlib
import random
import subprocess
import tempfile

NUMBERS = ["age", "education-num"]
LABELS = ["workclass", "marital-status", "occupation", "race", "sex", "native-country"]
NEAR = 500


def with_holes(table, share, path):
    """The table with so many cells of the quasi-identifiers blanked."""
    dice = random.Random(1)
    with open(table, newline="") as file, open(path, "w", newline="") as out:
        rows = csv.reader(file)
        names = next(rows)
        at = [names.index(name) for name in NUMBERS + LABELS]
        writer = csv.writer(out)
        writer.writerow(names)
        for row in rows:
            for column in at:
                if dice.random() < share:
                    row[column] = ""
            writer.writerow(row)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--kinfold", default="target/release/kinfold")
    parser.add_argument("--hierarchies", type=pathlib.Path)
    parser.add_argument("--holes", type=float, default=0)
    parser.add_argument("-k", type=int, default=5)
    args = parser.parse_args()
    work = tempfile.TemporaryDirectory()
    if args.holes:
        args.table = with_holes(args.table, args.holes, f"{work.name}/table.csv")

    def quasi(label):
        return ",".join([f"{name}:numeric" for name in NUMBERS] + [label(name) for name in LABELS])

    def run(*more, quasi=quasi(lambda name: f"{name}:category")):
        """The report of a release, the group of every row of the table, and the release."""
        folder = tempfile.mkdtemp(dir=work.name)
        groups = pathlib.Path(folder) / "groups.csv"
        command = [args.kinfold, "anonymize", args.table, "-k", str(args.k), "--quasi", quasi, "--drop-rest", "--json", "--bound", "none",
                   "-o", f"{folder}/release.csv", "--groups", groups, *more]
        report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        with open(groups, newline="") as file:
            return report, [line[-1] for line in list(csv.reader(file))[1:]], f"{folder}/release.csv"

    def told(title, report):
        print(f"{title}: told {report['values_told']:.1%}, singled out {report['singled_out']:.1%}, average loss {report['average_loss']:.5f}")

    def overlay(title, quasi):
        """What an earlier release of the same people, with another seed, leaves of everybody."""
        _, one, old = run(quasi=quasi)
        new, two, _ = run("--seed", "2", "--after", old, quasi=quasi)
        both = collections.Counter(zip(one, two))
        left = [both[pair] for pair in zip(one, two)]
        alone, few = sum(size == 1 for size in left), sum(size < args.k for size in left)
        print(f"{title}, two seeds, by groups files: {alone / len(one):.1%} alone, {few / len(one):.1%} among fewer than {args.k}")
        kept, three, _ = run("--seed", "2", "--after", old, "--refuse", quasi=quasi)
        for title, report in [("--after", new), ("--after --refuse", kept)]:
            found = report["overlay"]
            alone, few = found["alone"] / found["people"], found["below_k"] / found["people"]
            print(f"    {title}: {alone:.1%} alone, {few:.1%} among fewer than {args.k}, smallest {found['smallest']}, "
                  f"average loss {report['average_loss']:.5f}, {report['seconds']['total']:.1f} s")
        both = collections.Counter(zip(one, three))
        left = [both[pair] for pair in zip(one, three)]
        print(f"    --after --refuse, by groups files: {sum(size < args.k for size in left) / len(one):.1%} among fewer than {args.k}")

    report, one, _ = run()
    told("default", report)
    blunt, *_ = run("--blunt")
    told("blunt " + ", ".join(f"{r['column']} {r['step']}" for r in blunt["rounded"]), blunt)
    if args.hierarchies:
        files = quasi(lambda name: f"{name}:hierarchy={args.hierarchies}/adult_hierarchy_{name}.csv")
        told("hierarchies", run(quasi=files)[0])
        told("blunt, hierarchies", run("--blunt", quasi=files)[0])

    # Rows are published in the order of the table: who of the group is near the place that is known?
    places = collections.defaultdict(list)
    for row, group in enumerate(one):
        places[group].append(row)
    alone = sum(all(other == row or abs(other - row) > NEAR for other in places[group]) for row, group in enumerate(one))
    print(f"order kept, place known to within {NEAR} rows: {alone / len(one):.1%} singled out")

    overlay("default", quasi(lambda name: f"{name}:category"))
    if args.hierarchies:
        overlay("hierarchies", files)


if __name__ == "__main__":
    main()
