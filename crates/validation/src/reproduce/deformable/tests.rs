use super::{peer::Done, wall::Ways, *};

fn all_within(rows: &[Row]) {
    for row in rows {
        assert!(row.ok(), "{row:?}");
    }
}

#[test]
fn a_bar_leaves_a_wall_when_its_wave_has_run_to_the_end_and_back() {
    all_within(
        &single::bar(40, 0.5, 0.5)
            .unwrap()
            .rows("theta 0.5", Some([0.98165, 0.99082])),
    );
}

#[test]
fn a_block_without_poissons_effect_presses_evenly() {
    all_within(&single::weight([4; 3], 0.0).unwrap());
}

#[test]
fn free_blocks_swing_with_the_frequencies_of_another_program() {
    all_within(&single::frequencies("T10x2", 0.02).unwrap());
}

#[test]
fn a_block_that_turns_and_swings_keeps_its_energy() {
    all_within(&[
        single::tumbling(1.0, 2e-5, 20.0).unwrap().row(1e-6),
        single::tumbling(0.0, 2e-5, 20.0).unwrap().row(1e-9),
    ]);
}

#[test]
fn a_prism_presses_on_a_block_as_in_another_program() {
    let (force, reference) = hertz::PLANE[1];
    let rows = hertz::pressed(force, hertz::BLOCK, "T10")
        .unwrap()
        .rows(force, reference);
    all_within(&rows);
}

#[test]
fn three_ways_lead_a_small_wall_to_the_same_rest() {
    all_within(&wall::ways(3, &Ways::BRIEF).unwrap().rows);
}

#[test]
fn stiffer_blocks_rock_more_like_rigid_ones() {
    all_within(&stiff::rocking(&[1e10, 1e12, 1e14]).unwrap());
}

#[test]
fn a_loaded_wall_has_the_stresses_of_another_program() {
    all_within(&[peer::beside(Done::Patch, 2, "eas/n2", 1).unwrap()]);
}

#[test]
fn a_wall_on_ground_that_settles_has_the_stresses_of_another_program() {
    all_within(&[peer::beside(Done::Settled, 2, "eas/n2", peer::STEPS).unwrap()]);
}
