#!/usr/bin/env python3
"""Writes tables for suppression, where cells or columns are only blanked out.

    python3 bench/suppress.py vertex-cover --size 60 --seed 1 > bench/data/vertex-cover-60.csv
    python3 bench/suppress.py wide --size 100000 --seed 1 > bench/data/wide.csv

vertex-cover: the table of Chakaravarthy, Pandit and Sabharwal's Theorem 3.1 for a random graph of so many vertices with three
neighbours each. With k = 7 the fewest stars are 27 vertices + 2 edges + 14 + the smallest vertex cover; --optimum prints that
number instead of the table. wide: so many rows of 25 columns, from two values to hundreds, part of each what they have in common.

Only the standard library is used; the same arguments give the same bytes.
"""
import argparse
import random


def cubic(rng, vertices):
    """Edges of a random graph in which every vertex has three neighbours."""
    while True:
        ends = [v for v in range(vertices) for _ in range(3)]
        rng.shuffle(ends)
        edges = {tuple(sorted(pair)) for pair in zip(ends[::2], ends[1::2])}
        if len(edges) == 3 * vertices // 2 and all(a != b for a, b in edges):
            return sorted(edges)


def smallest_cover(neighbours):
    """The size of a smallest vertex cover: a vertex of the most neighbours is in it, or all its neighbours are."""
    lone = next((v for v, near in neighbours.items() if len(near) == 1), None)
    if lone is not None:
        return 1 + smallest_cover(without(neighbours, neighbours[lone]))
    vertex = max(neighbours, key=lambda v: len(neighbours[v]), default=None)
    if vertex is None:
        return 0
    near = neighbours[vertex]
    if len(near) == 2:
        # Circles are left: half of each, rounded up.
        circle, queue = set(), [vertex]
        while queue:
            v = queue.pop()
            if v not in circle:
                circle.add(v)
                queue.extend(neighbours[v])
        return (len(circle) + 1) // 2 + smallest_cover(without(neighbours, circle))
    return min(1 + smallest_cover(without(neighbours, {vertex})), len(near) + smallest_cover(without(neighbours, near)))


def without(neighbours, gone):
    left = {v: near - gone for v, near in neighbours.items() if v not in gone}
    return {v: near for v, near in left.items() if near}


def vertex_cover(edges, vertices):
    special = iter(range(10**9))
    new = lambda: f"s{next(special)}"
    for v in range(vertices):
        u = f"v{v}"
        yield from [("0", u, u)] * 6
        yield (new(), u, u)
        for _ in range(7):
            yield (new(), u, new())
        yield from [("0", u, "Z")] * 3
        yield from [("0", "Z", u)] * 3
    for x, y in edges:
        yield ("0", f"v{x}", f"v{y}")
        yield ("0", f"v{y}", f"v{x}")
    for _ in range(7):
        yield ("0", new(), "Z")
        yield ("0", "Z", new())


def wide(rng, rows):
    values = [2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25, 30, 40, 60, 100, 200, 400]
    for _ in range(rows):
        person = rng.gauss(0, 1)
        yield tuple(min(n - 1, max(0, round(n / 2 + n / 5 * (0.8 * person + 0.6 * rng.gauss(0, 1))))) for n in values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["vertex-cover", "wide"])
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--optimum", action="store_true")
    args = parser.parse_args()
    rng = random.Random(f"{args.table} {args.size} {args.seed}")
    if args.table == "vertex-cover":
        edges = cubic(rng, args.size)
        if args.optimum:
            neighbours = {v: {b if a == v else a for a, b in edges if v in (a, b)} for v in range(args.size)}
            print(27 * args.size + 2 * len(edges) + 14 + smallest_cover(neighbours))
            return
        columns, rows = 3, vertex_cover(edges, args.size)
    else:
        columns, rows = 25, wide(rng, args.size)
    print(",".join(f"c{i}" for i in range(1, columns + 1)))
    for row in rows:
        print(",".join(map(str, row)))


if __name__ == "__main__":
    main()
