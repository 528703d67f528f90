#!/usr/bin/env python3
"""What it costs to go through Python: CPU time and memory of `kinfold.anonymize` on a million rows, for every kind of frame,
against the library alone on the same table.

    python3 bench/generate.py --rows 1000000 --seed 1 > census.csv    # or any other table, with a policy
    python3 -c 'import pyarrow.csv as c, pyarrow.parquet as p; p.write_table(c.read_csv("census.csv"), "table.parquet")'
    cargo build --release --locked -p kinfold --example through_memory
    pip install ./crates/kinfold-py pandas polars pyarrow
    python3 bench/python_cost.py table.parquet policy.toml --library target/release/examples/through_memory

CPU is that of the whole process from the frame to the frame, on all threads, without making the frame. Memory is what the
process holds at most beyond what it held with the frame alone, and the size of the frame.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import time

KINDS = ("pyarrow", "polars", "pandas")


def frame_of(kind: str, path: str):
    import pyarrow.parquet as pq

    if kind == "polars":
        import polars

        frame = polars.read_parquet(path)
        return frame, frame.estimated_size()
    table = pq.read_table(path)
    if kind == "pyarrow":
        return table, table.nbytes
    frame = table.to_pandas()
    return frame, int(frame.memory_usage(deep=True, index=False).sum())


def held() -> int:
    """Bytes that the process holds now."""
    with open("/proc/self/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) << 10


def one(kind: str, path: str, policy: str, effort: str) -> None:
    import kinfold

    frame, size = frame_of(kind, path)
    before = held()
    with open("/proc/self/clear_refs", "w") as peaks:
        peaks.write("5")
    cpu = time.process_time()
    done = kinfold.anonymize(frame, policy, effort=effort)
    release = done.frame
    cpu = time.process_time() - cpu
    with open("/proc/self/status") as status:
        peak = int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) << 10
    print(json.dumps({"cpu": cpu, "frame": size, "more": peak - before, "rows": len(release), "loss": done.report.loss}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("policy")
    parser.add_argument("--library", help="the built example through_memory")
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kind", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.kind:
        return one(args.kind, args.table, args.policy, args.effort)
    alone = None
    if args.library:
        times = []
        for _ in range(args.rounds):
            told = subprocess.run([args.library, args.table, args.policy], capture_output=True, text=True, check=True).stdout
            times.append(float(re.search(r"memory:.*all Spent \{.*?cpu: Some\(([\d.]+)\)", told)[1]))
        alone = min(times)
        print(f"library alone: {alone:.2f} CPU s")
    for kind in KINDS:
        runs = []
        for _ in range(args.rounds):
            command = [sys.executable, __file__, args.table, args.policy, "--effort", args.effort, "--kind", kind]
            runs.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
        best = min(runs, key=lambda run: run["cpu"])
        over = f" ({best['cpu'] / alone - 1:+.0%})" if alone else ""
        more, frame = best["more"] / 2**20, best["frame"] / 2**20
        print(f"{kind:8} {best['cpu']:6.2f} CPU s{over}, frame {frame:.0f} MiB, {more:.0f} MiB more ({more / frame:.2f} frames)")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"all runs: {used.ru_utime + used.ru_stime:.0f} CPU s")


if __name__ == "__main__":
    main()
