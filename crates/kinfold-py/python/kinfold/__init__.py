"""Anonymizes data frames about people.

A release is k-anonymous: every row equals those of at least k - 1 others on the quasi-identifiers. As little
information is lost as possible, and an independent verifier has passed what you get.

    done = kinfold.anonymize(df, k=5, quasi=["age", "sex", "zip:category"], identifier=["name"])
    done.frame     # a frame of the same kind as df
    done.report    # what was lost, and what was proven
"""

from ._calls import Anonymized, anonymize, certify, compare, hierarchy, inspect, risk, solvers, verify, whatif
from ._errors import (
    Error,
    ImpossibleError,
    InternalError,
    Mistake,
    OutputError,
    PolicyError,
    SolverError,
    TableError,
    UsageError,
)
from ._kinfold import __version__
from ._policy import Policy
from ._reports import (
    AnonymizeReport,
    CertifyReport,
    CompareReport,
    Inspection,
    Ladder,
    Record,
    Report,
    RiskReport,
    VerifyReport,
    WhatIfReport,
)

__all__ = [
    "AnonymizeReport",
    "Anonymized",
    "CertifyReport",
    "CompareReport",
    "Error",
    "ImpossibleError",
    "Inspection",
    "InternalError",
    "Ladder",
    "Mistake",
    "OutputError",
    "Policy",
    "PolicyError",
    "Record",
    "Report",
    "RiskReport",
    "SolverError",
    "TableError",
    "UsageError",
    "VerifyReport",
    "WhatIfReport",
    "__version__",
    "anonymize",
    "certify",
    "compare",
    "hierarchy",
    "inspect",
    "risk",
    "solvers",
    "verify",
    "whatif",
]
