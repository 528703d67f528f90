//! Theorem 3.5 of paper *cluster*: factors against the best of all clusterings, bounds, and Figure 1.

use crate::support::factors::{
    BY_CENTRE, SETUP, faults_are_caught, figure_1_costs_11, worst_factor, worst_factor_if,
    worst_factor_of_middles,
};

const SOLVER: &str = "cellular-joined";

#[test]
fn theorem_3_5_cellular_is_within_3_where_no_group_was_joined() {
    for settings in [&SETUP[..], &BY_CENTRE] {
        let worst = worst_factor_if(SOLVER, 3, settings, true, |outcome| outcome.remark.is_none());
        assert!(worst > 1.0 && worst <= 3.0, "{worst}");
    }
}

#[test]
fn factors_hold_where_centres_are_middles() {
    worst_factor_of_middles(SOLVER, 6, &SETUP, |outcome| outcome.remark.is_none());
}

#[test]
fn bounds_hold_even_where_groups_were_joined() {
    worst_factor(SOLVER, 36, &BY_CENTRE, true);
    worst_factor(SOLVER, 36, &["objective = \"cellular\""], true);
}

#[test]
fn planted_faults_are_caught_by_the_check_of_factors() {
    faults_are_caught(&[(SOLVER, 3, "objective = \"cellular\"\n[metric]")]);
}

#[test]
fn figure_1_costs_11_and_is_published_as_the_paper_does() {
    figure_1_costs_11(SOLVER);
}
