use super::*;

fn all_within(rows: &[Row]) {
    for row in rows {
        assert!(row.ok(), "{row:?}");
    }
}

#[test]
fn textbook_limits_of_single_blocks_and_stacks_are_met() {
    let mut solvers = Solvers::default();
    all_within(&analytical::incline(&mut solvers).unwrap());
    all_within(&analytical::toppling(&mut solvers).unwrap());
    for blocks in [2, 5] {
        all_within(&analytical::harmonic_stack(blocks, &mut solvers).unwrap());
    }
}

#[test]
fn the_thinnest_semicircular_arch_opens_at_its_haunches() {
    // 60 voussoirs: the hinge is found to 3 degrees.
    all_within(&analytical::least_arch(60, &mut Solvers::default()).unwrap());
}

#[test]
fn a_block_between_walls_stands_only_where_self_stress_is_admitted() {
    all_within(&table1::model_h(&mut Solvers::default()).unwrap());
}

#[test]
fn arch_thick_tilts_as_far_as_published() {
    let row = table1::arch(43.0, 8.2, Method::Cone, &mut Solvers::default()).unwrap();
    all_within(&[row]);
}

#[test]
fn low_wedges_slide_at_the_published_angles() {
    let mut solvers = Solvers::default();
    let of = |wedge, axis| {
        let found = wedges::TABLE.iter().find(|e| e.wedge == wedge && e.axis == axis);
        found.unwrap()
    };
    for entry in [of("a", "x"), of("c", "x"), of("d", "y")] {
        all_within(&[wedges::coupled(entry, 0, &mut solvers).unwrap()]);
    }
}

#[test]
fn what_a_missing_file_leaves_out_is_said_and_not_judged() {
    assert!(published("no-such-model", &["0"], 0.5).unwrap().is_none());
    assert!(absent("no-such-model").ok());
}

#[test]
fn the_sliding_pieces_of_the_shelf_are_held_in_three_ways() {
    let Some(model) = published("shelf", &["0"], 0.84).unwrap() else {
        return;
    };
    let mut solvers = Solvers::default();
    assert_eq!(verdict(&model, Method::Cra, &mut solvers).unwrap(), Verdict::Unstable);
    all_within(&[shelf::one_after_the_other(&model, &mut solvers).unwrap()]);
    for repair in shelf_repairs::Repair::ALL {
        all_within(&[shelf::repaired(&model, repair, &mut solvers).unwrap()]);
    }
}
