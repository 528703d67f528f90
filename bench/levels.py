"""Global recoding by solver `levels`: figures on adult.csv with the hierarchies of ARX, and on made tables.

    python bench/levels.py target/release/kinfold --adult adult.csv --hierarchies hierarchies/ -o levels.json

Without --adult only made tables are run. Times are CPU seconds of solving, and of the whole command.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ADULT = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
# k, rows that may be withheld: loss by level, with tight bounds, withheld, levels. Found by trying all 2,160 nodes.
KNOWN = [
    (5, "0%", 0.633309, 0.544600, 0, "4 2 3 1 0 0 2"),
    (5, "2%", 0.235932, 0.199883, 552, "3 1 2 1 0 0 1"),
    (5, "5%", 0.176520, 0.154269, 1458, "3 1 1 0 0 0 1"),
    (5, "10%", 0.162027, 0.140380, 2265, "3 0 1 0 0 0 1"),
    (10, "2%", 0.323441, 0.282373, 501, "3 1 3 1 0 0 1"),
    (10, "10%", 0.201022, 0.179672, 2799, "3 0 2 0 0 0 1"),
]
MODELS = ["diversity = 3", "diversity = { entropy = 3 }", "closeness = 0.2"]


def run(kinfold: str, table: Path, policy: str, *more: str) -> dict:
    """Anonymizes a table; the report, and the CPU seconds of the whole command."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "policy.toml"
        file.write_text(policy)
        args = [kinfold, "anonymize", str(table), "--policy", str(file), "-o", f"{folder}/release.csv", "--json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([*args, *more], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(done.stderr)
    report = json.loads(done.stdout)
    report["cpu"] = round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)
    return report


def in_order(level: dict) -> tuple:
    """Columns of adult as the known optima name them, others as they come."""
    return (ADULT.index(level["column"]) if level["column"] in ADULT else len(ADULT),)


def line(name: str, report: dict) -> dict:
    """What is kept of a report."""
    return {
        "run": name,
        "by_level": round(report["loss_by_level"], 6),
        "tight": round(report["loss_by_tight_bounds"], 6),
        "withheld": report["withheld"],
        "gap": report["gap"],
        "levels": " ".join(str(level["level"]) for level in sorted(report["levels"], key=in_order)),
        "solve_cpu": round(report["solve_cpu_seconds"], 3),
        "cpu": report["cpu"],
        "remark": report["remark"],
    }


def adult(kinfold: str, table: Path, hierarchies: Path) -> list[dict]:
    """The known optima, and three privacy models."""
    quasi = "".join(
        f'[columns."{name}"]\nrole = "quasi"\nkind = "hierarchy"\n'
        f'hierarchy = "{hierarchies.resolve()}/adult_hierarchy_{name}.csv"\n'
        for name in ADULT
    )
    top = 'recoding = "global"\ndrop_rest = true\nk = {k}\nwithhold = "{withhold}"\n'
    lines = []
    for k, withhold, *known in KNOWN:
        found = line(f"adult, k = {k}, {withhold}", run(kinfold, table, top.format(k=k, withhold=withhold) + quasi))
        found["as_known"] = [found["by_level"], found["tight"], found["withheld"], found["levels"]] == known
        lines.append(found)
    for model in MODELS:
        policy = top.format(k=5, withhold="2%") + quasi + f'[columns.occupation]\nrole = "sensitive"\n{model}\n'
        lines.append(line(f"adult, k = 5, 2%, {model}", run(kinfold, table, policy)))
    return lines


def mixed(kinfold: str, table: Path, hierarchies: Path, seed: int = 1) -> list[dict]:
    """Four columns of adult on levels that are chosen, four local; beside 20 random choices of these levels."""
    dice = random.Random(seed)
    names = {"education": 3, "native-country": 2, "marital-status": 2}

    def policy(levels: dict) -> str:
        own = f'[columns.age]\nrole = "quasi"\nlevels = [5, 10, 20]\nlevel = {levels["age"]}\n'
        for name in names:
            file = f"{hierarchies.resolve()}/adult_hierarchy_{name}.csv"
            own += f'[columns."{name}"]\nrole = "quasi"\nhierarchy = "{file}"\nlevel = {levels[name]}\n'
        for name in ["workclass", "race", "sex", "occupation"]:
            own += f'[columns.{name}]\nrole = "quasi"\nkind = "category"\n'
        return 'k = 5\nwithhold = "2%"\ndrop_rest = true\n' + own

    def loss(levels: dict) -> dict | None:
        try:
            return run(kinfold, table, policy(levels), "--effort", "quick")
        except SystemExit:
            return None

    chosen = run(kinfold, table, policy(dict.fromkeys(["age", *names], '"auto"')), "--effort", "quick")
    random_choices = [
        {"age": dice.choice([5, 10, 20]), **{name: dice.randrange(levels) for name, levels in names.items()}}
        for _ in range(20)
    ]
    others = [found["average_loss"] for found in map(loss, random_choices) if found]
    named = " ".join(f"{level['column']} {level['name'] or level['level']}" for level in chosen["levels"])
    print(f"mixed: {chosen['average_loss']:.5f} ({named}; {chosen['remark']}), {chosen['cpu']} CPU s")
    print(f"best of {len(others)} random choices that can be released: {min(others, default=1):.5f}\n")
    if chosen["average_loss"] > min(others, default=1) + 1e-9:
        sys.exit("a random choice loses less")
    return [{"run": "mixed", "average_loss": chosen["average_loss"], "best_random": min(others, default=None)}]


def made(folder: Path, rows: int, columns: int, digits: int, seed: int = 1) -> tuple[Path, str]:
    """Codes of so many digits in columns that hang together: people of a few hundred kinds, with noise."""
    dice = random.Random(seed)
    kinds = [[dice.randrange(10**digits) for _ in range(columns)] for _ in range(300)]
    table = folder / f"made-{rows}-{columns}.csv"
    with table.open("w") as out:
        out.write(",".join(f"c{i}" for i in range(columns)) + "\n")
        for _ in range(rows):
            kind = dice.choice(kinds[: 1 + dice.randrange(300)])
            cells = []
            for value in kind:
                draw = dice.random()
                noise = 0 if draw < 0.7 else dice.randrange(10) if draw < 0.95 else dice.randrange(10**digits)
                cells.append(f"{(value + noise) % 10**digits:0{digits}d}")
            out.write(",".join(cells) + "\n")
    lengths = list(range(digits - 1, 0, -1))
    quasi = "".join(f'c{i} = {{ role = "quasi", prefix = {lengths} }}\n' for i in range(columns))
    return table, f'recoding = "global"\nk = 5\nwithhold = "5%"\n[columns]\n{quasi}'


def main() -> None:
    """Runs all, and writes them down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinfold")
    parser.add_argument("--adult", type=Path)
    parser.add_argument("--hierarchies", type=Path)
    parser.add_argument("--table", type=Path, help="another table, with --policy")
    parser.add_argument("--policy", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    said = parser.parse_args()
    beside = mixed(said.kinfold, said.adult, said.hierarchies) if said.adult else []
    lines = adult(said.kinfold, said.adult, said.hierarchies) if said.adult else []
    if said.table:
        lines.append(line(said.table.stem, run(said.kinfold, said.table, said.policy.read_text())))
    with tempfile.TemporaryDirectory() as folder:
        # 4^12 = 1.7e7 choices of levels; then more than can be tried.
        for rows, columns, digits in [(30_000, 12, 3), (30_000, 30, 3), (30_000, 60, 3)]:
            table, policy = made(Path(folder), rows, columns, digits)
            lines.append(line(f"made, {rows} rows, {columns} columns", run(said.kinfold, table, policy)))
    print("| run | loss by level | tight | withheld | gap | levels | CPU s solving | CPU s in all | |")
    print("|---|---|---|---|---|---|---|---|---|")
    for found in lines:
        gap = "–" if found["gap"] is None else f"{100 * found['gap']:.2f} %"
        cells = [found["run"], found["by_level"], found["tight"], found["withheld"], gap, found["levels"]]
        cells += [found["solve_cpu"], found["cpu"], found["remark"]]
        print("| " + " | ".join(map(str, cells)) + " |")
    if said.output:
        said.output.write_text(json.dumps(lines + beside, indent=1) + "\n")
    if any(not found.get("as_known", True) for found in lines):
        sys.exit("not as known")


if __name__ == "__main__":
    main()
