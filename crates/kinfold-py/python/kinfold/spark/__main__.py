"""The command: `python -m kinfold.spark --table TABLE --policy POLICY --out FOLDER`, or under spark-submit."""

import argparse
import sys

from pyspark.sql import SparkSession

import kinfold
import kinfold.spark


def main(arguments: list[str] | None = None) -> int:
    """Anonymizes a table of files. Answers 0 if there is a release, 2 if there is none."""
    parser = argparse.ArgumentParser(prog="python -m kinfold.spark", description="Anonymizes a table on Spark.")
    parser.add_argument("--table", required=True, help="files of the table: a path that Spark reads")
    parser.add_argument("--format", default="parquet", help="their format, as Spark names it (default: parquet)")
    parser.add_argument("--policy", required=True, help="the policy file, on the driver")
    parser.add_argument("--out", required=True, help="folder of the release, as Parquet; it must not exist")
    parser.add_argument("--piece-rows", type=int, default=500_000, help="rows that one task works on (default: 500000)")
    parser.add_argument("--solver", help="who groups the rows")
    parser.add_argument("--effort", choices=["quick", "normal", "deep"], help="more effort loses less")
    parser.add_argument("--seed", type=int, default=0, help="same table, policy and seed: same release")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    said = parser.parse_args(arguments)
    spark = SparkSession.builder.appName("kinfold").getOrCreate()
    try:
        reader = spark.read.format(said.format)
        table = (reader.option("header", True) if said.format == "csv" else reader).load(said.table)
        _, report = kinfold.spark.anonymize(
            table,
            said.policy,
            path=said.out,
            piece_rows=said.piece_rows,
            solver=said.solver,
            effort=said.effort,
            seed=said.seed,
        )
    except kinfold.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    finally:
        spark.stop()
    print(report.to_json() if said.json else report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
