#!/usr/bin/env python3
"""Runs the figures of bench/README.md and keeps the raw data.

    cargo build --release && python3 bench/run.py [--adult adult.csv]

Every command is run as a user would run it; CPU seconds (user + system, all threads) and peak memory are
those of the process. The generated table is made on first use. UCI Adult (30,162 complete rows, with
education-num) is not part of the project: without --adult its figures are left out.
Results go to bench/runs/<date>/.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KINFOLD = HERE.parent / "target" / "release" / "kinfold"
QUASI = "age:numeric,education-num:numeric,workclass:category,marital-status:category,occupation:category,race:category,sex:category,native-country:category"


def measured(args):
    """Runs kinfold and returns what it printed, CPU seconds, wall seconds and peak MiB."""
    start = datetime.datetime.now()
    process = subprocess.Popen([str(KINFOLD), *args], stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = (datetime.datetime.now() - start).total_seconds()
    return {
        "command": " ".join(["kinfold", *(pathlib.Path(a).name if os.path.exists(a) else a for a in args)]),
        "exit": os.waitstatus_to_exitcode(status),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
        "wall_seconds": round(wall, 3),
        "peak_mib": round(usage.ru_maxrss / 1024, 1),
        "output": json.loads(out) if out else None,
    }


def generated(rows):
    path = HERE / "data" / f"census-{rows}.csv"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        print(f"making {path.name}", file=sys.stderr)
        with open(path.with_suffix(".tmp"), "wb") as out:
            subprocess.run([sys.executable, str(HERE / "generate.py"), "--rows", str(rows)], stdout=out, check=True)
        path.with_suffix(".tmp").rename(path)
    return str(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adult", help="path of the UCI Adult table")
    args = parser.parse_args()
    folder = HERE / "runs" / datetime.date.today().isoformat()
    folder.mkdir(parents=True, exist_ok=True)
    release = str(HERE / "data" / "release.csv")
    results = []

    def record(name, found):
        results.append({"name": name, **found})
        loss = (found["output"] or {}).get("average_loss")
        shown = f"loss {loss:.5f}" if loss is not None else ""
        print(f"{name:40} {found['cpu_seconds']:7.2f} CPU s {found['peak_mib']:8.0f} MiB  exit {found['exit']}  {shown}")

    if args.adult:
        roles = ["--quasi", QUASI, "--sensitive", "salary-class", "--drop", "education"]
        for solver in ["initial", "mondrian", "greedy-search", "k-member", "tree-greedy", "anneal --effort quick", "anneal --effort normal"]:
            for k in [3, 5, 10, 15, 50, 200]:
                record(f"adult k={k} {solver}", measured(["anonymize", args.adult, "-k", str(k), *roles, "--solver", *solver.split(), "-o", release, "--json"]))
                if k == 5:
                    record(f"adult k=5 {solver}, verify --original", measured(["verify", release, "-k", "5", *roles, "--original", args.adult, "--json"]))
    million = generated(1_000_000)
    roles = ["--quasi", QUASI, "--sensitive", "salary-class"]
    record("million rows, mondrian", measured(["anonymize", million, "-k", "5", *roles, "--solver", "mondrian", "-o", release, "--json"]))
    record("million rows, anneal --effort quick", measured(["anonymize", million, "-k", "5", *roles, "--effort", "quick", "-o", release, "--json"]))
    record("million rows, verify", measured(["verify", release, "-k", "5", *roles, "--json"]))
    record("million rows, verify --original", measured(["verify", release, "-k", "5", *roles, "--original", million, "--json"]))
    os.remove(release)
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    print(f"raw data in {(folder / 'results.json').relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
