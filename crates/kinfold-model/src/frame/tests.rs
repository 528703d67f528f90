use super::*;
use crate::certificate::Fingerprint;
use crate::cost::group_cost;
use crate::encode::encode;
use crate::hierarchy::Hierarchy;
use crate::policy::{Draft, Role};
use crate::problem::Problem;
use crate::regions::{Nodes, Regions};
use std::path::Path;
use std::sync::Arc;

const NAMES: [&str; 7] = ["age", "born", "size", "city", "job", "land", "lat"];

/// This month's rows, all kinds of columns; the next months' are taken from their values.
fn table(rows: &[usize]) -> Table {
    let all = [
        ["17", "1990-01-31", "S", "Ulm", "nurse", "N", "48.1"],
        ["36.50", "1980-02-01", "L", "", "cook", "S", "-12.25"],
        ["90", "2001-12-24T10:30:00", "M", "Bonn", "", "E", "0.000001"],
        ["36.5", "1990-01-31", "S", "Köln", "baker", "W", "48.1"],
        ["NA", "1999-09-09", "M", "Bonn", "baker", "N", "7"],
        ["18", "1985-05-05", "L", "Ulm", "nurse", "N", "51"],
    ];
    let cells: Vec<Vec<&str>> = rows.iter().map(|&row| all[row].to_vec()).collect();
    Table::from_cells(&NAMES, &cells).unwrap()
}

fn policy(top: &str) -> Policy {
    let columns = "[columns]\nage = \"quasi\"\nborn = { role = \"quasi\", kind = \"date\", weight = 0.3 }\n\
        size = { role = \"quasi\", kind = \"ordinal\", order = [\"S\", \"M\", \"L\"] }\ncity = \"quasi\"\njob = \"quasi\"\n\
        land = \"quasi\"\nlat = { role = \"quasi\", domain = [-90, 90] }\n";
    let names = NAMES.map(String::from);
    let mut policy = Draft::from_toml(&format!("k = 2\n{top}\n{columns}"), Path::new("policy.toml"))
        .settle_for(&names)
        .unwrap_or_else(|e| panic!("{e}"));
    let jobs = Hierarchy::parse("nurse;care;*\ndoctor;care;*\ncook;food;*\nbaker;food;*\n").unwrap();
    let map = Regions::parse("a,b\nN,W\nW,S\nS,E\nE,N\n", &Nodes::default()).unwrap();
    set_kind(&mut policy, "job", Kind::Hierarchy(Arc::new(jobs)));
    set_kind(&mut policy, "land", Kind::Region(Arc::new(map)));
    policy
}

fn quasi<'p>(policy: &'p mut Policy, name: &str) -> &'p mut Quasi {
    match policy.columns.iter_mut().find(|c| c.name == name).map(|c| &mut c.role) {
        Some(Role::Quasi(quasi)) => quasi,
        _ => panic!("{name} is no quasi-identifier"),
    }
}

fn set_kind(policy: &mut Policy, name: &str, kind: Kind) {
    quasi(policy, name).kind = Some(kind);
}

/// Every objective that takes these columns, and every way to scale distances.
fn policies() -> Vec<Policy> {
    let cellular = |scale| policy(&format!("objective = \"cellular\"\n[metric]\nscale = {scale:?}"));
    let plain =
        ["", "objective = \"stars\"", "objective = \"columns\"", "objective = \"radius\""].map(policy);
    plain.into_iter().chain(["range", "sd", "given"].map(cellular)).collect()
}

fn assert_same(one: &Problem, other: &Problem) {
    assert_eq!(one.rules(), other.rules());
    assert_eq!(one.clusters(), other.clusters());
    assert_eq!(Fingerprint::of(one), Fingerprint::of(other));
}

#[test]
fn the_frame_of_a_table_encodes_it_as_before_and_survives_json() {
    let table = table(&[0, 1, 2, 3, 4, 5, 2]);
    for policy in policies() {
        let plain = encode(&table, &policy).unwrap();
        let frame = Frame::learn(&table, &policy).unwrap();
        let loaded = Frame::from_json(&frame.to_json()).unwrap();
        assert_eq!(loaded, frame);
        assert_eq!(loaded.to_json(), frame.to_json());
        for frame in [frame, loaded] {
            let framed = frame.apply(&table, &policy).unwrap();
            assert_same(&plain.problem, &framed.problem);
            for (one, other) in plain.codings.iter().zip(&framed.codings) {
                assert_eq!(
                    (one.column, &one.kind, one.respelled()),
                    (other.column, &other.kind, other.respelled())
                );
                let words =
                    |coding: &crate::encode::Coding| (0..9).map(|c| coding.word(c)).collect::<Vec<_>>();
                assert_eq!(words(one), words(other));
            }
        }
    }
}

#[test]
fn points_keep_their_share_and_their_scale() {
    let rows = [["48.1", "11.5"], ["52.5", "13.4"], ["50.9", "6.9"], ["48.1", "9.2"]];
    let table = |rows: &[[&str; 2]]| {
        Table::from_cells(&["lat", "lon"], &rows.iter().map(|r| r.to_vec()).collect::<Vec<_>>()).unwrap()
    };
    let settle = |toml: &str| {
        let names = ["lat", "lon"].map(String::from);
        Draft::from_toml(toml, Path::new("p.toml")).settle_for(&names).unwrap_or_else(|e| panic!("{e}"))
    };
    let columns = "[columns]\nlat = \"quasi\"\nlon = \"quasi\"\n";
    let ncp = settle("k = 2\n[columns]\n\"lat/lon\" = { role = \"quasi\", kind = \"point\" }\n");
    let by = |scale: &str| {
        settle(&format!(
            "k = 2\nobjective = \"radius\"\n[metric]\nscale = {scale:?}\npoints = [\"lat/lon\"]\n{columns}"
        ))
    };
    for policy in [ncp, by("range"), by("sd"), by("given")] {
        let all = encode(&table(&rows), &policy).unwrap().problem;
        let frame = Frame::from_json(&Frame::learn(&table(&rows), &policy).unwrap().to_json()).unwrap();
        assert_same(&all, &frame.apply(&table(&rows), &policy).unwrap().problem);
        let some = frame.apply(&table(&rows[1..3]), &policy).unwrap().problem;
        assert_eq!(group_cost(&some, &[0, 1]), group_cost(&all, &[1, 2]));
        if policy.objective.clusters() {
            let apart = |p: &Problem, a, b| p.clusters().metric.distance(p.codes(a), p.codes(b));
            assert_eq!(apart(&some, 0, 1), apart(&all, 1, 2));
        }
    }
}

#[test]
fn maps_and_labels_keep_their_numbers_under_group_size() {
    let this = table(&[0, 1, 2, 3, 4, 5]);
    for name in ["land", "city", "age"] {
        let mut policy = policy("objective = \"group-size\"");
        policy.columns.iter_mut().filter(|c| c.name != name).for_each(|c| c.role = Role::Drop);
        let all = encode(&this, &policy).unwrap().problem;
        let frame = Frame::from_json(&Frame::learn(&this, &policy).unwrap().to_json()).unwrap();
        assert_same(&all, &frame.apply(&this, &policy).unwrap().problem);
        let next = frame.apply(&table(&[5, 0, 3]), &policy).unwrap().problem;
        if name != "age" {
            assert_eq!(next.codes(next.record_of(0)), all.codes(all.record_of(5)));
        }
        let empty =
            |problem: &Problem| problem.connected().map(|map| map.empty.iter().filter(|e| **e).count());
        assert_eq!(
            (empty(&all), empty(&next)),
            if name == "land" { (Some(0), Some(2)) } else { (None, None) }
        );
    }
}

#[test]
fn the_same_group_costs_the_same_next_month() {
    let this = table(&[0, 1, 2, 3, 4, 5]);
    for policy in policies() {
        let all = encode(&this, &policy).unwrap().problem;
        let frame = Frame::learn(&this, &policy).unwrap();
        for rows in [vec![0, 3], vec![5, 3, 1], vec![4, 4, 2], vec![1, 2, 3, 4]] {
            let next = frame.apply(&table(&rows), &policy).unwrap().problem;
            let own: Vec<u32> = (0..rows.len() as u32).collect();
            let theirs: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
            assert_eq!(group_cost(&next, &own), group_cost(&all, &theirs));
            if policy.objective.clusters() {
                let apart = |p: &Problem, a, b| {
                    p.clusters().metric.distance(p.codes(p.record_of(a)), p.codes(p.record_of(b)))
                };
                for (&a, &b) in own.iter().zip(&own[1..]) {
                    assert_eq!(apart(&next, a, b), apart(&all, theirs[a as usize], theirs[b as usize]));
                }
            }
        }
    }
    // Other values inside the domain are fine, and columns may come in another order.
    let mut names = NAMES;
    names.swap(0, 6);
    let row = vec!["3.25", "1990-02-01", "L", "Ulm", "doctor", "S", "55.125"];
    let next = Table::from_cells(&names, &[row.clone(), row]).unwrap();
    let frame = Frame::learn(&this, &policy("")).unwrap();
    assert!(frame.apply(&next, &policy("")).is_ok());
}

#[test]
fn values_that_a_frame_does_not_know_are_refused_with_their_number() {
    let policy = policy("");
    let frame = Frame::learn(&table(&[0, 3, 1, 2]), &policy).unwrap();
    let next = Table::from_cells(
        &NAMES,
        &[
            vec!["17", "1990-01-31", "S", "Ulm", "nurse", "N", "0"],
            vec!["16", "2020-01-31", "M", "Mainz", "nurse", "N", "0"],
            vec!["91", "1990-01-31", "S", "Trier", "nurse", "N", "0"],
            vec!["NA", "1990-01-31", "S", "Trier", "nurse", "N", "0"],
        ],
    )
    .unwrap();
    let error = frame.apply(&next, &policy).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 4, "{error}");
    for (line, what) in lines.iter().zip([
        "column \"age\": missing values, which the frame does not have, in 1 row (row 4)",
        "column \"age\": 2 values outside the frame's domain in 2 rows (the first is row 2)",
        "column \"born\": 1 value outside the frame's domain in 1 row (row 2)",
        "column \"city\": 2 labels that the frame does not know in 3 rows (the first is row 2)",
    ]) {
        assert!(line.contains(what), "{line}");
    }
    assert!(!error.contains("Trier") && !error.contains("91"), "{error}");
    let narrow = Table::from_cells(&["age"], &[vec!["17"], vec!["18"]]).unwrap();
    let error = frame.apply(&narrow, &policy).unwrap_err().to_string();
    assert!(error.contains("column \"city\" of the frame is not in the table"), "{error}");
}

#[test]
fn a_frame_that_does_not_fit_the_policy_says_what_differs() {
    let (rows, base) = (table(&[0, 1, 2, 3, 4, 5]), policy(""));
    let frame = Frame::learn(&rows, &base).unwrap();
    let told = |policy: &Policy| frame.apply(&rows, policy).unwrap_err().to_string();
    let with = |change: &dyn Fn(&mut Policy)| {
        let mut policy = base.clone();
        change(&mut policy);
        let told = told(&policy);
        assert_eq!(told.lines().count(), 1, "{told}");
        told
    };
    let other = || Hierarchy::parse("nurse;x;*\ndoctor;x;*\ncook;x;*\nbaker;y;*\n").unwrap();
    let island = || Regions::parse("a,b\nN,W\nW,S\nS,E\n", &Nodes::default()).unwrap();
    let sizes = || ["S", "L", "M"].map(String::from).to_vec();
    for (told, what) in [
        (with(&|p| quasi(p, "age").weight = 2.0), "column \"age\" has another weight"),
        (with(&|p| set_kind(p, "age", Kind::Category)), "column \"age\" has another kind"),
        (with(&|p| set_kind(p, "size", Kind::Ordinal(sizes()))), "column \"size\" has other levels"),
        (
            with(&|p| set_kind(p, "job", Kind::Hierarchy(Arc::new(other())))),
            "column \"job\" has another hierarchy",
        ),
        (with(&|p| set_kind(p, "land", Kind::Region(Arc::new(island())))), "column \"land\" has another map"),
        (with(&|p| quasi(p, "land").kind = None), "column \"land\" has another kind"),
        (
            with(&|p| quasi(p, "lat").domain.as_mut().unwrap().high = "91".into()),
            "column \"lat\" has another domain",
        ),
        (with(&|p| p.missing.push("-".into())), "other texts mean missing values"),
        (with(&|p| p.objective = Objective::Stars), "its objective is ncp, not stars"),
        (
            with(&|p| p.columns.retain(|c| c.name != "city")),
            "column \"city\" is not a quasi-identifier of the policy",
        ),
        (with(&|p| p.columns.push(p.columns[0].clone_as("new"))), "it has no column \"new\""),
    ] {
        assert!(told.contains(what), "{told}");
    }
    // k and what may be withheld are no part of a frame.
    let mut larger = base.clone();
    (larger.k, larger.withhold) = (3, 0.5);
    assert_eq!(frame.apply(&rows, &larger).unwrap().problem.k(), 3);
}

impl crate::policy::ColumnPolicy {
    fn clone_as(&self, name: &str) -> Self {
        Self { name: name.into(), ..self.clone() }
    }
}

#[test]
fn a_damaged_frame_is_refused_and_never_panics() {
    assert!(matches!(Frame::from_json("{"), Err(FrameError::Json { .. })));
    assert_eq!(Frame::from_json("{\"kinfold_frame\": 2, \"more\": 1}"), Err(FrameError::Version(2)));
    let rows = table(&[0, 1, 2, 3, 4, 5]);
    for policy in policies() {
        let text = Frame::learn(&rows, &policy).unwrap().to_json();
        let ends = text.replace("\"low\": \"17\"", "\"low\": \"1e9\"");
        assert_eq!(Frame::from_json(&ends), Err(FrameError::Damaged("a domain is malformed")));
        let labels = text.replace("\"Ulm\"", "\"Aachen\"");
        assert_eq!(Frame::from_json(&labels), Err(FrameError::Damaged("labels are out of order")));
        let twice = text.replace("\"born\"", "\"age\"");
        assert_eq!(Frame::from_json(&twice), Err(FrameError::Damaged("a column is named twice")));
        // Whatever happens to a character, the answer is an error or a problem that is possible.
        let bytes = text.as_bytes();
        let (mut refused, mut taken) = (0, 0);
        for at in 0..bytes.len() {
            for change in [&b""[..], b"9", b"-", b"\"", b"e300", b"null", b"\xff"] {
                let mutated = [&bytes[..at], change, &bytes[at + 1..]].concat();
                let Ok(mutated) = std::str::from_utf8(&mutated) else { continue };
                let frame = Frame::from_json(mutated);
                match frame.map(|frame| frame.apply(&rows, &policy)) {
                    Ok(Ok(_)) => taken += 1,
                    _ => refused += 1,
                }
            }
        }
        assert!(refused > taken && taken > 0, "{refused} {taken}");
    }
}
