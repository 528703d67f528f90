#!/usr/bin/env python3
"""Writes a table of made-up people with the columns and the rough shape of a census extract.

    python3 bench/generate.py --rows 1000000 --seed 1 > bench/data/census-1m.csv
    python3 bench/generate.py --rows 1000000 --hospital bench/data > bench/data/hospital-1m.csv

With --hospital the table has eight quasi-identifiers as hospitals have them: two hierarchies (written into that folder), a date
of which 10 % are missing, ages of which 5 % are, and four others. Columns depend on each other (age, schooling and marriage; schooling, work and pay), so that records
repeat as they do in real tables: about one in six of a million rows is distinct.
Only the standard library is used; the same arguments give the same bytes.
"""
import argparse
import datetime
import pathlib
import random
import sys

WORKCLASS = [("Private", 74), ("Self-emp-not-inc", 8), ("Local-gov", 7), ("State-gov", 4), ("Self-emp-inc", 4), ("Federal-gov", 3), ("Without-pay", 0.05)]
COUNTRY = [("United-States", 91.2), ("Mexico", 2.0), ("Philippines", 0.6), ("Germany", 0.4), ("Puerto-Rico", 0.4), ("Canada", 0.35), ("India", 0.33), ("El-Salvador", 0.33), ("Cuba", 0.3), ("England", 0.29)] + [(f"Country-{i:02}", 3.8 / (i + 3)) for i in range(31)]
RACE = [("White", 86), ("Black", 9.3), ("Asian-Pac-Islander", 3), ("Amer-Indian-Eskimo", 1), ("Other", 0.7)]
OCCUPATIONS = ["Exec-managerial", "Prof-specialty", "Craft-repair", "Adm-clerical", "Sales", "Other-service", "Machine-op-inspct", "Transport-moving", "Handlers-cleaners", "Farming-fishing", "Tech-support", "Protective-serv", "Priv-house-serv", "Armed-Forces"]
# How likely each occupation is for short, middle and long schooling.
BY_SCHOOLING = [
    [3, 1, 20, 6, 8, 20, 14, 10, 10, 7, 0.5, 1, 1.5, 0.01],
    [10, 5, 17, 16, 13, 11, 8, 7, 5, 3, 3, 3, 0.5, 0.04],
    [26, 36, 4, 9, 13, 3, 1, 1, 0.7, 1, 4, 1.5, 0.1, 0.02],
]
SCHOOLING = [(1, 0.2), (2, 0.5), (3, 1), (4, 1.9), (5, 1.5), (6, 2.7), (7, 3.5), (8, 1.3), (9, 32.6), (10, 22.1), (11, 4.3), (12, 3.3), (13, 16.7), (14, 5.4), (15, 1.8), (16, 1.2)]


def chooser(rng, pairs):
    values, weights = [p[0] for p in pairs], [p[1] for p in pairs]
    total, cumulative = 0.0, []
    for w in weights:
        total += w
        cumulative.append(total)
    return lambda: rng.choices(values, cum_weights=cumulative)[0]


SECTORS = {"office": OCCUPATIONS[:2] + OCCUPATIONS[3:5] + OCCUPATIONS[10:11], "manual": OCCUPATIONS[2:3] + OCCUPATIONS[6:10], "service": OCCUPATIONS[5:6] + OCCUPATIONS[11:]}


def hierarchies(folder):
    """Occupations in three sectors; a thousand districts in a hundred counties in ten states."""
    jobs = "".join(f"{job};{sector};*\n" for sector, jobs in SECTORS.items() for job in jobs)
    (folder / "occupation.csv").write_text(jobs)
    districts = "".join(f"D{i:03};C{i // 10:02};S{i // 100};*\n" for i in range(1000))
    (folder / "district.csv").write_text(districts)


def patient(rng, age, years, sex, marital, job, race):
    district = min(999, int(rng.expovariate(1 / 150)))
    day = datetime.date(2020, 1, 1) + datetime.timedelta(days=int(rng.triangular(0, 1095, 900)))
    admitted = "" if rng.random() < 0.10 else day.isoformat()
    told = "" if rng.random() < 0.05 else age
    return f"{told},{years},{sex},{marital},{job},{race},D{district:03},{admitted}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hospital", type=pathlib.Path, metavar="FOLDER")
    args = parser.parse_args()
    if args.hospital:
        hierarchies(args.hospital)
    rng = random.Random(args.seed)
    workclass, country, race, schooling = (chooser(rng, p) for p in (WORKCLASS, COUNTRY, RACE, SCHOOLING))
    occupation = [chooser(rng, list(zip(OCCUPATIONS, w))) for w in BY_SCHOOLING]
    out = sys.stdout
    out.write("age,education-num,sex,marital-status,occupation,race,district,admitted\n" if args.hospital else "age,education-num,workclass,marital-status,occupation,race,sex,native-country,salary-class\n")
    lines = []
    for _ in range(args.rows):
        if len(lines) == 10_000:
            out.writelines(lines)
            lines.clear()
        age = min(90, max(17, int(rng.gammavariate(6.5, 3.4)) + 16))
        years = schooling()
        if age < 19:
            years = min(years, 9)
        sex = "Male" if rng.random() < 0.675 else "Female"
        single = rng.random()
        if age < 25:
            marital = "Never-married" if single < 0.85 else "Married-civ-spouse"
        elif single < 0.24:
            marital = "Never-married"
        elif single < 0.40:
            marital = "Divorced" if age < 62 or single < 0.32 else "Widowed"
        elif single < 0.43:
            marital = "Separated"
        elif single < 0.44:
            marital = "Married-spouse-absent"
        elif single < 0.4405:
            marital = "Married-AF-spouse"
        else:
            marital = "Married-civ-spouse"
        job = occupation[0 if years < 9 else 1 if years < 13 else 2]()
        if args.hospital:
            lines.append(patient(rng, age, years, sex, marital, job, race()))
            continue
        rich = rng.random() < (0.05 + 0.03 * max(0, years - 8) + (0.25 if marital == "Married-civ-spouse" else 0))
        lines.append(f"{age},{years},{workclass()},{marital},{job},{race()},{sex},{country()},{'>50K' if rich else '<=50K'}\n")
    out.writelines(lines)


if __name__ == "__main__":
    main()
