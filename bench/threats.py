#!/usr/bin/env python3
"""Figures of docs/threat-model.md on the UCI Adult table.

    python3 bench/threats.py adult.csv --kinfold target/release/kinfold

Prints what ends and labels tell, with and without blunt ends; whom the row order singles out if it is kept and a place is known to within
500 rows; and how many people two releases leave in the intersection of their groups. --hierarchies FOLDER adds a release with hierarchies
(adult_hierarchy_COLUMN.csv) instead of sets.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import tempfile

NUMBERS = ["age", "education-num"]
LABELS = ["workclass", "marital-status", "occupation", "race", "sex", "native-country"]
NEAR = 500


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--kinfold", default="target/release/kinfold")
    parser.add_argument("--hierarchies", type=pathlib.Path)
    parser.add_argument("-k", type=int, default=5)
    args = parser.parse_args()

    def quasi(label):
        return ",".join([f"{name}:numeric" for name in NUMBERS] + [label(name) for name in LABELS])

    def run(*more, quasi=quasi(lambda name: f"{name}:category")):
        """The report of a release, and the group of every row of the table."""
        with tempfile.TemporaryDirectory() as folder:
            groups = pathlib.Path(folder) / "groups.csv"
            command = [args.kinfold, "anonymize", args.table, "-k", str(args.k), "--quasi", quasi, "--drop-rest", "--json", "--bound", "none",
                       "-o", f"{folder}/release.csv", "--groups", groups, *more]
            report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            with open(groups, newline="") as file:
                return report, [line[-1] for line in list(csv.reader(file))[1:]]

    def told(title, report):
        print(f"{title}: told {report['values_told']:.1%}, singled out {report['singled_out']:.1%}, average loss {report['average_loss']:.5f}")

    report, one = run()
    told("default", report)
    blunt, _ = run("--blunt")
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

    _, two = run("--seed", "2")
    both = collections.Counter(zip(one, two))
    left = [both[pair] for pair in zip(one, two)]
    few = sum(size < args.k for size in left)
    print(f"two seeds: {sum(size == 1 for size in left) / len(one):.1%} alone, {few / len(one):.1%} among fewer than {args.k}")


if __name__ == "__main__":
    main()
