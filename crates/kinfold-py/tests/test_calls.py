"""The other calls, reports, progress, threads, stopping, the command."""

import collections
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pandas as pd
import pytest

import kinfold


@pytest.fixture
def done(people, settings):
    return kinfold.anonymize(people, effort="quick", **settings)


def test_a_report_has_every_form(done, people):
    report = done.report
    assert report.rows == len(people) and report.released == len(people)
    assert report.columns[0].column == "age" and 0 <= report.columns[0].loss <= 1
    assert json.loads(report.to_json()) == report.to_dict()
    assert repr(report).startswith("safe\n\n  36 rows in ") and repr(done) == repr(report)
    shown = report._repr_html_()
    assert "<pre>safe" in shown and 'src="data:image/svg+xml;base64,' in shown
    assert report.chart.startswith("<svg") and "\x1b" not in repr(report)
    assert "average_loss" in dir(report)
    with pytest.raises(AttributeError, match="no_such_thing"):
        report.no_such_thing  # noqa: B018


def test_the_groups_are_those_of_the_release(done, people):
    assert len(done.groups) == len(people)
    sizes = pd.Series(done.groups).value_counts()
    assert sizes.min() >= 4 and len(sizes) >= done.report.groups


def test_the_same_seed_gives_the_same_release(people, settings, tmp_path):
    for name, threads in [("one.csv", 1), ("two.csv", 2)]:
        kinfold.anonymize(people, seed=7, threads=threads, **settings).save(tmp_path / name)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_earlier_releases_are_laid_over_the_new_one(people, settings, tmp_path):
    assert kinfold.anonymize(people, effort="quick", **settings).report.overlay is None
    wide = kinfold.anonymize(people, **{**settings, "k": 8})
    wide.save(tmp_path / "old.csv")
    of_frame, of_path, of_both = (
        kinfold.anonymize(people, seed=2, after=after, **settings).report.overlay
        for after in [wide.frame, tmp_path / "old.csv", [wide.frame, str(tmp_path / "old.csv")]]
    )
    assert [release.name for release in of_both.releases] == ["1", "old.csv"]
    assert of_frame.below_k == of_path.below_k == of_both.below_k and of_frame.people == len(people)
    kept = kinfold.anonymize(people, seed=2, after=wide.frame, refuse=True, **settings)
    assert kept.report.overlay.below_k == 0 and kept.report.overlay.smallest >= 4
    assert kept.report.overlay.releases[0].new == 0
    with pytest.raises(kinfold.ImpossibleError, match="in every intersection") as caught:
        kinfold.anonymize(people.iloc[:-5], after=wide.frame, refuse=True, **{**settings, "k": 8})
    assert "refuse=True" in str(caught.value)
    with pytest.raises(kinfold.UsageError, match="no earlier release"):
        kinfold.anonymize(people, refuse=True, **settings)
    with pytest.raises(kinfold.PolicyError, match=r'earlier release 1: .*"age"'):
        kinfold.anonymize(people, after=[wide.frame.drop(columns="age")], **settings)


def test_the_groups_of_earlier_releases_link_them(people, settings, tmp_path):
    wide = kinfold.anonymize(people, **{**settings, "k": 8})
    (tmp_path / "groups.csv").write_text("group\n" + "".join(f"{group}\n" for group in wide.groups))
    for groups in [wide.groups, tmp_path / "groups.csv", pd.Series(wide.groups)]:
        kept = kinfold.anonymize(people, seed=2, after=wide.frame, after_groups=groups, refuse=True, **settings)
        assert kept.report.overlay.releases[0].by_groups_file and kept.report.overlay.below_k == 0
        assert min(collections.Counter(zip(wide.groups, kept.groups, strict=True)).values()) >= 4
    both = kinfold.anonymize(people, after=[wide.frame] * 2, after_groups=[wide.groups, None], **settings)
    assert [release.by_groups_file for release in both.report.overlay.releases] == [True, False]
    with pytest.raises(kinfold.UsageError, match="does not belong to the earlier release"):
        kinfold.anonymize(people, after=wide.frame, after_groups=kept.groups, **settings)
    with pytest.raises(kinfold.UsageError, match="after has 2 releases, after_groups 1"):
        kinfold.anonymize(people, after=[wide.frame] * 2, after_groups=[wide.groups], **settings)
    with pytest.raises(kinfold.UsageError, match="not the groups of a release"):
        kinfold.anonymize(people, after=wide.frame, after_groups=["a"], **settings)
    with pytest.raises(kinfold.UsageError, match="cannot read the groups file"):
        kinfold.anonymize(people, after=wide.frame, after_groups=tmp_path / "none.csv", **settings)


def test_people_who_count_as_new_are_an_error_unless_allowed(people, settings):
    first = kinfold.anonymize(people.iloc[:-8], **settings)
    with pytest.raises(kinfold.UsageError, match="may count as new") as caught:
        kinfold.anonymize(people, after=first.frame, refuse=True, **settings)
    assert "new_people=8" in str(caught.value)
    kept = kinfold.anonymize(people, after=first.frame, refuse=True, new_people=8, withhold=0.5, **settings)
    assert kept.report.overlay.releases[0].new == 8
    with pytest.raises(kinfold.UsageError, match="new_people is not a whole number"):
        kinfold.anonymize(people, after=first.frame, refuse=True, new_people=-1, **settings)


def test_a_secret_seed_is_in_the_record_alone(people, settings):
    one, two = (kinfold.anonymize(people, seed="secret", **settings) for _ in range(2))
    seed = one.record["seed"]
    assert one.record["secret_seed"] and seed != two.record["seed"] and one.record["version"] == kinfold.__version__
    assert str(seed) not in repr(one.report) + json.dumps(one.report.to_dict()) + one.report._repr_html_()
    again = kinfold.anonymize(people, seed=seed, **settings)
    assert again.groups == one.groups and not again.record["secret_seed"]
    with pytest.raises(kinfold.UsageError, match="seed is not a whole number"):
        kinfold.anonymize(people, seed="hidden", **settings)


def test_a_release_that_is_not_safe(done, people):
    worse = done.frame.astype(str)
    worse.loc[0, "age"] = "1"
    report = kinfold.verify(worse, done.policy, original=people)
    assert not report and not report.safe and report.groups_below_k[0].size == 1
    assert repr(report).startswith("not safe")
    # By keywords, columns without a role are not judged.
    partial = kinfold.verify(done.frame, k=4, quasi=["age", "sex", "zip"])
    assert partial.safe and partial.unlisted_columns == ["diagnosis"]


def test_inspect_drafts_a_policy(people):
    found = kinfold.inspect(people)
    assert found.rows == 36
    assert {column.name: column.role for column in found.columns}["name"] == "identifier"
    draft = found.policy
    assert draft["columns"]["name"]["role"] == "identifier" and "quasi" in repr(draft)
    assert kinfold.anonymize(people, draft, k=2, effort="quick").report.groups > 1
    assert repr(found).startswith("36 rows")


def test_hierarchy_proposes_levels(people):
    found = kinfold.hierarchy(people, "age")
    assert found.settings == {"role": "quasi", "kind": "numeric", "levels": [5, 10, 20]} and not found.needs_file
    assert [level.names for level in found.levels][-1] == 1 and repr(found).startswith("age: levels by round")
    assert len(found.file.splitlines()) == people["age"].nunique()
    even = kinfold.hierarchy(people, "age", by="even")
    assert even.needs_file and even.settings == {"role": "quasi", "kind": "hierarchy"}
    for column, by in [("age", "calendar"), ("nobody", None), ("age", "magic")]:
        with pytest.raises(kinfold.Error) as raised:
            kinfold.hierarchy(people, column, by=by)
        assert raised.value.hint


def test_a_mapping_has_the_columns_that_are_coded_once(people, settings):
    settings["quasi"] = ["age:numeric/10/20/40", "sex", "zip:prefix=4/3"]
    with pytest.raises(kinfold.UsageError, match="no mapping"):
        kinfold.anonymize(people, effort="quick", **settings).mapping()
    done = kinfold.anonymize(people, effort="quick", recoding="global", withhold="20%", **settings)
    lines = done.mapping().splitlines()
    assert lines[0] == "column,value,published"
    assert {line.split(",")[0] for line in lines[1:]} == {"age", "sex", "zip"}
    assert [level.column for level in done.report.levels] == ["age", "sex", "zip"]
    assert done.report.loss_by_level >= done.report.loss_by_tight_bounds
    fixed = kinfold.anonymize(people, effort="quick", level={"age": "auto"}, withhold="5%", **settings)
    assert {line.split(",")[0] for line in fixed.mapping().splitlines()[1:]} == {"age"}


def test_certify_and_check(people, settings):
    del settings["sensitive"]
    settings["drop"].append("diagnosis")
    report = kinfold.certify(people, **settings)
    assert report.checked and 0 < report.bound <= report.loss
    again = kinfold.certify(people, check=report.certificate, **settings)
    assert again.checked and again.bound == report.bound
    refused = kinfold.certify(people.iloc[:-1], check=report.certificate, **settings)
    assert not refused.checked and refused.why
    groups = kinfold.anonymize(people, **settings).groups
    assert kinfold.certify(people, groups=groups, **settings).groups == len(set(groups))


def test_compare_for_several_k(people, settings):
    del settings["k"]
    report = kinfold.compare(people, k=[3, 5], solvers=["auto", "mondrian"], **settings)
    assert len(report) == 4 and [one.k for one in report] == [3, 3, 5, 5]
    assert report[0].average_loss <= report[1].average_loss
    assert report.chart.startswith("<svg") and isinstance(json.loads(report.to_json()), list)


def test_whatif(people, settings):
    report = kinfold.whatif(people, **settings)
    assert report.variants[0].kind == "policy" and len(report.variants) > 5


def test_risk_before_and_after(done, people):
    quasi = ["age", "sex", "zip:category"]
    before, after = kinfold.risk(people, quasi=quasi), kinfold.risk(done.frame, done.policy, original=people)
    assert before.people == after.people == 36
    assert after.classes < before.classes
    assert repr(after).startswith("36 ")
    # Exact ends single the same people out, however that is measured.
    assert before.singled_out is None
    assert after.singled_out == done.report.singled_out
    with pytest.raises(kinfold.Error):
        kinfold.risk(people, quasi=quasi, threshold=2)
    with pytest.raises(kinfold.Error):
        kinfold.risk(people, quasi=quasi, population_size=3)


def test_the_report_for_people(done):
    page = done.report.to_html()
    assert page.startswith("<!") and "<svg" in page and "</html>" in page
    assert 'lang="de"' in done.report.to_html("de")
    more = done.report.to_html(threshold=0.4, sampling_fraction=0.1, curve=True)
    assert "above a risk of 0.4" in more and "sampling fraction 0.1" in more and "Loss for other k" in more
    assert "Loss for other k" not in page
    with pytest.raises(kinfold.Error, match="threshold"):
        done.report.to_html(threshold=[2.0])
    with pytest.raises(kinfold.UsageError, match="no report in"):
        done.report.to_html("tlh")


def test_solvers():
    cards = kinfold.solvers()
    assert {"auto", "mondrian", "anneal", "split-carry"} <= {card.key for card in cards}
    papers = [card.method_of is not None for card in cards]
    assert papers == sorted(papers) and papers.count(False) <= 20, "those to choose from come first"


def test_options_that_make_no_sense(people, settings):
    wrong = [
        {"effort": "much"},
        {"effort": 5},
        {"seed": -1},
        {"threads": 0},
        {"time_limit": 0},
        {"time_limit": "soon"},
        {"solver": "mondrain"},
        {"bound": "tight"},
        {"delimiter": ";;"},
        {"max_memory": 0},
    ]
    for options in wrong:
        with pytest.raises(kinfold.Error) as raised:
            kinfold.anonymize(people, **options, **settings)
        assert raised.value.message, options


def test_files_that_cannot_be_written(done, tmp_path):
    with pytest.raises(kinfold.OutputError, match="cannot write"):
        done.save(tmp_path / "nowhere" / "release.csv")
    with pytest.raises(kinfold.UsageError, match="no format"):
        done.save(tmp_path / "release.docx")
    with pytest.raises(kinfold.OutputError, match="cannot write"):
        done.policy.save(tmp_path / "nowhere" / "policy.toml")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(kinfold.TableError, match="cannot read"):
        kinfold.inspect(tmp_path / "nowhere.csv")


def large(rows=6000):
    at = pd.Series(range(rows))
    return pd.DataFrame({f"c{i}": (at * (7 + 2 * i) // 3) % (50 + i) for i in range(8)})


COLUMNS = [f"c{i}" for i in range(8)]


def test_progress_is_told(capsys):
    heard = []
    kinfold.anonymize(large(), k=5, quasi=COLUMNS, progress=lambda *told: heard.append(told))
    assert "grouping" in {phase for phase, *_ in heard}
    assert all(share is None or 0 <= share <= 1 for _, share, *_ in heard)
    # Not on a terminal: nothing is shown.
    kinfold.anonymize(large(500), k=5, quasi=COLUMNS, progress=True)
    assert capsys.readouterr() == ("", "")


def test_what_progress_raises_stops_the_work():
    def stop(*_):
        raise ZeroDivisionError

    started = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        kinfold.anonymize(large(), k=5, quasi=COLUMNS, effort="deep", progress=stop)
    assert time.monotonic() - started < 5


def test_calls_at_the_same_time():
    frame = large(3000)

    def losses(k):
        return kinfold.anonymize(frame, k=k, quasi=COLUMNS, effort="quick").report.loss

    alone = [losses(k) for k in (2, 3, 4, 5)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(losses, (2, 3, 4, 5))) == alone


def test_other_threads_run_while_the_engine_works():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        work = pool.submit(kinfold.anonymize, large(), k=5, quasi=COLUMNS)
        turns = 0
        while not work.done():
            time.sleep(0.01)
            turns += 1
        assert turns > 5


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_stops_soon_and_leaves_nothing(tmp_path):
    code = textwrap.dedent(
        f"""
        import sys, pandas as pd, kinfold
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        from test_calls import COLUMNS, large
        def started(phase, *_):
            if phase == "grouping":
                print("started", flush=True)
        kinfold.anonymize(large(40_000), k=5, quasi=COLUMNS, effort="deep", progress=started).save("release.csv")
        """
    )
    child = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout.readline() == b"started\n"
    time.sleep(0.5)
    stopped = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=30)
    # Half a second until the call returns; the interpreter ends after that.
    assert time.monotonic() - stopped < 2
    assert b"KeyboardInterrupt" in told and child.returncode != 0
    assert list(tmp_path.iterdir()) == []


def test_the_command(tmp_path, root):
    def run(*args):
        command = [sys.executable, "-m", "kinfold", *args]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    assert run("--version").stdout == f"kinfold {kinfold.__version__}\n"
    assert "safe" in run("demo").stdout
    assert run("no-such-command").returncode == 2
    table = str(root / "examples" / "patients.csv")
    flags = [
        "-k",
        "4",
        "--quasi",
        "age,sex,zip:category",
        "--identifier",
        "name",
        "--drop",
        "education,admitted,diagnosis",
    ]
    assert run("anonymize", table, *flags, "-o", "release.csv").returncode == 0
    quasi = ["age", "sex", "zip:category"]
    done = kinfold.anonymize(table, k=4, quasi=quasi, identifier="name", drop=["education", "admitted", "diagnosis"])
    done.save(tmp_path / "python.csv")
    assert (tmp_path / "python.csv").read_bytes() == (tmp_path / "release.csv").read_bytes()
