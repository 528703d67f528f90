"""Policies from keywords, dicts and files; mistakes, all together and in Python's words."""

import datetime

import numpy as np
import pandas as pd
import pytest

import kinfold
from kinfold import Policy


def test_keywords_are_the_keys_of_a_policy():
    policy = Policy(
        k=5,
        quasi={"age": {"kind": "numeric", "domain": (0, 120)}, "zip": "category*2", "sex": None},
        sensitive={"diagnosis": {"diversity": 2}},
        identifier="name",
        keep=["city"],
        acknowledge="city",
        closeness={"diagnosis": 0.3},
        missing="-9",
        withhold="2%",
        metric={"scale": "sd"},
    )
    assert policy.to_dict() == {
        "k": 5,
        "missing": ["-9"],
        "withhold": "2%",
        "metric": {"scale": "sd"},
        "columns": {
            "age": {"role": "quasi", "kind": "numeric", "domain": [0, 120]},
            "zip": {"role": "quasi", "weight": 2.0, "kind": "category"},
            "sex": "quasi",
            "name": "identifier",
            "diagnosis": {"role": "sensitive", "diversity": 2, "closeness": 0.3},
            "city": {"role": "keep", "acknowledge": True},
        },
    }


SPECS = {
    "age": {},
    "zip:category": {"kind": "category"},
    "pay:numeric*2.5": {"kind": "numeric", "weight": 2.5},
    "x*0.5": {"weight": 0.5},
    "size:ordinal=S<M<L*3": {"kind": "ordinal", "order": ["S", "M", "L"], "weight": 3.0},
    "ill:hierarchy=ill.csv": {"kind": "hierarchy", "hierarchy": "ill.csv"},
    "county:region=edges.csv+nodes.csv": {"kind": "region", "regions": "edges.csv", "nodes": "nodes.csv"},
    "lat/lon:point": {"kind": "point"},
    "born:date=%d/%m/%Y": {"kind": "date", "date": "%d/%m/%Y"},
    "pay:numeric=comma": {"kind": "numeric", "decimal": ","},
    "age:numeric/5/10/20": {"kind": "numeric", "levels": [5, 10, 20]},
    "dose:numeric/0.5/1*2": {"kind": "numeric", "levels": [0.5, 1], "weight": 2.0},
    "admitted:date/month/year": {"kind": "date", "levels": ["month", "year"]},
    "icd:prefix=3/1": {"kind": "prefix", "prefix": [3, 1]},
}


@pytest.mark.parametrize("spec", SPECS)
def test_specifications_of_quasi_identifiers(spec):
    name = spec.split(":")[0].split("*")[0]
    said = Policy(quasi=spec).to_dict()["columns"]
    assert said == {name: {"role": "quasi", **SPECS[spec]} if SPECS[spec] else "quasi"}


def test_what_is_written_says_the_same(tmp_path):
    policy = Policy(
        k=np.int64(3),
        quasi={"born": {"domain": [datetime.date(1900, 1, 1), "2020-01-01"]}, 'odd "name" \\ \n ü': {}},
        format={"set": ["{", "|", "}"], "star": "\u2605"},
        missing=["", "NA\t"],
        withhold=np.float64(0.02),
        drop_rest=True,
    )
    policy.save(tmp_path / "policy.toml")
    assert Policy.open(tmp_path / "policy.toml").to_dict() == policy.to_dict()
    assert Policy.from_dict(policy.to_dict()).to_toml() == policy.to_toml()
    assert [path.name for path in tmp_path.iterdir()] == ["policy.toml"]


def test_a_file_that_is_opened_and_saved_is_unchanged(tmp_path):
    text = "# A comment.\nk = 2\n\n[columns]\nage = 'quasi'\n"
    (tmp_path / "policy.toml").write_text(text)
    policy = Policy.open(tmp_path / "policy.toml")
    policy.save(tmp_path / "copy.toml")
    assert (tmp_path / "copy.toml").read_text() == text
    assert text.strip() in repr(policy)


def test_files_that_a_policy_names_are_found_wherever_it_is_saved(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "ill.csv").write_text("flu;lung;*\ncold;lung;*\ngout;joint;*\n")
    (tmp_path / "in" / "policy.toml").write_text(
        'k = 2\n[columns.ill]\nrole = "quasi"\nhierarchy = "ill.csv"\n[columns]\nage = "drop"\n'
    )
    frame = pd.DataFrame({"ill": ["flu", "cold", "gout", "gout"], "age": [1, 2, 3, 4]})
    done = kinfold.anonymize(frame, tmp_path / "in" / "policy.toml")
    assert set(done.frame["ill"]) == {"lung", "gout"}
    done.policy.save(tmp_path / "out" / "policy.toml")
    assert kinfold.verify(done.frame, tmp_path / "out" / "policy.toml", original=frame)
    done.policy.save(tmp_path / "policy.toml")
    assert 'hierarchy = "in/ill.csv"' in (tmp_path / "policy.toml").read_text()


def test_keywords_win_over_a_policy(people, settings):
    policy = Policy(**settings)
    done = kinfold.anonymize(people, policy, k=6, effort="quick")
    assert done.report.k == 6 and policy["k"] == 4
    changed = Policy(policy, keep="education")
    assert changed["columns"]["education"] == "keep"
    # The bare role takes no protection away.
    assert Policy(policy, sensitive="diagnosis") == policy


def test_the_policy_of_a_release_names_every_column(people, settings):
    del settings["drop"]
    done = kinfold.anonymize(people, effort="quick", drop_rest=True, **settings)
    assert done.policy["columns"]["education"] == "drop"
    assert set(done.policy["columns"]) == set(people.columns)
    assert kinfold.verify(done.frame, done.policy, original=people)


def test_a_column_without_a_role_is_an_error(people, settings):
    del settings["drop"]
    with pytest.raises(kinfold.PolicyError) as raised:
        kinfold.anonymize(people, **settings)
    assert '"education", "admitted"' in raised.value.message
    assert "drop_rest=True" in raised.value.hint and "keep=" in raised.value.hint


def test_all_mistakes_are_reported_together(people):
    with pytest.raises(kinfold.PolicyError) as raised:
        kinfold.anonymize(
            people,
            k=1,
            quazi=["age"],
            quasi=["agee", "sex:categry", "zip"],
            keep=["zip", "education"],
            sensitive={"diagnosis": {"diversity": -1}},
            identifier="name",
            drop="admitted",
            form="rangs",
        )
    told = {mistake.message: mistake for mistake in raised.value.mistakes}
    expected = [
        ("k is 1", "k=", "at least"),
        ('no keyword "quazi"', "quazi=", "quasi="),
        ('unknown kind "categry"', "quasi=", "category"),
        ('"zip" is named twice, as quasi and as keep', "keep=", "one role"),
        ('unknown form "rangs"', "form=", "ranges"),
        ('no column "agee"', "quasi=", '"age"'),
        ("privacy model distinct", "sensitive=", "whole number"),
        ('a column has no role: "age"', None, "quasi="),
    ]
    for message, place, hint in expected:
        (found,) = [one for what, one in told.items() if message in what]
        assert found.place == place and hint in (found.hint or ""), found
    assert len(told) == len(expected), raised.value
    assert str(raised.value).count("hint:") == len(expected)


def test_mistakes_in_a_dict_and_in_a_file_are_placed(tmp_path, people):
    wrong = {"k": 0, "columns": {"age": {"role": "quasi", "weight": -1}}}
    with pytest.raises(kinfold.PolicyError) as raised:
        kinfold.anonymize(people, wrong, drop_rest=True)
    assert [mistake.place for mistake in raised.value.mistakes] == ["policy['k']", "policy['columns']['age']"]
    (tmp_path / "policy.toml").write_text("k = 2\n\n[columns.age]\nrole = 'quasi'\nweight = -1\n")
    path = tmp_path / "policy.toml"
    for call in (Policy.open(path).check, lambda: kinfold.anonymize(people, path, drop_rest=True)):
        with pytest.raises(kinfold.PolicyError) as raised:
            call()
        assert "weight -1" in raised.value.message
    (tmp_path / "policy.toml").write_text("Zephyrine,35,F\n")
    with pytest.raises(kinfold.PolicyError, match="not TOML") as raised:
        Policy.open(path)
    assert "Zephyrine" not in str(raised.value)
    with pytest.raises(kinfold.PolicyError, match="cannot read"):
        Policy.open(tmp_path / "nowhere.toml")


def test_hints_speak_python(people, settings):
    del settings["k"]
    with pytest.raises(kinfold.PolicyError) as raised:
        kinfold.anonymize(people, **settings)
    assert raised.value.hint == "use k=5, or k = 5 in the policy"
    with pytest.raises(kinfold.ImpossibleError):
        kinfold.anonymize(people, k=500, **settings)


def test_a_policy_takes_only_what_toml_can_say():
    for value in (object(), b"bytes", {1: object()}):
        with pytest.raises(kinfold.UsageError):
            Policy(missing=value) if not isinstance(value, dict) else Policy(metric=value)
    with pytest.raises(kinfold.UsageError, match="not a dict"):
        Policy(sensitive={"diagnosis": 2})


def test_ends_are_rounded_by_keyword(people, settings):
    rounded = kinfold.anonymize(people, effort="quick", round={"age": 10}, **settings)
    ends = [cell.strip("[]").split("-") for cell in rounded.frame["age"].astype(str)]
    assert all(int(low) % 10 == 0 and int(high) % 10 == 9 for low, high in ends)
    assert kinfold.Policy(k=2, quasi="age", blunt=True)["blunt"] is True


def test_levels_have_keywords(people, settings):
    groups = {"school": ["primary", "secondary"], "degree": ["bachelor", "master"]}
    said = {
        "levels": {"age": [10, 20], "education": groups},
        "level": {"age": 20, "education": 1},
        "top": {"age": 80},
        "bottom": {"age": 20},
        "origin": {"age": 0},
    }
    settings = {**settings, "quasi": ["age", "sex", "education"], "drop": ["admitted", "zip"]}
    done = kinfold.anonymize(people, effort="quick", withhold="40%", **settings, **said)
    assert done.policy["columns"]["age"] == {"role": "quasi", **{key: of["age"] for key, of in said.items()}}
    assert set(done.frame["age"]) <= {"<20", "20-39", "40-59", "60-79", "80+"}
    assert set(done.frame["education"]) <= set(groups)
    ranged = Policy(k=2, quasi="place", finest={"place": 1}, coarsest={"place": 2}, unknown={"place": "top"})
    assert ranged["columns"]["place"] == {"role": "quasi", "finest": 1, "coarsest": 2, "unknown": "top"}
    for wrong in ({"level": 10}, {"unknown": "top"}):
        with pytest.raises(kinfold.UsageError, match="not a dict from columns"):
            Policy(k=2, quasi="age", **wrong)
