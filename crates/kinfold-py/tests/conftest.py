"""A table of people that many tests use, and the folder of the repository."""

import pathlib

import pandas as pd
import pytest

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture
def people() -> pd.DataFrame:
    """Thirty-six patients."""
    return pd.read_csv(ROOT / "examples" / "patients.csv", dtype={"zip": str})


@pytest.fixture
def settings() -> dict:
    """A policy for them."""
    return {
        "k": 4,
        "quasi": ["age", "sex", "zip:category"],
        "identifier": "name",
        "sensitive": {"diagnosis": {"diversity": 2}},
        "drop": ["education", "admitted"],
    }
