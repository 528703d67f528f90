#!/usr/bin/env python3
"""Compares what `kinfold verify --json` says a release reaches with what pycanon computes of the same release.

    python3 -m venv venv && venv/bin/pip install pycanon==1.3.6
    venv/bin/python bench/pycanon_check.py adult.csv diabetes130.csv.gz --kinfold target/release/kinfold

Fifty policies on samples of 1,000 rows: kinfold makes a release, both tools look at its bytes. No text stands for a missing
value here, as pycanon counts a missing value as a value of its own. Where pycanon 1.3.6 defines a number in another way than the
literature, the comparison follows its convention if kinfold's report and the release allow that:

- entropy l: pycanon rounds down to a whole number. Compared so; an l within 1e-6 of a whole number may be one less there.
- recursive (c, l): pycanon sorts counts in ascending order, so that its c compares the rarest value with the commonest ones.
  kinfold's c is compared with the definition of Machanavajjhala et al. (descending), written out here over the release.
- t: pycanon takes ordered distance for numbers and equal distance for texts. Compared with the t of that distance.
- enhanced beta: pycanon reports min(beta, -ln p) with the basic beta and the rarest value's p. Compared with that formula over
  kinfold's basic beta. kinfold's own enhanced beta is none if any value gains more than its own -ln p.
- delta: pycanon skips values that a group lacks. Compared with kinfold's `disclosure_of_present`; kinfold's own delta is then none.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import pandas as pd
from pycanon import anonymity

# Table, quasi-identifiers, sensitive column, whether it is a number.
COLUMNS = [
    (0, ["age", "sex", "race", "marital-status"], "salary-class", False),
    (0, ["age", "sex", "education", "native-country"], "occupation", False),
    (0, ["age", "sex", "workclass"], "education-num", True),
    (1, ["race", "gender", "age", "admission_type_id"], "readmitted", False),
    (1, ["race", "gender", "age", "payer_code"], "time_in_hospital", True),
]
MODELS = {
    False: ["", "diversity = 2", "diversity = { entropy = 1.3 }", "diversity = { recursive = [4, 2] }", "closeness = 0.3",
            "likeness = 2", "likeness = { enhanced = 2 }", "disclosure = 3", "diversity = 2, closeness = 0.4", "closeness = 0.15"],
    True: ["", "diversity = 3", "diversity = { entropy = 2.5 }", "diversity = { recursive = [3, 3] }",
           'closeness = { t = 0.15, distance = "ordered" }', "likeness = 4", "closeness = 0.4", "disclosure = 5",
           'diversity = 4, closeness = { t = 0.2, distance = "ordered" }', "likeness = { enhanced = 3 }"],
}
KS = [2, 5, 3, 10, 4]


def policy_text(columns, quasi, sensitive, number, model, k):
    lines = [f"k = {k}", 'missing = ["no text"]', "[columns]"]
    for name in columns:
        if name in quasi:
            kind = "numeric" if name == "age" and "[" not in columns[name] else "category"
            lines.append(f'"{name}" = {{ role = "quasi", kind = "{kind}" }}')
        elif name == sensitive:
            said = ['role = "sensitive"'] + (['kind = "numeric"'] if number else []) + ([model] if model else [])
            lines.append(f'"{name}" = {{ {", ".join(said)} }}')
        else:
            lines.append(f'"{name}" = "drop"')
    return "\n".join(lines) + "\n"


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def recursive_c(release, quasi, sensitive, l):
    """The largest r_1 / (r_l + ... + r_m) of all groups."""
    worst = 0.0
    for _, group in release.groupby(quasi):
        counts = group[sensitive].value_counts().tolist()
        worst = max(worst, counts[0] / sum(counts[l - 1:]))
    return worst


def compare(release, quasi, sensitive, number, report):
    """Pairs of numbers, kinfold's first, by name."""
    reached = report["reached"][0]
    sa = [sensitive]
    p = release[sensitive].value_counts(normalize=True)
    entropy = anonymity.entropy_l_diversity(release, quasi, sa)
    ours = int(reached["entropy_l"])
    near = abs(reached["entropy_l"] - round(reached["entropy_l"])) < 1e-6
    if near:
        ours = entropy if entropy in (round(reached["entropy_l"]), round(reached["entropy_l"]) - 1) else ours
    t = reached["closeness_ordered"] if number else reached["closeness_equal"]
    basic = reached["likeness_basic"]
    return {
        "k": (report["smallest_group"], anonymity.k_anonymity(release, quasi)),
        "l": (reached["distinct_l"], anonymity.l_diversity(release, quasi, sa)),
        "entropy l": (ours, entropy),
        "recursive c": (reached["recursive_c"], recursive_c(release, quasi, sensitive, reached["distinct_l"])),
        "t": (t, anonymity.t_closeness(release, quasi, sa)),
        "beta": (basic, anonymity.basic_beta_likeness(release, quasi, sa)),
        "enhanced": (min(basic, -math.log(p.min())), anonymity.enhanced_beta_likeness(release, quasi, sa)),
        "delta": (reached["disclosure_of_present"], anonymity.delta_disclosure(release, quasi, sa)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("adult")
    parser.add_argument("diabetes")
    parser.add_argument("--kinfold", default="target/release/kinfold")
    parser.add_argument("--rows", type=int, default=1000)
    args = parser.parse_args()
    tables = [pd.read_csv(path, dtype=str, keep_default_na=False) for path in (args.adult, args.diabetes)]
    agreed, total, names = {}, 0, None
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number_of_policy in range(50):
            which, quasi, sensitive, number = COLUMNS[number_of_policy % 5]
            model = MODELS[number][number_of_policy // 5]
            k = KS[(number_of_policy // 5 + number_of_policy) % 5]
            sample = tables[which].sample(args.rows, random_state=number_of_policy)
            sample.to_csv(folder / "table.csv", index=False)
            first = {name: sample[name].iloc[0] for name in sample.columns}
            (folder / "policy.toml").write_text(policy_text(first, quasi, sensitive, number, model, k))
            policy = ["--policy", folder / "policy.toml"]
            run([args.kinfold, "anonymize", folder / "table.csv", *policy, "-o", folder / "release.csv", "--quiet",
                 "--effort", "quick"])
            report = json.loads(run([args.kinfold, "verify", folder / "release.csv", *policy, "--json"]))
            release = pd.read_csv(folder / "release.csv", dtype=str, keep_default_na=False)
            if number:
                release[sensitive] = pd.to_numeric(release[sensitive])
            pairs = compare(release, quasi, sensitive, number, report)
            if names is None:
                names = list(pairs)
                print(f"{'':3} {'sensitive':17} {'k':>2} {'model':50} " + " ".join(f"{name:>11}" for name in names))
            cells = []
            total += 1
            for name, (ours, theirs) in pairs.items():
                same = abs(ours - theirs) <= 2e-9 * max(1.0, abs(theirs))
                agreed[name] = agreed.get(name, 0) + same
                cells.append(f"{theirs:11.4f}" if same else f"{ours:.4f}!={theirs:.4f}")
            print(f"{number_of_policy + 1:3} {sensitive:17} {k:2} {model or '(none)':50} " + " ".join(cells), flush=True)
    own = ["recursive c", "enhanced"]
    told = [f"{name} {agreed[name]}" for name in names if name not in own]
    print(f"agree with pycanon, of {total} releases: " + ", ".join(told))
    print(f"agree with the definition: recursive c {agreed['recursive c']}; "
          f"with pycanon's formula over kinfold's basic beta: enhanced {agreed['enhanced']}")
    sys.exit(0 if all(count == total for count in agreed.values()) else 1)


if __name__ == "__main__":
    main()
