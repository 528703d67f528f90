#!/usr/bin/env python3
"""Measures every figure of bench/README.md, says which targets are reached, and keeps the raw data.

    cargo build --release --locked && python3 bench/run.py --adult adult.csv --fars fars.csv.gz
    python3 bench/run.py --only "adult, k=5,"

Every command is run as a user would run it. Seconds are CPU seconds of solving (user + system, all threads). Peak memory
is that of the whole command; the system counts at least this script's 20 MiB. Ratios are to the better of the rivals,
measured in the same run. Generated tables are made on first use. UCI Adult (30,162 complete rows, with education-num) and
FARS are not part of the project: without their paths these figures are left out. Results go to bench/runs/<date>/.
"""
import argparse
import csv
import dataclasses
import datetime
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"
KINFOLD = HERE.parent / "target" / "release" / "kinfold"
QUASI = "age:numeric,education-num:numeric,workclass:category,marital-status:category,occupation:category,race:category,sex:category,native-country:category"
ADULT = ["--quasi", QUASI, "--sensitive", "salary-class", "--drop", "education"]
CENSUS = ["--quasi", QUASI, "--sensitive", "salary-class"]
FARS = ["--quasi", "state:category,age:numeric,sex:category,modelyr:numeric,year:numeric,Restraint:category,inimpact:category", "--sensitive", "injury", "--identifier", "caseid", "--drop", "airbag,airbagAvail,airbagDeploy"]
HOSPITAL = ["--quasi", f"age:numeric,education-num:numeric,sex:category,marital-status:category,occupation:hierarchy={DATA}/occupation.csv,race:category,district:hierarchy={DATA}/district.csv,admitted:date"]
GREEDY = ["greedy-search", "k-member"]
SIMPLE = ["initial", "mondrian"]


@dataclasses.dataclass
class Target:
    """What a figure should be: at most this loss, this ratio to the best rival, these seconds, this memory."""
    loss: float = None
    ratio: float = None
    cpu: float = None
    mib: float = None

    def __str__(self):
        parts = [("loss ≤ {:.4f}", self.loss), ("ratio ≤ {:.2f}", self.ratio), ("{:g} CPU s", self.cpu), ("{:g} MiB", self.mib)]
        return ", ".join(text.format(value) for text, value in parts if value is not None) or "–"

    def missed(self, loss, ratio, cpu, mib):
        pairs = {"loss": (loss, self.loss), "ratio": (ratio, self.ratio), "time": (cpu, self.cpu), "memory": (mib, self.mib)}
        return [what for what, (found, most) in pairs.items() if most is not None and (found is None or found > most)]


@dataclasses.dataclass
class Group:
    """A table and a k; a figure for every effort."""
    name: str
    table: typing.Callable[[], str]
    roles: list
    k: int
    targets: dict
    rivals: list = dataclasses.field(default_factory=list)
    others: list = dataclasses.field(default_factory=list)
    verify: bool = False


# Average loss on Adult, and CPU seconds.
ADULT_TARGETS = {
    "quick": ({3: 0.0101, 5: 0.0185, 10: 0.0355, 15: 0.0490, 50: 0.1090, 200: 0.2165}, 0.25),
    "normal": ({3: 0.0087, 5: 0.0162, 10: 0.0311, 15: 0.0426, 50: 0.0930, 200: 0.1870}, 4),
    "deep": ({3: 0.0085, 5: 0.0156, 10: 0.0300, 15: 0.0410, 50: 0.0890, 200: 0.1780}, 40),
}


@dataclasses.dataclass
class Proof:
    """A table, a k and a command that proves how far from the best a grouping can be."""
    name: str
    table: typing.Callable[[], str]
    roles: list
    k: int
    command: list
    gap: float = None
    cpu: float = None

    @property
    def certified(self):
        return self.command[0] == "certify"


def proofs(adult):
    exact = lambda seconds: ["anonymize", "--solver", "exact", "--time-limit", f"{seconds}s", "--bound", "none"]
    certify = lambda seconds: ["certify", "--improve", "--time-limit", f"{seconds}s"]
    if adult:
        tables = [(50, 3, exact(60), 1e-6, 5), (50, 5, exact(60), 1e-6, 5), (100, 3, exact(60), 1e-6, 30), (200, 3, exact(120), 1e-6, 600)]
        tables += [(500, 3, certify(60), 0.01, 120), (100, 5, exact(60), 0.04, 120), (5000, 3, certify(150), 0.025, 300)]
        for rows, k, command, gap, cpu in tables:
            yield Proof(f"proof, adult {rows} rows, k={k}", lambda rows=rows: sample(adult, rows, 1), ADULT, k, command, gap, cpu)
        yield Proof("proof, adult, k=3", lambda: adult, ADULT, 3, certify(280), 0.045, 600)
        yield Proof("proof, adult, k=5", lambda: adult, ADULT, 5, certify(560), None, 1200)
    yield Proof("proof, generated 1M rows, k=3", lambda: generated(1_000_000), CENSUS, 3, ["certify", "--effort", "normal", "--time-limit", "280s"], 0.20, 600)


def suppressed(adult):
    """Fewest stars, and fewest columns."""
    stars = ["--objective", "stars"]
    pattern = ["anonymize", "--solver", "stars-pattern", "--bound", "none"]
    for vertices in [4, 6, 10, 20, 60]:
        table = lambda vertices=vertices: scripted(f"vertex-cover-{vertices}.csv", "suppress.py", "vertex-cover", "--size", str(vertices))
        # Needs a build with --features exact.
        yield Proof(f"stars, vertex cover {vertices}", table, [*stars, "--quasi", "c1,c2,c3"], 7, pattern, 1e-9, 60)
    if adult:
        yield Proof("stars, adult 100 rows, k=3", lambda: sample(adult, 100, 1), [*ADULT, *stars], 3, ["anonymize", "--solver", "exact", "--bound", "none"], 1e-9, 30)
        limited = ["anonymize", "--solver", "stars-pattern", "--time-limit", "600s", "--bound", "none"]
        yield Proof("stars, adult 500 rows, k=3", lambda: sample(adult, 500, 1), [*ADULT, *stars], 3, limited, 0.005, None)
        for k, gap in [(3, 0.05), (5, None)]:
            for effort in ["normal", "deep"]:
                command = ["anonymize", "--effort", effort, "--bound", "none"]
                yield Proof(f"stars, adult, k={k}, {effort}", lambda: adult, [*ADULT, *stars], k, command, gap, 900)
        yield Proof("columns, adult, k=5", lambda: adult, [*ADULT, "--objective", "columns"], 5, ["anonymize"], 1e-9, 5)
    six = ",".join(QUASI.split(",")[:6])
    roles = ["--quasi", six, "--drop", "sex,native-country", "--sensitive", "salary-class", *stars]
    yield Proof("stars, generated 1M rows of 6 columns, k=5", lambda: generated(1_000_000), roles, 5, ["anonymize", "--bound", "none"], None, 20)
    wide = lambda: scripted("wide.csv", "suppress.py", "wide", "--size", "100000")
    columns = ["--quasi", ",".join(f"c{i}" for i in range(1, 26)), "--objective", "columns"]
    yield Proof("columns, 25 of 100,000 rows, k=5", wide, columns, 5, ["anonymize"], 1e-9, 60)


def clustered(adult, gps):
    """Clusters with bounds: the largest radius, everybody's radius."""
    command = ["anonymize", "--bound", "none"]
    if adult:
        yield Proof("clusters, adult, radius, k=5", lambda: adult, [*ADULT, "--objective", "radius"], 5, command, None, 60)
        yield Proof("clusters, adult 7000 rows, cellular, k=5", lambda: sample(adult, 7000, 1), [*ADULT, "--objective", "cellular"], 5, command, None, None)
    if gps:
        roles = ["--quasi", "lat:numeric,lon:numeric", "--set", "metric = { points = ['lat/lon'], scale = 'given' }", "--objective", "radius", "--withhold", "1%"]
        yield Proof("clusters, gps, radius, k=10, 1% out", lambda: gps, roles, 10, command, None, 120)


def microaggregated(tarragona):
    """Squared error beside the usual baseline."""
    for k, ratio in [(3, 0.91), (5, 0.91), (10, 0.94)] if tarragona else []:
        with open(tarragona, encoding="utf-8") as file:
            roles = ["--quasi", file.readline().strip(), "--objective", "sse"]
        yield Group(f"tarragona, k={k}", lambda: tarragona, roles, k, {"quick": Target(), "normal": Target(ratio=ratio)}, ["mdav"])


def counted(places, name):
    """A file of places as a table of two columns: who, and how many people. Where nobody was counted, nobody lives."""
    percentages = name.startswith("names")

    def write(out):
        with open(pathlib.Path(places) / f"{name}.csv", encoding="utf-8", newline="") as file:
            header, *lines = csv.reader(file)
        lines = [[line[0], round(float(line[1]) * 1000) if percentages else line[-1] or 0] for line in lines]
        text = io.TextIOWrapper(out, encoding="utf-8", newline="")
        csv.writer(text, lineterminator="\n").writerows([[header[0], "people"], *lines])
        text.detach()

    return kept(f"{name}.csv", write)


def placed(places):
    """The largest group of labels, areas and rectangles."""
    command = ["anonymize", "--bound", "none"]
    if places:
        size = ["--objective", "group-size"]
        for k in [2000, 1006]:
            roles = ["--quasi", "name:category", "--count", "people", *size, "--lookup", str(DATA / "lookup.csv")]
            yield Proof(f"places, surnames, k={k}", lambda: counted(places, "names_all_last"), roles, k, command, 0.01, 1)
        # As many people live on islands of fewer than k.
        for name, column, k, islands, cpu in [("zcta", "zcta", 20_000, "0.06%", 20), ("county", "fips", 100_000, "0.03%", None)]:
            nodes = lambda name=name: counted(places, f"{name}_nodes")
            roles = ["--quasi", f"{column}:region={places}/{name}_edges.csv+{nodes()}", "--count", "people", *size, "--withhold", islands]
            yield Proof(f"places, {name}, k={k}", nodes, roles, k, command, None, cpu)
        for name, k, count in [("gps_uber_nyc_pickups", 50, ["--count", "pickups"]), ("gps_uk_accidents", 10, [])]:
            table = lambda name=name: f"{places}/{name}.csv.gz"
            yield Proof(f"places, {name}, k={k}", table, ["--quasi", "lat/lon:point", *count, *size], k, command, None, 2)


def groups(adult, fars):
    if adult:
        for k in [3, 5, 10, 15, 50, 200]:
            targets = {effort: Target(loss=losses[k], cpu=cpu) for effort, (losses, cpu) in ADULT_TARGETS.items()}
            yield Group(f"adult, k={k}", lambda: adult, ADULT, k, targets, GREEDY, [*SIMPLE, "tree-greedy"], verify=k == 5)
        for seed in [1, 2, 3]:
            for k in [3, 5, 10]:
                table = lambda seed=seed: sample(adult, 1000, seed)
                yield Group(f"adult 1000 rows, sample {seed}, k={k}", table, ADULT, k, {"deep": Target(ratio=0.86, cpu=2)}, GREEDY)
    if fars:
        targets = {"quick": Target(loss=0.0057, cpu=1), "normal": Target(loss=0.0050, cpu=15)}
        yield Group("fars, k=5", lambda: fars, FARS, 5, targets, GREEDY)
    million = {"quick": Target(cpu=2)}
    yield Group("generated 1M rows, k=5", lambda: generated(1_000_000), CENSUS, 5, million, others=["mondrian"], verify=True)
    yield Group("generated 5M rows, k=5", lambda: generated(5_000_000), CENSUS, 5, {"quick": Target(cpu=8, mib=1536)})
    hospital = {"quick": Target(cpu=4), "normal": Target(cpu=60)}
    yield Group("hospital 1M rows, k=5", lambda: generated(1_000_000, True), HOSPITAL, 5, hospital)
    for rows in [30_000, 300_000, 3_000_000]:
        yield Group(f"hospital {rows} rows, k=5", lambda rows=rows: generated(rows, True), HOSPITAL, 5, {"quick": Target()})


def kept(name, write):
    """A file of bench/data, made on first use."""
    path = DATA / name
    if not path.exists():
        print(f"making {name}", file=sys.stderr)
        path.parent.mkdir(exist_ok=True)
        unfinished = path.with_suffix(".tmp")
        with open(unfinished, "wb") as out:
            write(out)
        unfinished.rename(path)
    return str(path)


def scripted(name, script, *args):
    command = [sys.executable, str(HERE / script), *args]
    return kept(name, lambda out: subprocess.run(command, stdout=out, check=True))


def generated(rows, hospital=False):
    DATA.mkdir(exist_ok=True)
    kind = ["--hospital", str(DATA)] if hospital else []
    return scripted(f"{'hospital' if hospital else 'census'}-{rows}.csv", "generate.py", "--rows", str(rows), *kind)


def sample(table, rows, seed):
    def write(out):
        header, *lines = pathlib.Path(table).read_bytes().splitlines(keepends=True)
        out.writelines([header, *random.Random(seed).sample(lines, rows)])

    return kept(f"adult-{rows}-{seed}.csv", write)


def measured(name, args):
    """Runs kinfold; returns what it printed, and what the process took."""
    start = time.monotonic()
    process = subprocess.Popen([str(KINFOLD), *args, "--json"], stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    found = {
        "name": name,
        # Files by their names alone, also inside of roles.
        "command": " ".join(["kinfold", *(re.sub(r"(/[^/+=]+)+/", "", a) for a in args), "--json"]),
        "exit": process.returncode,
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
        "wall_seconds": round(time.monotonic() - start, 3),
        "peak_mib": round(usage.ru_maxrss / 1024, 1),
        "output": json.loads(out) if out else {},
    }
    loss, solve = (found["output"].get(key) for key in ["average_loss", "solve_cpu_seconds"])
    told = f"  loss {loss:.5f}" if loss is not None else ""
    told += f" in {solve:6.2f} s" if solve is not None else ""
    print(f"{name:50} exit {found['exit']} {found['cpu_seconds']:8.2f} CPU s {found['peak_mib']:7.0f} MiB{told}", flush=True)
    return found


class Bench:
    def __init__(self, solver):
        self.solver, self.runs, self.figures = solver, [], []
        self.release = str(DATA / "release.csv")

    def anonymize(self, group, solver, *more):
        args = ["anonymize", group.table(), "-k", str(group.k), *group.roles, "--solver", solver, *more, "-o", self.release]
        self.runs.append(measured(" ".join([f"{group.name},", solver, *more]), args))
        return self.runs[-1]

    def verify(self, group):
        args = ["verify", self.release, "-k", str(group.k), *group.roles]
        self.runs.append(measured(f"{group.name}, verify", args))
        self.runs.append(measured(f"{group.name}, verify --original", [*args, "--original", group.table()]))

    def run(self, group, efforts):
        rivals = {solver: self.anonymize(group, solver)["output"].get("average_loss") for solver in group.rivals}
        rivals = {solver: loss for solver, loss in rivals.items() if loss is not None}
        for solver in group.others:
            self.anonymize(group, solver)
        for effort in efforts:
            found = self.anonymize(group, self.solver, "--effort", effort)
            self.judge(f"{group.name}, {effort}", group.targets[effort], found, rivals)
        if group.verify:
            self.verify(group)

    def prove(self, proof):
        """Runs the proof; a certificate is checked as well."""
        command, *options = proof.command
        certificate = str(DATA / "proof.txt")
        target = ["--certificate", certificate] if proof.certified else ["-o", self.release]
        common = [proof.table(), "-k", str(proof.k), *proof.roles]
        found = measured(proof.name, [command, *common, *options, *target])
        self.runs.append(found)
        parts = [f"gap ≤ {proof.gap:.2%}" if proof.gap else None, f"{proof.cpu:g} CPU s" if proof.cpu else None]
        figure = {"figure": proof.name, "target": ", ".join(part for part in parts if part), "measured": "failed", "reached": "no", "ratio": "–"}
        self.figures.append(figure)
        output = found["output"]
        if found["exit"] != 0 or output.get("gap") is None:
            return
        figure["measured"] = f"{output['loss']:.2f}, bound {output['bound']:.2f} ({output['bound_kind']}), gap {output['gap']:.3%}, {found['cpu_seconds']:.1f} CPU s"
        missed = [what for what, value, most in [("gap", output["gap"], proof.gap), ("time", found["cpu_seconds"], proof.cpu)] if most and value > most]
        figure["reached"] = "no: " + ", ".join(missed) if missed else "yes"
        if proof.certified:
            self.runs.append(measured(f"{proof.name}, check", ["certify", *common, "--check", certificate]))
            pathlib.Path(certificate).unlink()

    def draw(self, places, names):
        """The largest group of labels for every k: how often it is within 1 % of the bound."""
        picture = str(DATA / "sizes.svg")
        roles = ["--quasi", "name:category", "--count", "people"]
        name = f"places, {names}, every k"
        found = measured(name, ["plot", "labels", counted(places, names), *roles, "--steps", "100000", "-o", picture])
        for key in ["sizes", "output"]:
            found["output"].pop(key, None)
        self.runs.append(found)
        share = found["output"].get("label_best_within_one_percent", 0)
        spread = found["output"].get("spread_never_above_fold", False)
        measure = f"{share:.1%} of {found['output'].get('values_of_k')} k, {found['cpu_seconds']:.1f} CPU s"
        reached = "yes" if share >= 0.95 and spread else "no"
        self.figures.append({"figure": name, "target": "labels within 1 % at 95 % of k, Spread ≤ Fold", "measured": measure, "reached": reached, "ratio": "–"})
        pathlib.Path(picture).unlink(missing_ok=True)

    def judge(self, name, target, found, rivals):
        figure = {"figure": name, "target": str(target), "measured": "failed", "reached": "no", "ratio": "–"}
        self.figures.append(figure)
        if found["exit"] != 0:
            return
        loss, cpu, mib = found["output"]["average_loss"], found["output"]["solve_cpu_seconds"], found["peak_mib"]
        ratio = None
        if rivals:
            best = min(rivals, key=rivals.get)
            ratio = loss / rivals[best] if rivals[best] > 0 else (1.0 if loss == 0 else float("inf"))
            figure["ratio"] = f"{ratio:.3f} × {best}"
        figure["measured"] = f"{loss:.5f}, {cpu:.2f} CPU s" + (f", {mib:.0f} MiB" if target.mib else "")
        missed = target.missed(loss, ratio, cpu, mib)
        figure["reached"] = "–" if target == Target() else "no: " + ", ".join(missed) if missed else "yes"


def told(figures):
    """The figures as an aligned table."""
    lines = [["figure", "target", "measured", "reached", "ratio to the best rival"], *([*f.values()] for f in figures)]
    widths = [max(len(line[i]) for line in lines) for i in range(5)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def said(*command):
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adult", help="path of the UCI Adult table")
    parser.add_argument("--fars", help="path of the FARS table")
    parser.add_argument("--tarragona", help="path of the Tarragona table: 834 companies, 13 numbers")
    parser.add_argument("--gps", help="path of a table of points: lat, lon")
    parser.add_argument("--places", help="path of a folder with name lists, regions and points (see bench/README.md)")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help='figures whose name holds this, such as "adult, k=5,"')
    parser.add_argument("--solver", default="auto", help="the solver to measure [default: auto]")
    args = parser.parse_args()
    if not KINFOLD.exists():
        sys.exit("first: cargo build --release --locked")
    bench = Bench(args.solver)
    DATA.mkdir(exist_ok=True)
    for group in [*groups(args.adult, args.fars), *microaggregated(args.tarragona)]:
        efforts = [effort for effort in group.targets if args.only in f"{group.name}, {effort}"]
        if efforts:
            bench.run(group, efforts)
    for proof in [*proofs(args.adult), *suppressed(args.adult), *clustered(args.adult, args.gps), *placed(args.places)]:
        if args.only in proof.name:
            bench.prove(proof)
    for names in ["names_female_first", "names_male_first", "names_all_last"] if args.places else []:
        if args.only in f"places, {names}, every k":
            bench.draw(args.places, names)
    for left in [bench.release, DATA / "lookup.csv"]:
        pathlib.Path(left).unlink(missing_ok=True)
    if not bench.figures:
        sys.exit("no figure of that name; --adult and --fars bring more")

    folder = HERE / "runs" / datetime.date.today().isoformat()
    folder.mkdir(parents=True, exist_ok=True)
    # A part does not replace the whole.
    part = re.sub(r"\W+", "-", args.only).strip("-")
    path = folder / (f"results-{part}.json" if part else "results.json")
    recipe = {"version": said(str(KINFOLD), "--version"), "commit": said("git", "rev-parse", "--short", "HEAD"), "cores": os.cpu_count()}
    path.write_text(json.dumps({**recipe, "figures": bench.figures, "runs": bench.runs}, indent=1, ensure_ascii=False) + "\n")
    print(f"\n{told(bench.figures)}\n\nraw data in {path.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
