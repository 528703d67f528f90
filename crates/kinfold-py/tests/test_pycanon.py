"""pycanon computes the same of a release as the verifier says that it reaches."""

import importlib.util
import random

import pandas as pd
import pytest

import kinfold
from conftest import ROOT

SCRIPT = importlib.util.spec_from_file_location("pycanon_check", ROOT / "bench" / "pycanon_check.py")
RELEASES = 50


@pytest.fixture(scope="module")
def check():
    pytest.importorskip("pycanon")
    module = importlib.util.module_from_spec(SCRIPT)
    SCRIPT.loader.exec_module(module)
    return module


def table(seed: int) -> pd.DataFrame:
    drawn = random.Random(seed)
    rows = 150
    return pd.DataFrame(
        {
            "age": [str(drawn.randint(18, 80)) for _ in range(rows)],
            "sex": [drawn.choice("FM") for _ in range(rows)],
            "city": [drawn.choice(["Ulm", "Bonn", "Kiel"]) for _ in range(rows)],
            "ill": [drawn.choice(["flu", "flu", "gout", "cold"]) for _ in range(rows)],
            "days": [str(min(drawn.randint(1, 9), drawn.randint(1, 9))) for _ in range(rows)],
        }
    )


def test_fifty_releases(check):
    quasi = ["age", "sex", "city"]
    for seed in range(RELEASES):
        number = seed % 2 == 1
        sensitive = "days" if number else "ill"
        model = check.MODELS[number][seed // 2 % 10]
        text = check.policy_text(dict(table(seed).iloc[0]), quasi, sensitive, number, model, check.KS[seed % 5])
        policy = kinfold.Policy._parse(text)
        done = kinfold.anonymize(table(seed), policy, effort="quick")
        report = kinfold.verify(done.frame, policy)
        release = done.frame.astype(str)
        if number:
            release[sensitive] = pd.to_numeric(release[sensitive])
        for name, (ours, theirs) in check.compare(release, quasi, sensitive, number, report.to_dict()).items():
            assert abs(ours - theirs) <= 2e-9 * max(1.0, abs(theirs)), (seed, model, name, ours, theirs)
