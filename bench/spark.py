#!/usr/bin/env python3
"""Anonymizes generated rows on Spark with two executor processes of one core each: CPU, memory and loss.

    target/python/bin/python bench/spark.py --rows 10000000 --kinfold target/release/kinfold

Needs pyspark, psutil, numpy and a release build of the Python package (`maturin develop --release`). With --kinfold the command
anonymizes the same table as a whole on one machine, for comparison. The rows have the columns and the rough shape of those of
generate.py; the same arguments give the same rows. Prints JSON.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

QUASI = ["age", "workclass", "education_num", "marital", "occupation", "race", "sex", "country"]
SIZES = {"workclass": 7, "marital": 7, "occupation": 14, "race": 5, "country": 41}


def rows(random, count):
    """People whose columns depend on each other, so that records repeat as they do in real tables."""
    age = np.clip(random.gamma(6.0, 6.5, count) + 16, 17, 90).astype(np.int32)
    schooling = np.clip(random.normal(10 + (age > 25), 2.5, count), 1, 16).astype(np.int32)

    def label(name, toward):
        size = SIZES[name]
        skewed = (size * random.random(count) ** 3 + toward).astype(np.int64) % size
        return pa.DictionaryArray.from_arrays(skewed.astype(np.int32), [f"{name}-{i:02}" for i in range(size)])

    columns = {
        "age": age,
        "workclass": label("workclass", 0),
        "education_num": schooling,
        "marital": label("marital", (age > 30).astype(int)),
        "occupation": label("occupation", schooling // 4),
        "race": label("race", 0),
        "sex": pa.array(np.where(random.random(count) < 0.67, "Male", "Female")),
        "country": label("country", 0),
    }
    table = pa.table(columns)
    text = {name: table[name].cast(pa.string()) for name in table.column_names if pa.types.is_dictionary(table[name].type)}
    return pa.table({name: text.get(name, table[name]) for name in table.column_names})


def generate(folder, count, seed):
    """Parquet files of a million rows each, and one of all for the command."""
    random = np.random.default_rng(seed)
    folder.mkdir()
    whole = None
    for at in range(0, count, 1_000_000):
        part = rows(random, min(1_000_000, count - at))
        pq.write_table(part, folder / f"part-{at // 1_000_000:05}.parquet", row_group_size=250_000)
        whole = whole or pq.ParquetWriter(f"{folder}.parquet", part.schema)
        whole.write_table(part)
    whole.close()


class Meter(threading.Thread):
    """CPU seconds of all processes below this one, and the peak memory of executors and of their Python processes."""

    def __init__(self):
        super().__init__(daemon=True)
        self.cpu, self.peak, self.going = {}, {"executor": 0, "python": 0}, True

    def run(self):
        while self.going:
            for child in psutil.Process().children(recursive=True):
                try:
                    key, used = (child.pid, child.create_time()), child.cpu_times()
                    self.cpu[key] = used.user + used.system
                    words = " ".join(child.cmdline())
                    kind = "executor" if "CoarseGrainedExecutorBackend" in words else "python"
                    if kind == "executor" or "pyspark" in words:
                        self.peak[kind] = max(self.peak[kind], child.memory_info().rss)
                except psutil.Error:
                    continue
            time.sleep(0.2)


def on_spark(said, folder):
    from pyspark.sql import SparkSession

    import kinfold.spark

    builder = SparkSession.builder.master(f"local-cluster[2,1,{said.memory}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.executor.memory", f"{said.memory}m").config("spark.driver.host", "127.0.0.1")
    spark = builder.config("spark.log.level", "ERROR").config("spark.local.dir", str(folder / "local")).getOrCreate()
    meter, start, phases = Meter(), time.monotonic(), []
    meter.start()
    own = time.process_time()
    table = spark.read.parquet(str(folder / "table"))
    _, report = kinfold.spark.anonymize(
        table,
        k=said.k,
        quasi=QUASI,
        path=str(folder / "release"),
        piece_rows=said.piece_rows,
        effort=said.effort,
        progress=lambda phase, *_: phases.append((phase, round(time.monotonic() - start, 1))),
    )
    meter.going = False
    meter.join()
    cpu, wall = sum(meter.cpu.values()) + time.process_time() - own, time.monotonic() - start
    spark.stop()
    return {
        "wall_seconds": round(wall, 1),
        "cpu_seconds": round(cpu, 1),
        "cpu_microseconds_per_row": round(1e6 * cpu / said.rows, 2),
        "peak_executor_mib": meter.peak["executor"] >> 20,
        "peak_python_mib": meter.peak["python"] >> 20,
        "phases_start": phases,
        "pieces": report.pieces,
        "loss": report.loss,
        "average_loss": report.average_loss,
        "solve_cpu_seconds": report.to_dict().get("solve_cpu_seconds"),
        "seconds": report.to_dict()["seconds"],
    }


def on_one_machine(said, folder, *more):
    before = psutil.Process().cpu_times()
    start = time.monotonic()
    command = [said.kinfold, "anonymize", f"{folder / 'table'}.parquet", "-k", str(said.k), "--quasi", ",".join(QUASI)]
    command += ["--effort", said.effort, "--bound", "none", "--threads", "2", "--json", "--force", *more]
    told = subprocess.run([*command, "-o", str(folder / "one.parquet")], capture_output=True, text=True, check=True)
    after = psutil.Process().cpu_times()
    report = json.loads(told.stdout)
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {
        "wall_seconds": round(time.monotonic() - start, 1),
        "cpu_seconds": round(cpu, 1),
        "loss": report["loss"],
        "average_loss": report["average_loss"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--piece-rows", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory", type=int, default=1536, help="MiB of an executor")
    parser.add_argument("--kinfold", help="the command, to compare with")
    said = parser.parse_args()
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        generate(folder / "table", said.rows, said.seed)
        found = {"rows": said.rows, "k": said.k, "effort": said.effort, "piece_rows": said.piece_rows}
        if said.kinfold:
            found["whole"] = on_one_machine(said, folder)
            found["in pieces"] = on_one_machine(said, folder, "--pieces", str(-(-said.rows // said.piece_rows)))
        found["spark"] = on_spark(said, folder)
        if said.kinfold:
            found["loss against the whole"] = round(found["spark"]["loss"] / found["whole"]["loss"] - 1, 5)
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
