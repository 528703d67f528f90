#!/usr/bin/env python3
"""What the order of the rows and a second release tell of the people of a table.

    python3 bench/order.py target/release/kinfold bench/data/adult.csv

Place: an attacker knows the quasi-identifiers of a person and the person's place in the table within 500 rows.
They look at the rows of the release within 500 rows of that place whose cells cover the person. The person is singled
out if there is one such row, and it is in the person's group. With --keep-order the release stands as the table does.

Overlay: an attacker has two releases of the table, made with different seeds. The rows of a person in both groups are
the intersection of two groups.
"""

import argparse
import collections
import csv
import pathlib
import re
import subprocess
import tempfile

QUASI = "age,workclass,education-num,marital-status,occupation,race,sex,native-country"
NEAR = 500


def anonymize(kinfold, table, k, folder, name, *more):
    """The rows of a release and the group of every row of the table."""
    release, groups = folder / f"{name}.csv", folder / f"{name}-groups.csv"
    subprocess.run(
        [kinfold, "anonymize", table, "-k", str(k), "--quasi", QUASI, "--sensitive", "salary-class", "--drop-rest",
         "--effort", "quick", "--bound", "none", "--quiet", "-o", release, "--groups", groups, *more],
        check=True,
    )
    with open(release, newline="") as file, open(groups) as numbers:
        return list(csv.DictReader(file)), numbers.read().split()[1:]


def covers(cell, value):
    if cell == value or cell == "*":
        return True
    span = re.fullmatch(r"\[(.+)-(.+)\]", cell)
    if span:
        return float(span[1]) <= float(value) <= float(span[2])
    return cell.startswith("{") and value in cell[1:-1].split("|")


def singled_out(people, release, groups, look_of_group):
    names = QUASI.split(",")
    known = {}

    def fits(row, person):
        for name in names:
            key = (name, row[name], person[name])
            if key not in known:
                known[key] = covers(row[name], person[name])
            if not known[key]:
                return False
        return True

    found = 0
    for place, person in enumerate(people):
        window = release[max(0, place - NEAR) : place + NEAR + 1]
        fitting = [row for row in window if fits(row, person)]
        own = look_of_group[groups[place]]
        found += len(fitting) == 1 and tuple(fitting[0][name] for name in names) == own
    return found / len(people)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinfold", type=pathlib.Path)
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("-k", type=int, default=5)
    args = parser.parse_args()
    with open(args.table, newline="") as file:
        people = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run = lambda name, *more: anonymize(args.kinfold.resolve(), args.table, args.k, folder, name, *more)
        kept, groups = run("kept", "--keep-order")
        look = {group: tuple(row[name] for name in QUASI.split(",")) for row, group in zip(kept, groups)}
        plain, same = run("sorted")
        assert groups == same
        print(f"place within {NEAR} rows, order kept: {singled_out(people, kept, groups, look):.1%} singled out")
        print(f"place within {NEAR} rows, by default: {singled_out(people, plain, groups, look):.1%} singled out")
        _, other = run("other", "--seed", "1")
        both = collections.Counter(zip(groups, other))
        sizes = [both[pair] for pair in zip(groups, other)]
        alone, few = (sum(size < most for size in sizes) / len(sizes) for most in (2, args.k))
        print(f"two seeds laid over each other: {alone:.1%} alone, {few:.1%} among fewer than {args.k}")


if __name__ == "__main__":
    main()
