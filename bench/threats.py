#!/usr/bin/env python3
"""Figures of docs/threat-model.md on the UCI Adult table.

    python3 bench/threats.py adult.csv --kinfold target/release/kinfold

Mounts the attacks of attackers.py on releases of several kinds: linkage, homogeneity, statements that single out, minimality. Prints what ends and labels tell, with and
without blunt ends; whom the row order singles out if it is kept and a place is known to within 500 rows; how many people two releases leave in the intersection of their groups, by the
groups files and by `anonymize --after`, and what `--after … --refuse` costs, with and without `--after-groups`; and how many people somebody with a register of the same people finds in
their true group by running the program again, with the seed and without it. --hierarchies FOLDER adds releases with hierarchies (adult_hierarchy_COLUMN.csv) instead of sets. --holes 0.05
blanks that share of the quasi-identifiers' cells first. --diabetes FILE adds the groups of fewer than k persons in UCI Diabetes 130, where a person has several rows.
"""
import argparse
import collections
import csv
import gzip
import json
import pathlib
import random
import subprocess
import tempfile

import attackers

NUMBERS = ["age", "education-num"]
LABELS = ["workclass", "marital-status", "occupation", "race", "sex", "native-country"]
SENSITIVE = "salary-class"
NEAR = 500
# Of UCI Diabetes 130, by kind.
STAYS = {"category": ["race", "gender", "age", "admission_type_id", "discharge_disposition_id", "admission_source_id", "payer_code", "medical_specialty"],
         "numeric": ["time_in_hospital"]}
PERSON = "patient_nbr"


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


def few_persons(table, kinfold, k):
    """The share of groups whose k rows or more are about fewer than k persons."""
    quasi = ",".join(f"{name}:{kind}" for kind, names in STAYS.items() for name in names)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([kinfold, "anonymize", table, "-k", str(k), "--quasi", quasi, "--identifier", f"encounter_id,{PERSON}", "--drop-rest", "--effort", "quick",
                        "--bound", "none", "--quiet", "-o", f"{folder}/release.csv", "--groups", f"{folder}/groups.csv"], check=True)
        with open(f"{folder}/groups.csv", newline="") as file:
            group_of = [line[-1] for line in list(csv.reader(file))[1:]]
    with (gzip.open if str(table).endswith(".gz") else open)(table, "rt", newline="") as file:
        person_of = [row[PERSON] for row in csv.DictReader(file)]
    persons = collections.defaultdict(set)
    for group, person in zip(group_of, person_of):
        persons[group].add(person)
    return sum(len(some) < k for some in persons.values()) / len(persons)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--kinfold", default="target/release/kinfold")
    parser.add_argument("--hierarchies", type=pathlib.Path)
    parser.add_argument("--diabetes", metavar="FILE")
    parser.add_argument("--holes", type=float, default=0)
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("--no-secret", action="store_true", help="for versions that know no secret seed")
    args = parser.parse_args()
    work = tempfile.TemporaryDirectory()
    if args.holes:
        args.table = with_holes(args.table, args.holes, f"{work.name}/table.csv")

    def quasi(label):
        return ",".join([f"{name}:numeric" for name in NUMBERS] + [label(name) for name in LABELS])

    def run(*more, quasi=quasi(lambda name: f"{name}:category"), of=args.table):
        """The report of a release, the group of every row of the table, and the release."""
        folder = tempfile.mkdtemp(dir=work.name)
        groups = pathlib.Path(folder) / "groups.csv"
        command = [args.kinfold, "anonymize", of, "-k", str(args.k), "--quasi", quasi, "--drop-rest", "--json", "--bound", "none",
                   "-o", f"{folder}/release.csv", "--groups", groups, *more]
        report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        with open(groups, newline="") as file:
            return report, [line[-1] for line in list(csv.reader(file))[1:]], f"{folder}/release.csv"

    table = attackers.read(args.table)

    def attacked(title, *more, quasi=quasi(lambda name: f"{name}:category")):
        """What readers of a release make of it."""
        _, _, release = run("--sensitive", SENSITIVE, *more, quasi=quasi)
        nodes = {name: attackers.leaves_of(args.hierarchies, name) for name in LABELS if "hierarchy=" in quasi}
        reader = attackers.Reader(table, attackers.read(release), NUMBERS, LABELS, nodes)
        found = attackers.linkage(reader, args.k)
        print(f"{title}: fewest rows that fit {found['fewest']}, pinned to a group {found['pinned']:.1%}, matched right {found['matched']:.1%}")
        found = attackers.homogeneity(reader, SENSITIVE)
        print(f"    {SENSITIVE}: one value in the group {found['one_value']:.1%}, certain {found['certain']:.1%}, "
              f"guessed right {found['guessed']:.1%} (without groups {found['base']:.1%})")
        for what, columns in [("a number", NUMBERS), ("a label", LABELS)]:
            found = attackers.statements(reader, columns)
            said = [f"{where} {share:.1%}" for where, share in found.items()]
            print(f'    "fits these cells, and is V", V {what}, is true of one person: {", ".join(said)} of tries')
        return reader

    def told(title, report):
        print(f"{title}: told {report['values_told']:.1%}, singled out {report['singled_out']:.1%}, average loss {report['average_loss']:.5f}")

    def overlay(title, quasi):
        """What an earlier release of the same people, with another seed, leaves of everybody."""
        _, one, old = run(quasi=quasi)
        groups = old.replace("release.csv", "groups.csv")
        print(f"{title}, two seeds:")
        for more in [[], ["--refuse"], ["--after-groups", groups], ["--after-groups", groups, "--refuse"]]:
            new, two, _ = run("--seed", "2", "--after", old, *more, quasi=quasi)
            both = collections.Counter(zip(one, two))
            left = [both[pair] for pair in zip(one, two)]
            found = new["overlay"]
            print(f"    --after {' '.join('FILE' if word == groups else word for word in more)}: it says {found['alone'] / found['people']:.1%} alone, "
                  f"{found['below_k'] / found['people']:.1%} among fewer than {args.k}, smallest {found['smallest']}; by true groups "
                  f"{sum(size == 1 for size in left) / len(left):.1%}, {sum(size < args.k for size in left) / len(left):.1%}; "
                  f"average loss {new['average_loss']:.5f}, {new['seconds']['total']:.1f} s")

    def rerun(title, seed, tried):
        """Somebody has a register of the same people, in another order and without what is sensitive, and runs the program on it with a seed: how many
        people does that put into cells that are published, and how many into those of their own group?"""
        register, places = f"{work.name}/register.csv", list(range(len(rows)))
        random.Random(1).shuffle(places)
        with open(register, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows([rows[place][names.index(name)] for name in names] for place in places)
        release = cells(args.table, "--sensitive", sensitive, "--seed", seed)
        again = cells(register, "--seed", tried)
        published = set(release)
        guessed = sum(again[at] in published for at in range(len(places)))
        right = sum(again[at] == release[place] for at, place in enumerate(places))
        print(f"{title}: {guessed / len(places):.1%} in cells that are published, {right / len(places):.1%} in those of their own group")

    def cells(table, *more):
        """What is published of the quasi-identifiers of every row of a table."""
        out = f"{work.name}/{len(list(pathlib.Path(work.name).iterdir()))}.csv"
        subprocess.run([args.kinfold, "anonymize", table, "-k", str(args.k), "--quasi", quasi(lambda name: f"{name}:category"), "--drop-rest", "--quiet",
                        "--bound", "none", "--keep-order", "-o", out, *more], check=True, stderr=subprocess.DEVNULL)
        with open(out, newline="") as file:
            header, *lines = list(csv.reader(file))
        return [tuple(line[header.index(name)] for name in NUMBERS + LABELS) for line in lines]

    with open(args.table, newline="") as file:
        names, *rows = list(csv.reader(file))
    sensitive = next(name for name in names if name not in NUMBERS + LABELS + ["education"])
    report, one, _ = run()
    told("default", report)
    blunt, *_ = run("--blunt")
    told("blunt " + ", ".join(f"{r['column']} {r['step']}" for r in blunt["rounded"]), blunt)
    if args.hierarchies:
        files = quasi(lambda name: f"{name}:hierarchy={args.hierarchies}/adult_hierarchy_{name}.csv")
        told("hierarchies", run(quasi=files)[0])
        told("blunt, hierarchies", run("--blunt", quasi=files)[0])

    attacked("default")
    attacked("blunt", "--blunt")
    if args.hierarchies:
        attacked("hierarchies", quasi=files)
        attacked("blunt, hierarchies", "--blunt", quasi=files)

    # A register of the same people has everything but the sensitive column.
    register = f"{work.name}/register.csv"
    with open(register, "w", newline="") as file:
        writer = csv.DictWriter(file, [name for name in table[0] if name != SENSITIVE])
        writer.writeheader()
        writer.writerows({name: cell for name, cell in row.items() if name != SENSITIVE} for row in table)
    for solver in ["auto", "mondrian"]:
        guarded = attacked(f"2-diversity, {solver}", "--diversity", f"{SENSITIVE}=2", "--solver", solver)
        found = attackers.minimality(guarded, run("--solver", solver, of=register)[1], SENSITIVE)
        print(f"    minimality: {found['changed']:.1%} of groups changed, of which {found['one_value']:.1%} had one value ({found['base']:.1%} of all); "
              f"{found['unions']} groups are unions, {found['certain']} people certain")

    # Rows are published in the order of the table: who of the group is near the place that is known?
    places = collections.defaultdict(list)
    for row, group in enumerate(one):
        places[group].append(row)
    alone = sum(all(other == row or abs(other - row) > NEAR for other in places[group]) for row, group in enumerate(one))
    print(f"order kept, place known to within {NEAR} rows: {alone / len(one):.1%} singled out")

    overlay("default", quasi(lambda name: f"{name}:category"))
    if args.hierarchies:
        overlay("hierarchies", files)

    rerun("register, version and seed known", "0", "0")
    rerun("register and version known, another seed", "0", "1")
    if not args.no_secret:
        rerun("register and version known, --seed secret", "secret", "0")
    if args.diabetes:
        print(f"Diabetes 130: {few_persons(args.diabetes, args.kinfold, args.k):.1%} of the groups are about fewer than {args.k} persons")


if __name__ == "__main__":
    main()
