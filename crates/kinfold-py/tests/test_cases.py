"""The cases of testdata/cases through Python: the same releases, verdicts and errors as the command has."""

import io
import pathlib
import subprocess
import sys
import tomllib

import pandas as pd
import pytest

import kinfold
from conftest import ROOT

FOLDER = ROOT / "testdata" / "cases"


def cases():
    for path in sorted(FOLDER.glob("*.toml")):
        file = tomllib.loads(path.read_text())
        for own in file.get("case", [file]):
            case = {**{key: value for key, value in file.items() if key != "case"}, **own}
            yield pytest.param(case, id=f"{path.stem}: {case['about']}")


def laid_out(case, folder: pathlib.Path) -> None:
    """Files as the command finds them."""
    texts = {"table.csv": case.get("table"), "policy.toml": case.get("policy"), **case.get("files", {})}
    if "published" in case:
        published = case["published"]
        for one, other in case.get("plant", []):
            published = published.replace(one, other)
        texts["release.csv"] = published
    for shared in FOLDER.glob("*.csv"):
        if shared.name in case.get("policy", ""):
            texts.setdefault(shared.name, shared.read_text())
    for name, text in texts.items():
        if text is not None:
            (folder / name).write_text(text, newline="")


def chosen(*keys, args=False):
    def wanted(case):
        return any(key in case for key in keys) and args == bool(case.get("args")) and "command" not in case

    return [case for case in cases() if wanted(case.values[0])]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", chosen("release", "optimum"))
def test_releases(case, folder):
    laid_out(case, folder)
    before = {path.name for path in folder.iterdir()}
    done = kinfold.anonymize("table.csv", "policy.toml", lookup="lookup" in case)
    assert done.lookup == case.get("lookup")
    if "optimum" in case:
        assert done.report.loss > case["optimum"] - 1e-6
    assert {path.name for path in folder.iterdir()} == before
    if "release" not in case:
        return
    lookup = "lookup.out" if "lookup" in case else None
    done.save("release.csv", lookup)
    assert (folder / "release.csv").read_bytes().decode() == case["release"]
    # A frame of the same texts, and the same policy as a dict, give the same bytes.
    if not set(";|\t") & set(case["table"].splitlines()[0]):
        cells = pd.read_csv(io.StringIO(case["table"]), dtype=str, keep_default_na=False)
        policy = kinfold.Policy.open("policy.toml").to_dict()
        kinfold.anonymize(cells, policy, lookup="lookup" in case).save("again.csv", lookup)
        assert (folder / "again.csv").read_bytes().decode() == case["release"]


@pytest.mark.parametrize("case", chosen("release", args=True))
def test_releases_of_the_command(case, folder):
    laid_out(case, folder)
    policy = ["--policy", "policy.toml"] if "policy" in case else []
    command = [sys.executable, "-m", "kinfold", "anonymize", "table.csv", *policy, *case["args"], "-o", "-"]
    told = subprocess.run(command, capture_output=True, cwd=folder)
    assert told.returncode == 0, told.stderr
    assert told.stdout.decode() == case["release"]


@pytest.mark.parametrize("case", chosen("verdict"))
def test_verdicts(case, folder):
    laid_out(case, folder)
    verdict = case["verdict"]
    original = "table.csv" if verdict in ("true", "untrue") else None
    rows = (folder / "release.csv").read_text().splitlines(keepends=True)
    for lines in ([rows[0], *reversed(rows[1:])], rows):
        (folder / "release.csv").write_text("".join(line.rstrip("\n") + "\n" for line in lines))
        report = kinfold.verify("release.csv", "policy.toml", original=original)
        assert bool(report) == (verdict in ("safe", "true")), report
        if verdict in ("safe", "unsafe"):
            assert report.safe == (verdict == "safe"), report
    # Of the release in its own order.
    for reason in [case["reason"]] if isinstance(case.get("reason"), str) else case.get("reason", []):
        assert reason in repr(report)


@pytest.mark.parametrize("case", chosen("error", "mistakes"))
def test_errors(case, folder):
    laid_out(case, folder)
    with pytest.raises(kinfold.Error) as raised:
        if "published" in case and "table" not in case:
            kinfold.verify("release.csv", "policy.toml")
        else:
            kinfold.anonymize("table.csv", "policy.toml").save("out.csv")
    error, told = raised.value, str(raised.value)
    for text in [case["error"]] if isinstance(case.get("error"), str) else case.get("error", []):
        assert text in told
    for text in [case["absent"]] if isinstance(case.get("absent"), str) else case.get("absent", []):
        assert text not in told
    assert "--" not in told, "words of the command"
    assert not (folder / "out.csv").exists()
    if "mistakes" in case:
        assert len(error.mistakes) == len(case["mistakes"])
        for mistake in case["mistakes"]:
            found = [one for one in error.mistakes if mistake["error"] in one.message]
            at = ":".join(part for part in mistake["at"].split(":")[:2] if part) if "at" in mistake else ""
            assert any(at in (one.place or "") for one in found), (mistake, error.mistakes)
