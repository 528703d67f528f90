"""The same policies on Spark: tables that are spread over many machines.

    from kinfold import spark as kinfold_spark

    release, report = kinfold_spark.anonymize(df, "policy.toml", path="hdfs:///releases/2026-11")

The table is cut into pieces of neighbouring rows. Each piece is anonymized by one task on the scale of the whole table,
and the verifier passes the release as a whole before it gets its name. Every executor needs this package, in one
version.
"""

from ._calls import Anonymized, AnonymizeReport, anonymize, inspect, verify

__all__ = ["AnonymizeReport", "Anonymized", "anonymize", "inspect", "verify"]
