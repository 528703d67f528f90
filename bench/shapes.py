#!/usr/bin/env python3
"""Writes small tables of unusual shape, where a solver tuned to census tables may stumble.

    python3 bench/shapes.py no-ties --rows 20000 --seed 1 > bench/data/no-ties.csv

Only the standard library is used; the same arguments give the same bytes.
"""
import argparse
import random


def number(rng, people, levels):
    """Whole numbers around a middle; part of each is what the person's columns have in common."""
    spread = levels / 6
    return [min(levels - 1, max(0, round(levels / 2 + spread * (0.7 * p + 0.7 * rng.gauss(0, 1))))) for p in people]


def label(rng, people, labels):
    return [f"L{n:02}" for n in number(rng, people, labels)]


def numbers(rng, people, sizes):
    return {f"n{i}:numeric": number(rng, people, size) for i, size in enumerate(sizes, 1)}


def labels(rng, people, sizes):
    return {f"c{i}:category": label(rng, people, size) for i, size in enumerate(sizes, 1)}


def mixed(rng, people):
    return {**numbers(rng, people, [10, 20, 50, 100, 1000] * 3), **labels(rng, people, [2, 3, 5, 8, 20] * 3)}


def heavy_ties(rng, people):
    """Twenty distinct records, some of them far more common than others."""
    few = people[:20]
    table = {**numbers(rng, few, [90, 16, 50]), **labels(rng, few, [7, 14, 2])}
    table["n1:numeric"] = list(range(20, 80, 3))
    copies = rng.choices(range(20), weights=[1 / (i + 1) for i in range(20)], k=len(people))
    return {column: [values[i] for i in copies] for column, values in table.items()}


def no_ties(rng, people):
    """Decimals, no two alike in a column."""
    return {f"n{i}:numeric": [n / 1e6 for n in rng.sample(range(10**9), len(people))] for i in range(1, 5)}


def many_labels(rng, people):
    """A column of 13,000 labels, most of them rare."""
    every = list(range(13_000))[: len(people)]
    again = [int(13_000 ** rng.random()) for _ in range(len(people) - len(every))]
    wide = [f"town-{n:05}" for n in every + again]
    rng.shuffle(wide)
    return {"town:category": wide, "age:numeric": number(rng, people, 90), "job:category": label(rng, people, 14)}


SHAPES = {
    "numeric-only": lambda rng, people: numbers(rng, people, [100, 50, 20, 80, 16, 1000]),
    "category-only": lambda rng, people: labels(rng, people, [7, 16, 14, 5, 2, 41]),
    "one-number": lambda rng, people: numbers(rng, people, [5000]),
    "mixed-30": mixed,
    "heavy-ties": heavy_ties,
    "no-ties": no_ties,
    "many-labels": many_labels,
}


def table(shape, rows, seed):
    """Values by column; a column's name says its kind."""
    rng = random.Random(f"{shape} {seed}")
    return SHAPES[shape](rng, [rng.gauss(0, 1) for _ in range(rows)])


def quasi(shape):
    """All columns, as --quasi takes them."""
    return ",".join(table(shape, 20, 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    columns = table(args.shape, args.rows, args.seed)
    print(",".join(column.split(":")[0] for column in columns))
    for row in zip(*columns.values()):
        print(",".join(map(str, row)))


if __name__ == "__main__":
    main()
