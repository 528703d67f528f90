#!/usr/bin/env python3
"""Tables of every shape, and the default solver on them beside the baselines of the house.

    cargo build --release --locked && python3 bench/shapes.py           # every shape, 300, 3,000 and 30,000 rows
    python3 bench/shapes.py --only deep-trees,census-5 --rows 3000 --k 3,10
    python3 bench/shapes.py --write deep-trees --rows 3000              # the table and its hierarchies, in bench/data

A line tells the best baseline (initial, mondrian, greedy-search, k-member) and its average loss, then for --effort quick and
normal the ratio to it and CPU seconds of solving. Marked are lines where auto loses more than a baseline, or normal more than
quick. The last lines tell the worst and the median ratios; the exit code is 1 if any line is marked.
Raw figures go to the file of --json. Only the standard library is used; the same arguments give the same tables.
"""
import argparse
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"
KINFOLD = HERE.parent / "target" / "release" / "kinfold"
BASELINES = ["initial", "mondrian", "greedy-search", "k-member"]

# A column is a letter for its kind and how many values it may have:
#   n numeric · f decimals, no two alike · c category · d date · o ordinal · t hierarchy, by branches per level, widest first
#   u labels, no two alike · l labels, most of them rare
# then ?5 for 5 % missing, *3 for weight 3, ~ for skewed values, ! for one value far out, and x4 for four such columns.
# Before the columns: "ties" for twenty distinct records, "counts" for rows that stand for several people.
CENSUS = "n90 n16 c7 c7 c14 c5 c2 c41"
NUMBERS = "n100 n50 n20 n80 n16 n1000"
LABELS = "c7 c16 c14 c5 c2 c41"
DEEP = "t2.2.2.2.2.2.2 t3.3.3.3.3 t5.4.3.2 t2.3.4 t4.4.4"
TREES = "t4.5 t2 t7 t3.3 t2.8.4 t5.6"


def missing(columns, percent):
    return " ".join(f"{column}?{percent}" for column in columns.split())


SHAPES = {
    "numbers": NUMBERS,
    "numbers-5": missing(NUMBERS, 5),
    "numbers-60": missing(NUMBERS, 60),
    "one-number": "n5000",
    "one-number-5": "n5000?5",
    "decimals": "fx4",
    "decimals-5": "f?5x4",
    "labels": LABELS,
    "labels-5": missing(LABELS, 5),
    "labels-60": missing(LABELS, 60),
    "dates": "d3650 d20000 d365 n100",
    "dates-5": "d3650?5 d20000?5 d365?5 n100?5",
    "ordinals": "o5 o7 o3 o12 o4 o9",
    "trees": TREES,
    "trees-5": missing(TREES, 5),
    "deep-trees": DEEP,
    "deep-trees-5": missing(DEEP, 5),
    "deep-trees-60": missing(DEEP, 60),
    "large-tree": "t20.30 n90",
    "one-tree": "t10.10.10",
    "census": CENSUS,
    "census-5": missing(CENSUS, 5),
    "census-60": missing(CENSUS, 60),
    "census-trees": "n90 t4.4 t2.3 t3.5 t5 t2 t6.7 c14",
    "hospital": "d20000?5 t10.10.5 c2 n120?5 t4.6 c73 n14 c18?40",
    "insurance": "d3650?10 n100 n1000?5 t5.10.10 c50 o5 c2",
    "three": "n100 c10 t4.4",
    "mixed-15": "nx5 n1000x2 cx4 t4.4x4",
    "mixed-30": "nx8 n1000x4 cx9 c40x3 t4.4x6",
    "mixed-40": "nx10 n1000x5 cx12 c40x5 t4.4x8",
    "mixed-40-5": "n?5x10 n1000?5x5 c?5x12 c40?5x5 t4.4?5x8",
    "numbers-40": "nx20 n1000x20",
    "ties": "ties n90 n16 n50 c7 c14 c2",
    "ties-5": "ties n90?5 n16?5 n50 c7 t4.4?5 c2",
    "skew": "n1000~ n90~ c40~ c7~ t6.8~ d3650~",
    "outlier": "n100! n1000! c7 t3.4",
    "outlier-5": "n100!?5 n1000!?5 c7?5 t3.4?5",
    "13000-labels": "l13000 n90 c14",
    "13000-labels-5": "l13000?5 n90?5 c14?5",
    "unique-labels": "u n90",
    "weights": "n90*5 n16*0.2 c7*3 c41 t4.4*10 d3650*0.5",
    "weights-5": "n90*5?5 n16*0.2?5 c7*3?5 c41?5 t4.4*10?5 d3650*0.5?5",
    "counts": "counts n90 n16 c7 c14 t4.4",
    "counts-5": "counts n90?5 n16?5 c7?5 c14?5 t4.4?5",
}

COLUMN = re.compile(r"(?P<kind>[a-z])(?P<size>[\d.]*)(?P<marks>[~!]?)(?:\*(?P<weight>[\d.]+))?(?:\?(?P<missing>\d+))?(?:x(?P<times>\d+))?$")


class Column:
    """Values, and how --quasi names them."""

    def __init__(self, name, found, rng, people):
        self.kind, self.weight = found["kind"], found["weight"]
        self.name = name
        self.branches = [int(n) for n in found["size"].split(".") if n] or [{"n": 100, "c": 8}.get(self.kind, 0)]
        size = 1
        for branch in self.branches:
            size *= branch
        self.size = size
        values = self.drawn(rng, people, found["marks"])
        self.texts = [self.text(value) for value in values]
        if found["missing"]:
            share = int(found["missing"]) / 100
            self.texts = ["" if rng.random() < share else text for text in self.texts]

    def drawn(self, rng, people, marks):
        size, rows = self.size, len(people)
        if self.kind in "fu":
            return rng.sample(range(10**9), rows)
        if self.kind == "l":
            every = list(range(size))[:rows]
            values = every + [int(size ** rng.random()) for _ in range(rows - len(every))]
            rng.shuffle(values)
            return values
        if marks == "~":
            return [min(size - 1, int(size * rng.random() ** 6)) for _ in people]
        # Around a middle; part of each value is what the person's columns have in common.
        spread = size / 6
        values = [min(size - 1, max(0, round(size / 2 + spread * (0.7 * p + 0.7 * rng.gauss(0, 1))))) for p in people]
        if marks == "!":
            values[rows // 2] = 100 * size
        return values

    def text(self, value):
        if self.kind == "f":
            return str(value / 1e6)
        if self.kind == "d":
            year, day = divmod(value, 365)
            return f"{1950 + year}-{day // 31 + 1:02}-{day % 28 + 1:02}"
        return str(value) if self.kind == "n" else f"{self.kind}{value:05}"

    def quasi(self, stem):
        kinds = {"n": "numeric", "f": "numeric", "d": "date", "c": "category", "u": "category", "l": "category"}
        if self.kind == "o":
            kind = "ordinal=" + "<".join(self.text(i) for i in range(self.size))
        elif self.kind == "t":
            path = stem.with_name(f"{stem.name}-{self.name}.csv")
            path.write_text("".join(self.path(leaf) for leaf in range(self.size)))
            kind = f"hierarchy={path}"
        else:
            kind = kinds[self.kind]
        return f"{self.name}:{kind}" + (f"*{self.weight}" if self.weight else "")

    def path(self, leaf):
        """A line of the hierarchy: the leaf, then what it generalizes to, the narrowest first."""
        wider, below = [], leaf
        for level, branch in reversed(list(enumerate(self.branches[1:], 1))):
            below //= branch
            wider.append(f"level{level}-{below}")
        return ";".join([self.text(leaf), *wider, "*"]) + "\n"


def columns(shape, rows, seed):
    rng = random.Random(f"{shape} {seed}")
    spec = SHAPES[shape].split()
    people = [rng.gauss(0, 1) for _ in range(20 if "ties" in spec else rows)]
    found = []
    for column in spec:
        if column in ("ties", "counts"):
            continue
        read = COLUMN.match(column)
        for _ in range(int(read["times"] or 1)):
            found.append(Column(f"{read['kind']}{len(found) + 1}", read, rng, people))
    if "ties" in spec:
        # Twenty distinct records, some of them far more common than others.
        copies = rng.choices(range(20), weights=[1 / (i + 1) for i in range(20)], k=rows)
        for column in found:
            column.texts = [column.texts[i] for i in copies]
    counts = [min(9, 1 + int(rng.expovariate(1))) for _ in range(rows)] if "counts" in spec else None
    return found, counts


def write(shape, rows, seed=1):
    """Writes the table and its hierarchies; its path, and the flags that say what its columns are."""
    DATA.mkdir(exist_ok=True)
    stem = DATA / f"{shape}-{rows}-{seed}"
    found, counts = columns(shape, rows, seed)
    table = [column.texts for column in found] + ([counts] if counts else [])
    names = [column.name for column in found] + (["people"] if counts else [])
    with open(stem.with_suffix(".csv"), "w") as out:
        print(",".join(names), file=out)
        for row in zip(*table):
            print(",".join(map(str, row)), file=out)
    roles = ["--quasi", ",".join(column.quasi(stem) for column in found)]
    return str(stem.with_suffix(".csv")), roles + (["--count", "people"] if counts else [])


def solved(binary, table, roles, k, how):
    command = [str(binary), "anonymize", table, *roles, "-k", str(k), *how, "--bound", "none", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    found = json.loads(done.stdout)
    return found["average_loss"], found["solve_cpu_seconds"]


def line(binary, shape, rows, k):
    table, roles = write(shape, rows)
    rivals = {b: solved(binary, table, roles, k, ["--solver", b]) for b in BASELINES}
    best = min(rivals, key=lambda b: rivals[b][0])
    loss = rivals[best][0]
    quick, normal = (solved(binary, table, roles, k, ["--effort", e]) for e in ["quick", "normal"])
    ratio = lambda found: found[0] / loss if loss else (1.0 if found[0] == 0 else float("inf"))
    return {
        "shape": shape, "rows": rows, "k": k, "best": best, "loss": loss, "baselines": rivals,
        "quick": quick, "normal": normal, "quick_ratio": ratio(quick), "normal_ratio": ratio(normal),
        "worse": [
            what for what, is_so in [
                ("quick loses more than a baseline", quick[0] > loss),
                ("normal loses more than a baseline", normal[0] > loss),
                ("normal loses more than quick", normal[0] > quick[0]),
            ] if is_so
        ],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="300,3000,30000")
    parser.add_argument("--k", default="5")
    parser.add_argument("--only", help="shapes, separated by commas")
    parser.add_argument("--write", choices=SHAPES, metavar="SHAPE")
    parser.add_argument("--binary", default=KINFOLD)
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    sizes = [int(n) for n in args.rows.split(",")]
    if args.write:
        for rows in sizes:
            table, roles = write(args.write, rows)
            print(table, *roles)
        return
    shapes = args.only.split(",") if args.only else SHAPES
    lines = []
    print(f"{'shape':16} {'rows':>6} {'k':>3}  {'best baseline':14} {'loss':>9} {'CPU s':>7}   {'quick':>6} {'CPU s':>7}   {'normal':>6} {'CPU s':>7}")
    for shape in shapes:
        for rows in sizes:
            for k in map(int, args.k.split(",")):
                found = line(args.binary, shape, rows, k)
                lines.append(found)
                told = f"{shape:16} {rows:6} {k:3}  {found['best']:14} {found['loss']:9.6f} {found['baselines'][found['best']][1]:7.2f}"
                told += "".join(f"   {found[e + '_ratio']:6.3f} {found[e][1]:7.2f}" for e in ["quick", "normal"])
                print(told, "  " + "; ".join(found["worse"]) if found["worse"] else "", flush=True)
    for effort in ["quick", "normal"]:
        ratios = [found[f"{effort}_ratio"] for found in lines]
        print(f"{effort}: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f} of the best baseline")
    marked = sum(bool(found["worse"]) for found in lines)
    print(f"{len(lines)} lines, {marked} marked")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(lines, indent=1) + "\n")
    sys.exit(1 if marked else 0)


if __name__ == "__main__":
    main()
