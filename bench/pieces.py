#!/usr/bin/env python3
"""What it costs to anonymize a table in pieces, and what it saves in memory.

    python3 bench/pieces.py --rows 10000000 --pieces 0,20 --kinfold target/release/kinfold
    python3 bench/pieces.py --rows 50000000 --pieces 100

Makes a table of made-up people in bench/data (Parquet, eight quasi-identifiers with the rough shape of a census extract, two of them with 5 % missing
values), runs the command at quick effort for every number of pieces (0: the table as a whole), and prints loss, CPU seconds, CPU per row and
peak memory. Needs numpy and pyarrow.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BATCH = 1_000_000
WORK = [f"Work-{i}" for i in range(7)]
MARITAL = [f"Marital-{i}" for i in range(7)]
JOBS = [f"Job-{i:02}" for i in range(14)]
RACE = [f"Race-{i}" for i in range(5)]
COUNTRY = [f"Country-{i:02}" for i in range(41)]


def pick(rng, labels, rows, skew):
    weights = 1 / (np.arange(len(labels)) + 1.0) ** skew
    codes = rng.choice(len(labels), rows, p=weights / weights.sum()).astype(np.int8)
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(labels))


def batch(rng, rows):
    age = np.clip(rng.gamma(6.5, 3.4, rows).astype(np.int16) + 16, 17, 90)
    years = np.clip(rng.normal(10, 2.6, rows).round().astype(np.int16), 1, 16)
    return pa.table({
        "age": pa.array(age, mask=rng.random(rows) < 0.05),
        "education-num": pa.array(years, mask=rng.random(rows) < 0.05),
        "workclass": pick(rng, WORK, rows, 1.8),
        "marital-status": pick(rng, MARITAL, rows, 1.2),
        "occupation": pick(rng, JOBS, rows, 0.7),
        "race": pick(rng, RACE, rows, 2.2),
        "sex": pick(rng, ["Male", "Female"], rows, 0.9),
        "native-country": pick(rng, COUNTRY, rows, 2.4),
        "salary-class": pick(rng, ["<=50K", ">50K"], rows, 1.6),
    })


def generate(path, rows):
    if path.exists():
        return
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        part = pathlib.Path(folder) / "part.parquet"
        writer = None
        for start in range(0, rows, BATCH):
            table = batch(rng, min(BATCH, rows - start))
            writer = writer or pq.ParquetWriter(part, table.schema)
            writer.write_table(table)
        writer.close()
        part.rename(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--pieces", default="0,20")
    parser.add_argument("--kinfold", default="target/release/kinfold")
    parser.add_argument("--more", default="", help="further flags of anonymize")
    args = parser.parse_args()
    folder = pathlib.Path(__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    table = folder / f"large-{args.rows}.parquet"
    generate(table, args.rows)
    quasi = "age:numeric,education-num:numeric,workclass,marital-status,occupation,race,sex,native-country"
    print(f"{args.rows:,} rows, {table.stat().st_size / 2**20:,.0f} MiB")
    for pieces in map(int, args.pieces.split(",")):
        with tempfile.TemporaryDirectory(dir=folder) as out:
            command = [args.kinfold, "anonymize", str(table), "-k", "5", "--quasi", quasi, "--sensitive", "salary-class", "--effort", "quick",
                       "--bound", "none", "--max-memory", "16GiB", "--json", "-o", f"{out}/release.parquet", *args.more.split()]
            command += ["--pieces", str(pieces)] if pieces else []
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(["/usr/bin/env", "python3", "-c", PEAK, *command], capture_output=True, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode:
                sys.exit(done.stderr)
            report = json.loads(done.stdout)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"{report.get('pieces') or 'whole'}: average loss {report['average_loss']:.6f}, {cpu:.1f} CPU s, {cpu / args.rows * 1e6:.2f} µs per row,"
                  f" peak {int(done.stderr.split()[-1]) / 1024:,.0f} MiB, wall {report['seconds']['total']:.1f} s", flush=True)


# Runs a command and says its peak memory in KiB as the last word of standard error.
PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""

if __name__ == "__main__":
    main()
