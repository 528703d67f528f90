#!/usr/bin/env python3
"""Loss and CPU time of privacy models on the UCI Adult table, at normal and quick effort.

    cargo build --release --locked
    python3 bench/models.py ADULT.csv

Quasi-identifiers: age (numeric), workclass, education, marital-status, race, sex, native-country (categories); sensitive:
occupation; k = 5. The loss is the average per cell (NCP with tight bounds); nobody is withheld. CPU seconds are those of grouping.
"""
import json
import pathlib
import subprocess
import sys

KINFOLD = pathlib.Path(__file__).parent.parent / "target/release/kinfold"
CATEGORIES = ["workclass", "education", "marital-status", "race", "sex", "native-country"]
MODELS = {
    "k = 5 alone": [],
    "distinct 3-diversity": ["--diversity", "occupation=3"],
    "entropy 3-diversity": ["--diversity", "occupation=entropy:3"],
    "recursive (3, 3)-diversity": ["--diversity", "occupation=recursive:3:3"],
    "t-closeness 0.2": ["--closeness", "occupation=0.2"],
    "t-closeness 0.1": ["--closeness", "occupation=0.1"],
    "basic 2-likeness": ["--set", "columns.occupation.likeness = 2"],
}


def run(table, effort, flags):
    quasi = ",".join(["age:numeric"] + [f"{name}:category" for name in CATEGORIES])
    command = [KINFOLD, "anonymize", table, "-k", "5", "--quasi", quasi, "--sensitive", "occupation", "--drop-rest"]
    command += ["--bound", "none", "--effort", effort, "--json", *flags]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("| k = 5 and … | normal: loss | CPU s | groups | quick: loss | CPU s |\n|---|---|---|---|---|---|")
    for name, flags in MODELS.items():
        normal, quick = (run(sys.argv[1], effort, flags) for effort in ["normal", "quick"])
        figures = [normal["average_loss"], normal["solve_cpu_seconds"], normal["groups"]]
        figures += [quick["average_loss"], quick["solve_cpu_seconds"]]
        print("| {} | {:.5f} | {:.1f} | {:,} | {:.5f} | {:.2f} |".format(name, *figures))


if __name__ == "__main__":
    main()
