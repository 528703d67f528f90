#!/usr/bin/env python3
"""Risk figures of `kinfold risk` on UCI Adult against those that ARX 3.9 computed for the same columns.

    python3 bench/risk.py adult.csv [kinfold]

adult.csv: 30,162 complete rows with a header. Prints every figure beside its reference; exit code 1 if one is
off in the last digit of the reference.
"""

import json
import subprocess
import sys

COLUMNS = "age,workclass,education,marital-status,race,sex,native-country"
THRESHOLDS = {0.05: 0.693820, 0.1: 0.590909, 0.2: 0.452788, 0.33: 0.408362, 0.5: 0.253730}
SIZES = {1: 7653, 2: 1378, 3: 636, 4: 335, 5: 217}
# Share of population uniques in percent: sampling fraction or population size -> (Pitman, Zayatz).
UNIQUES = {
    ("--population-size", "317238626"): (1.06779, 6.44974),
    ("--sampling-fraction", "0.01"): (5.28788, 7.55905),
    ("--sampling-fraction", "0.1"): (11.6658, 12.1358),
    ("--sampling-fraction", "0.2"): (14.8032, 14.7007),
    ("--sampling-fraction", "0.5"): (20.2816, 19.8228),
}
# Distinction and separation.
SETS = {
    "age": (0.00238711, 0.978117),
    "native-country": (0.00135933, 0.167895),
    "education": (0.000530469, 0.807438),
    "marital-status": (0.000232080, 0.657201),
    "workclass": (0.000232080, 0.438471),
    "race": (0.000165772, 0.251017),
    "sex": (0.0000663086, 0.438284),
    "all": (0.367648, 0.999357),
}


def main():
    table, kinfold = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else "kinfold")
    faults = 0

    def risk(*more):
        out = subprocess.run(
            [kinfold, "risk", table, "--quasi", COLUMNS, "--json", *more], check=True, capture_output=True
        )
        return json.loads(out.stdout)

    def compare(what, found, wanted):
        nonlocal faults
        # As many digits as the reference has: half a unit of its last one.
        digits = f"{wanted:.12g}"
        unit = 10.0 ** -len(digits.split(".")[1]) if "." in digits else 1.0
        if "e" in digits:
            mantissa, power = digits.split("e")
            unit = 10.0 ** (int(power) - len(mantissa.split(".")[1]))
        good = abs(found - wanted) <= 0.51 * unit
        faults += not good
        print(f"{'ok ' if good else 'OFF'}  {what:44} {found:<22.12g} {digits}")

    report = risk("--threshold", ",".join(map(str, THRESHOLDS)))
    compare("classes", report["classes"], 11089)
    compare("mean class size", report["average_class"], 2.71999)
    compare("sample uniques", report["sample_uniques"], 7653)
    compare("sample uniques, share", report["sample_uniques_share"], 0.253730)
    prosecutor = report["prosecutor"]
    compare("prosecutor: highest", prosecutor["highest"], 1)
    compare("prosecutor: average = marketer", prosecutor["average"], 0.367648034)
    compare("prosecutor: lowest", prosecutor["lowest"], 0.00729927)
    for at in prosecutor["above"]:
        compare(f"people above {at['threshold']}", at["share"], THRESHOLDS[at["threshold"]])
    sizes = {entry["size"]: entry["classes"] for entry in report["class_sizes"]}
    for size, classes in SIZES.items():
        compare(f"classes of {size}", sizes[size], classes)
    sets = {entry["columns"][0]: entry for entry in report["single_columns"]} | {"all": report["all_columns"]}
    for name, (distinction, separation) in SETS.items():
        compare(f"distinction of {name}", sets[name]["distinction"], distinction)
        compare(f"separation of {name}", sets[name]["separation"], separation)
    for (flag, value), (pitman, zayatz) in UNIQUES.items():
        found = risk(flag, value)["population_uniques"]
        by = {estimate["method"]: estimate for estimate in found["estimates"]}
        compare(f"Pitman, {flag[2:]} {value} (%)", 100 * by["pitman"]["share"], pitman)
        compare(f"Zayatz, {flag[2:]} {value} (%)", 100 * by["zayatz"]["share"], zayatz)
        snb = by["snb"]
        said = f"{100 * snb['share']:.4f} %" if snb["share"] is not None else snb["no_answer"]
        print(f"     SNB, {flag[2:]} {value}: {said}; Dankar's rule takes {found['chosen']}")
    for fraction, wanted in (("0.1", "pitman"), ("0.11", "zayatz")):
        chosen = risk("--sampling-fraction", fraction)["population_uniques"]["chosen"]
        faults += chosen != wanted
        print(f"{'ok ' if chosen == wanted else 'OFF'}  Dankar's rule at {fraction}: {chosen}")
    sys.exit(1 if faults else 0)


main()
