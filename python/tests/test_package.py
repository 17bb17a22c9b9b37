"""The package against theory, and against the command line program where DRYSTONE_BIN names it."""

from __future__ import annotations

import copy
import json
import math
import pickle
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from common import G, assert_same_bits, needs_program, program, two_blocks, without_times

import drystone
from drystone import InputError, Model

# Verdicts by theory.


@pytest.mark.parametrize("method", ["cone", "cra"])
def test_a_block_tips_where_its_weight_leaves_the_base(method: str) -> None:
    block = Model.recipe("block", width=0.6, height=2, friction=0.9)
    edge = math.degrees(math.atan(0.6 / 2))
    assert block.check(method, tilt_axis=(0, 1, 0), tilt_deg=edge - 0.1).verdict == "stable"
    assert block.check(method, tilt_axis=(0, 1, 0), tilt_deg=edge + 0.1).verdict == "unstable"
    assert block.tilt((0, 1, 0), method).critical_tilt_deg == pytest.approx(edge, abs=1e-3)
    assert block.limit((1, 0, 0)).multiplier == pytest.approx(0.6 / 2, rel=1e-6)


@pytest.mark.parametrize("friction", [0.05, 0.2])
def test_a_block_slides_past_the_angle_of_friction(friction: float) -> None:
    block = Model.recipe("block", friction=friction)
    angle = math.degrees(math.atan(friction))
    assert block.tilt((0, 1, 0), "cone").critical_tilt_deg == pytest.approx(angle, rel=1e-6)
    coupled = block.tilt((0, 1, 0), "cra")
    assert angle - 2e-3 < coupled.lower_deg < angle < coupled.upper_deg < angle + 2e-3
    assert block.limit((0, 1, 0)).multiplier == pytest.approx(friction, rel=1e-6)
    below, above = (block.check(tilt_axis=(0, 1, 0), tilt_deg=math.degrees(math.atan(friction * f))) for f in (0.99, 1.01))
    assert (below.verdict, below.proven) == ("stable", True)
    assert (above.verdict, above.proven) == ("unstable", True)
    # Associated friction: sliding opens the joint. The fastest point moves by 1 m/s.
    assert above.motions[0] == pytest.approx(np.zeros(6), abs=1e-9)
    speed = 1 / math.hypot(1, friction)
    assert above.motions[1] == pytest.approx([speed, 0, speed * friction, 0, 0, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("parameters", "edge"),
    [
        ({"blocks": 2}, 0.5),
        ({"blocks": 5}, 1 / 5),
        ({"blocks": 10, "lean": "harmonic"}, 0.5),
    ],
)
def test_a_stack_overhangs_as_far_as_its_centre_of_mass_allows(parameters: dict[str, Any], edge: float) -> None:
    # With n blocks shifted alike, those above the lowest have their centre at n/2 shifts from it; half a width is allowed.
    assert Model.recipe("stack", offset=0.99 * edge, **parameters).check().verdict == "stable"
    assert Model.recipe("stack", offset=1.01 * edge, **parameters).check().verdict == "unstable"


def test_forces_balance_the_weight() -> None:
    block = Model.recipe("block")
    answer = block.check()
    weight = block.masses[1] * G
    assert block.masses[1] == pytest.approx(0.6 * 0.6 * 2 * 2000)
    assert answer.forces.sum(axis=0) == pytest.approx([0, 0, weight], abs=1e-6 * weight)
    joints = answer.resultants()
    assert joints["pairs"].tolist() == [[0, 1]]
    assert joints["forces"][0] == pytest.approx([0, 0, weight], abs=1e-6 * weight)
    assert joints["places"][0] == pytest.approx([0, 0, 0], abs=1e-6)


def test_a_certificate_holds_for_its_model_alone() -> None:
    block = Model.recipe("block")
    text = block.check().certificate
    assert text is not None
    found = block.verify(text)
    assert found and found.valid and found.proof
    assert block.verify(json.loads(text)).valid
    forged = json.loads(text)
    forged["forces"][0]["force"][2] *= 2
    assert not block.verify(forged).valid
    assert not Model.recipe("block", width=0.7).verify(text).valid


def test_a_block_in_the_air_falls_as_bodies_do() -> None:
    block = Model.recipe("block")
    block.move("block", (0, 0, 5))
    with pytest.warns(UserWarning, match="`block` touches nothing"):
        run = block.simulate(0.5, dt=0.001, every=0.1)
    fall = run.displacements("block")[:, 2]
    # Backward Euler: n steps fall by g dt² n (n + 1) / 2.
    steps = np.round(run.times / 0.001)
    assert fall == pytest.approx(-G * 0.001**2 * steps * (steps + 1) / 2, abs=1e-9)
    assert run.rotations[-1, 1] == pytest.approx([1, 0, 0, 0], abs=1e-12)


# Models that are edited.


def test_move_and_rotate_move_what_they_name() -> None:
    model = two_blocks()
    model.move("high", (0.2, 0, 0))
    assert model.centers[1] == pytest.approx([0.2, 0, 0.5])
    assert model.contacts().areas == pytest.approx([0.8])
    model.rotate(["low", "high"], (0, 0, 1), 90)
    assert model.centers[1] == pytest.approx([0, 0.2, 0.5])
    model.rotate("high", (0, 0, 1), 90, about=(1, 0.2, 0))
    assert model.centers[1] == pytest.approx([1, -0.8, 0.5])
    assert model.contacts().interfaces == 0


def test_a_cut_keeps_volume_and_mass() -> None:
    model = two_blocks()
    volume, mass = model.volumes.sum(), model.masses.sum()
    model.cut("high", (0.1, 0, 0), (1, 0, 0.2))
    assert model.blocks == 3
    assert model.volumes.sum() == pytest.approx(volume, rel=1e-12)
    assert model.masses.sum() == pytest.approx(mass, rel=1e-12)
    assert model.contacts().interfaces == 3


def test_a_cut_shares_a_mass_that_is_given() -> None:
    model = two_blocks()
    model.update(blocks=[{**b, "mass": 1000} if b["name"] == "high" else b for b in model.to_dict()["blocks"]])
    model.cut("high", (0.25, 0, 0), (1, 0, 0))
    assert sorted(model.masses[1:]) == pytest.approx([250, 750])


def test_trim_takes_off_the_side_of_the_normal() -> None:
    model = two_blocks()
    model.trim("high", (0, 0, 0.75), (0, 0, 1))
    assert model.volumes[1] == pytest.approx(0.75)
    assert model.centers[1] == pytest.approx([0, 0, 0.375])


def test_supports_are_fixed_and_freed() -> None:
    model = two_blocks()
    assert model.fixed.tolist() == [True, False]
    model.fix("high")
    model.free("low")
    assert model.fixed.tolist() == [False, True]
    assert model.check().verdict == "unstable"


def test_friction_by_pair_holds_for_that_pair_alone() -> None:
    model = Model.recipe("stack", blocks=2, width=1, friction=0.9, height=0.1)
    names = model.names
    model.set_friction(0.1, (names[1], names[2]))
    assert model.limit((1, 0, 0)).multiplier == pytest.approx(0.1, rel=1e-6)
    model.set_friction(0.3)
    laws = model.to_dict()["joints"]
    assert laws["friction"] == 0.3
    model.set_friction(0.3, (names[2], names[1]))
    assert model.limit((1, 0, 0)).multiplier == pytest.approx(0.3, rel=1e-6)


def test_density_sets_masses() -> None:
    model = two_blocks()
    model.set_density(1000, "high")
    assert model.masses.tolist() == pytest.approx([2000, 1000])
    model.set_density(500)
    assert model.masses.tolist() == pytest.approx([500, 500])


def test_a_load_case_pushes_a_block_over_its_friction() -> None:
    block = Model.recipe("block", friction=0.2)
    block.add_load("push", "block", (1, 0, 0))
    slides = 0.2 * block.masses[1] * G
    assert block.limit(load="push").multiplier == pytest.approx(slides, rel=1e-6)
    assert block.check(load={"push": 0.99 * slides}).verdict == "stable"
    assert block.check(load={"push": 1.01 * slides}).verdict == "unstable"
    block.set_friction(0.9)
    block.remove_load("push")
    block.add_load("push", "block", (1, 0, 0), at=(0, 0, 2))
    tips = 0.3 * block.masses[1] * G / 2
    assert block.limit(load="push").multiplier == pytest.approx(tips, rel=1e-6)


def test_a_tie_holds_what_would_tip() -> None:
    model = two_blocks()
    model.move("high", (0.6, 0, 0))
    assert model.check("cone").verdict == "unstable"
    model.add_tie("stay", ("high", (0.1, 0, 1)), ("low", (-0.5, 0, 0)), "rigid_rod")
    assert model.check("cone").verdict == "stable"
    model.remove_tie("stay")
    weak = {"tie": {"stiffness_n_m": 1e8, "yield_n": 1.0}}
    model.add_tie("stay", ("high", (0.1, 0, 1)), ("low", (-0.5, 0, 0)), weak)
    assert model.check("cone").verdict == "unstable"


def test_a_motion_from_arrays_moves_the_supports() -> None:
    model = Model.recipe("block", friction=0.9)
    times = np.linspace(0, 0.5, 51)
    values = np.outer(0.01 * (1 - np.cos(4 * np.pi * times)), [1, 0, 0])
    model.add_motion("sway", times, values, quantity="displacement")
    run = model.simulate(0.5, dt=0.005, every=0.05)
    ground = run.displacements("ground")
    assert ground[:, 0] == pytest.approx(np.interp(run.times, times, values[:, 0]), abs=1e-9)
    assert run.displacements("block")[:, 0] == pytest.approx(ground[:, 0], abs=1e-3)


def test_joint_laws_come_in_through_update() -> None:
    model = two_blocks()
    stiffness = 1e8
    model.update(joints={"stiffness_n_m3": [stiffness, stiffness]})
    assert model.to_dict()["joints"]["friction"] == 0.6
    sinks = model.masses[1] * G / (stiffness * 1.0)
    run = model.simulate(1, dt=0.001, start="uncompressed")
    assert run.displacements("high")[-1, 2] == pytest.approx(-sinks, rel=0.01)
    model.update(gravity=(0, 0, -1.62))
    assert model.to_dict()["gravity"] == [0, 0, -1.62]


def test_duplicate_rename_and_delete() -> None:
    model = two_blocks()
    model.duplicate("high", (0, 0, 1))
    assert model.blocks == 3
    assert model.centers[2] == pytest.approx([0, 0, 1.5])
    model.rename(model.names[2], "top")
    assert model.names == ["low", "high", "top"]
    model.delete("high")
    assert model.names == ["low", "top"]


def test_stored_joints_are_dropped_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "joined.json"
    two_blocks().contacts(output=path)
    model = Model.load(path)
    assert model.to_dict()["interfaces"]
    with pytest.warns(UserWarning, match="joints that came with the model were dropped"):
        model.move("high", (0.1, 0, 0))
    assert not model.to_dict().get("interfaces")


def test_surfaces_come_in_as_arrays_and_as_trimesh() -> None:
    trimesh = pytest.importorskip("trimesh")
    low = trimesh.creation.box((1, 1, 1))
    high = low.copy()
    high.apply_translation((0.2, 0, 1))
    model = Model.from_meshes({"low": low, "high": (high.vertices, high.faces)}, fixed="low", friction=0.5, density=1000)
    assert model.contacts().areas == pytest.approx([0.8])
    assert model.masses.tolist() == pytest.approx([1000, 1000])
    assert model.limit((0, 1, 0)).multiplier == pytest.approx(0.5, rel=1e-6)


def test_a_scene_of_trimesh_keeps_its_places() -> None:
    trimesh = pytest.importorskip("trimesh")
    cube = trimesh.creation.box((1, 1, 1))
    scene = trimesh.Scene()
    scene.add_geometry(cube, geom_name="cube", node_name="low")
    scene.add_geometry(cube, geom_name="cube", node_name="high", transform=trimesh.transformations.translation_matrix((0, 0, 1)))
    model = Model.from_trimesh(scene, fixed=0 * [""])
    assert sorted(model.centers[:, 2]) == pytest.approx([0, 1])


# What is refused.


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda m: m.check(friction=1j), TypeError, "friction: cannot be a complex"),
        (lambda m: m.check(progress=3), TypeError, "progress must be a function or True"),
        (lambda m: m.limit(np.eye(3)), TypeError, "direction: must be a row of numbers"),
        (lambda m: m.limit(["a", 1, 2]), TypeError, "direction: must be a row of numbers"),
        (lambda m: m.check(load={3: 1.0}), TypeError, "load: names must be text"),
        (lambda m: m.mesh(3), TypeError, "str"),
        (lambda m: m.move("high", (0, 1)), ValueError, "by: three numbers are needed"),
        (lambda m: m.move("high", "abc"), ValueError, ""),
        (lambda m: m.move("high", (0, 0, math.nan)), InputError, "must be a finite number"),
        (lambda m: m.move("nobody", (0, 0, 1)), InputError, "there is no block `nobody`"),
        (lambda m: m.move("hig", (0, 0, 1)), InputError, "`hig`"),
        (lambda m: m.rotate("high", (0, 0, 0), 3), InputError, "an axis with a length"),
        (lambda m: m.cut("high", (0, 0, 9), (0, 0, 1)), InputError, "the plane does not pass through the solid"),
        (lambda m: m.delete(m.names), InputError, "a structure has at least one block"),
        (lambda m: m.rename("high", "low"), InputError, "there is a block `low` already"),
        (lambda m: m.set_friction(-1), InputError, "-1 is not allowed; must be 0 or above"),
        (lambda m: m.set_friction(math.inf), InputError, "must be a finite number"),
        (lambda m: m.set_friction("much"), (TypeError, ValueError), ""),
        (lambda m: m.set_density(0), InputError, "must be above 0"),
        (lambda m: m.add_load("push", "nobody", (1, 0, 0)), InputError, "there is no block `nobody`"),
        (lambda m: m.remove_load("push"), InputError, "there is no load case `push`"),
        (lambda m: m.add_tie("t", ("low", (0, 0, 0)), ("high", (0, 0, 1)), "rope"), InputError, "rope"),
        (lambda m: m.add_motion("m", [0, 1], [[0, 0, 0]]), InputError, "1 values for 2 times"),
        (lambda m: m.add_motion("m", [0, 1], [[0, 0, 0], [0, 0, math.nan]]), InputError, "must be a finite number"),
        (lambda m: m.add_motion("m", [0, 1], np.zeros((2, 2))), InputError, ""),
        (lambda m: m.update(blox=3), InputError, "unknown field `blox`"),
        (lambda m: m.settle(stages=[{"foo": 1}]), InputError, "unknown field `foo`"),
        (lambda m: m.verify("{}"), InputError, "not a certificate"),
        (lambda m: m.verify("no-such-file.json"), FileNotFoundError, "no-such-file.json"),
        (lambda m: m.check(help=True), TypeError, "help: must have a value"),
        (lambda m: Model.from_dict({"drystone": 1, "blocks": []}), InputError, "at least one block"),
        (lambda m: Model.from_dict({"drystone": 1, "density": math.nan, "blocks": []}), InputError, "must be a finite number"),
        (lambda m: Model.from_dict({"drystone": 1, "density": object(), "blocks": []}), TypeError, "density: cannot be a object"),
        (lambda m: Model.from_meshes([(np.zeros((3, 2)), [[0, 1, 2]])]), ValueError, "rows of three numbers"),
        (lambda m: Model.from_meshes([(np.zeros((3, 3)), [[0, 1, 7]])]), ValueError, "a vertex that is not there"),
        (lambda m: Model.from_meshes([(np.zeros((3, 3)), [[0, 1, -1]])]), ValueError, "a vertex that is not there"),
        (lambda m: Model.from_meshes([(np.zeros((3, 3)), [[0, 1, 2]])]), InputError, "do not enclose a volume"),
        (lambda m: Model.from_meshes([(np.full((4, 3), np.nan), [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])]), InputError, "finite"),
    ],
)
def test_bad_input_is_refused_by_name(call: Callable[[Model], object], kind: Any, text: str) -> None:
    model = two_blocks()
    with pytest.raises(kind) as refused:
        call(model)
    assert text in str(refused.value)
    assert model == two_blocks(), "a change that is refused leaves the model as it was"


def test_input_errors_are_value_errors_and_run_errors_are_runtime_errors() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(drystone.RunError, RuntimeError)


@needs_program
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("check", {"friction": -1}),
        ("check", {"friction": math.nan}),
        ("check", {"gravity": (0, 0)}),
        ("check", {"gravity": (0, 0, math.inf)}),
        ("check", {"method": "foo"}),
        ("check", {"tilt_deg": 5}),
        ("check", {"supports": "zz"}),
        ("check", {"load": "none"}),
        ("check", {"threads": 0}),
        ("check", {"density": 0}),
        ("check", {"young": 1e9}),
        ("check", {"deformable": "all:foo"}),
        ("check", {"joint_distance": -1}),
        ("check", {"move_support": {"zz": (1, 0, 0)}}),
        ("check", {"nonsense": 3}),
        ("limit", {"direction": (0, 0, 0)}),
        ("limit", {}),
        ("limit", {"direction": (1, 0, 0), "load": "x"}),
        ("tilt", {"axis": (0, 0, 0)}),
        ("settle", {"shift": {"nope": (1, 0, 0)}}),
        ("simulate", {"duration": -1}),
        ("simulate", {"duration": 1, "dt": 0}),
        ("simulate", {"duration": 1, "motion": "sine:amplitude=1"}),
        ("simulate", {"duration": 1, "motion": "no-such-record.AT2:direction=x"}),
    ],
)
def test_messages_are_those_of_the_program(tmp_path: Path, command: str, options: dict[str, Any]) -> None:
    from drystone._options import words

    model = Model.recipe("arch", voussoirs=8)
    model.save(tmp_path / "arch.json")
    more = ["-o", "out"] if command == "simulate" else []
    told = program(command, "arch.json", *words(**options), *more, folder=tmp_path)
    assert told.returncode == 2
    with pytest.raises(InputError) as refused:
        if command == "simulate":
            options = {"folder": tmp_path, **options}
        getattr(model, command)(**options)
    # Without how a command line is written.
    text = told.stderr.split("\n\nUsage:")[0].split("\n\nFor more information")[0].removeprefix("error: ").strip()
    assert str(refused.value) == text


# The same bits as the command line.


@needs_program
@pytest.mark.parametrize("thickness", [0.75, 0.3])
def test_a_check_has_the_bits_of_the_program(tmp_path: Path, thickness: float) -> None:
    path = tmp_path / "arch.json"
    assert program("new", "arch", "--thickness", thickness, "-o", path).returncode == 0
    told = program("check", path, "--json", "--method", "cra,cone,rbe")
    assert program("check", path, "--method", "cra,cone,rbe", "-o", tmp_path / "out").returncode == 0
    expected = without_times(json.loads(told.stdout))
    for model in (Model.recipe("arch", thickness=thickness), Model.load(path)):
        answer = model.check(["cra", "cone", "rbe"])
        assert_same_bits(without_times(answer.fields), expected)
        for found, name in zip(answer.answers, ("certificate", "certificate-cone", "certificate-rbe")):
            file = tmp_path / "out" / f"{name}.json"
            assert (found.certificate is not None) == file.exists()
            if found.certificate is not None:
                assert found.certificate == file.read_text(encoding="utf-8")


@needs_program
def test_limit_and_tilt_have_the_bits_of_the_program(tmp_path: Path) -> None:
    model = Model.recipe("arch", voussoirs=8)
    path = tmp_path / "arch.json"
    model.save(path)
    told = program("limit", path, "--direction", "1,0,0", "--json")
    assert_same_bits(without_times(model.limit((1, 0, 0)).fields), without_times(json.loads(told.stdout)))
    told = program("tilt", path, "--axis", "0,1,0", "--json")
    assert_same_bits(without_times(model.tilt((0, 1, 0)).fields), without_times(json.loads(told.stdout)))


@needs_program
def test_a_run_has_the_bits_of_the_program(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    model = Model.recipe("arch", voussoirs=8)
    model.save(tmp_path / "arch.json")
    motion = "sine:amplitude=0.4g,frequency=2,direction=x"
    words = ["--duration", "0.5", "--dt", "0.005", "--every", "0.05", "--motion", motion, "-o", "run"]
    assert program("simulate", "arch.json", *words, folder=tmp_path).returncode == 0
    run = model.simulate(0.5, dt=0.005, every=0.05, motion=motion)
    table = pandas.read_parquet(tmp_path / "run" / "blocks.parquet")
    shape = (len(run.times), model.blocks)
    assert table.time_s.to_numpy().reshape(shape)[:, 0].tobytes() == run.times.tobytes()
    assert table.name.tolist() == run.block_names * len(run.times)
    centers = table[["x", "y", "z"]].to_numpy().reshape(*shape, 3)
    rotations = table[["qw", "qx", "qy", "qz"]].to_numpy().reshape(*shape, 4)
    assert np.array_equal(centers, run.centers)
    assert np.array_equal(rotations, run.rotations)
    assert np.abs(run.displacements("voussoir-02")).max() > 1e-4, "the arch moves"
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    expected = without_times(summary)
    found = without_times(run.fields)
    for own_files in (expected, found):
        # What was written, and where.
        own_files.pop("files", None)
        own_files.pop("folder", None)
    assert_same_bits(found, expected)


# Results.


def test_arrays_have_shapes_and_types() -> None:
    arch = Model.recipe("arch", voussoirs=8)
    answer = arch.check()
    points = len(answer.points)
    assert points == arch.info()["contacts"] == 36
    for array, shape, kind in [
        (answer.points, (points, 3), np.float64),
        (answer.normals, (points, 3), np.float64),
        (answer.pairs, (points, 2), np.uint32),
        (answer.forces, (points, 3), np.float64),
        # Voussoirs, two springers and the ground.
        (arch.fixed, (11,), np.bool_),
        (arch.masses, (11,), np.float64),
        (arch.centers, (11, 3), np.float64),
        (arch.mesh("voussoir-01")[0], (8, 3), np.float64),
    ]:
        assert array.shape == shape and array.dtype == kind
    assert np.linalg.norm(answer.normals, axis=1) == pytest.approx(np.ones(points))
    run = arch.simulate(0.2, dt=0.01, every=0.05)
    assert run.centers.shape == (5, 11, 3) and run.rotations.shape == (5, 11, 4) and run.times.shape == (5,)
    assert run.centers[0] == pytest.approx(arch.centers, abs=1e-12)
    assert np.linalg.norm(run.rotations, axis=2) == pytest.approx(np.ones((5, 11)))
    assert {name: len(column) for name, column in run.energies.items()} == dict.fromkeys(run.energies, 20)
    joints = arch.contacts()
    assert joints.pairs.shape == (9, 2) and joints.areas.shape == (9,) and len(joints.outlines) == 9
    path = arch.settle(steps=4)
    assert path.path.shape[1] == 6 and path.centers.shape == (len(path.path), 11, 3)


def test_arrays_are_nobody_elses() -> None:
    model = two_blocks()
    masses, centers = model.masses, model.centers
    masses[:] = 0
    centers[:] = 0
    assert model.masses[1] == pytest.approx(2000) and model.centers[1, 2] == pytest.approx(0.5)
    corners, _ = model.mesh("high")
    given = corners.copy()
    again = Model.from_meshes({"high": (given, model.mesh("high")[1])})
    given[:] = 7
    assert again.mesh("high")[0] == pytest.approx(corners)
    first, second = model.check(), model.check()
    first.forces[:] = 0
    assert np.abs(second.forces).max() > 1
    assert np.abs(model.check().forces).max() > 1


def test_a_result_keeps_the_model_that_was_asked() -> None:
    model = two_blocks()
    answer = model.check()
    model.move("high", (0.7, 0, 0))
    assert answer.model.centers[1, 0] == pytest.approx(0)
    assert answer.model.verify(answer.certificate).valid
    assert model.check().verdict == "unstable"


def test_a_run_says_why_it_ended() -> None:
    run = two_blocks().simulate(0.1, dt=0.01)
    assert run.ended == "the duration is over"
    assert run.ended in repr(run)
    assert two_blocks().simulate(5, dt=0.01, stop_at="rest").ended != run.ended


def test_results_print_themselves() -> None:
    model = two_blocks()
    for result in (
        model.check(),
        model.limit((1, 0, 0)),
        model.tilt((0, 1, 0)),
        model.settle(steps=2),
        model.contacts(),
        model.verify(model.check().certificate),
        model.simulate(0.1, dt=0.01),
    ):
        assert repr(result).startswith(f"<{type(result).__name__}")
        assert json.loads(result.to_json()) == result.fields
        assert set(result.fields) <= set(dir(result))


def test_tables_go_to_pandas_and_arrow() -> None:
    pandas = pytest.importorskip("pandas")
    arrow = pytest.importorskip("pyarrow")
    model = two_blocks()
    run = model.simulate(0.2, dt=0.01, every=0.05)
    for result, rows in ((model.check(), 4), (model.contacts(), 1), (run, 10), (model.settle(steps=3), 3)):
        frame, table = result.to_pandas(), result.to_arrow()
        assert isinstance(frame, pandas.DataFrame) and isinstance(table, arrow.Table)
        assert len(frame) == table.num_rows == rows
        assert list(frame.columns) == table.column_names == list(result.columns())
    frame = run.to_pandas()
    high = frame[frame.block == "high"]
    assert high.z_m.to_numpy() == pytest.approx(run.centers[:, 1, 2])


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), lambda m: m.copy()])
def test_models_are_copied_and_pickled(again: Callable[[Model], Model]) -> None:
    model = Model.recipe("wall", length=2, height=1)
    other = again(model)
    assert other == model and other is not model
    other.move(other.names[-1], (0, 0, 1))
    assert other != model
    assert model == Model.recipe("wall", length=2, height=1)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_results_are_copied_and_pickled(again: Callable[[Any], Any]) -> None:
    answer = two_blocks().check()
    other = again(answer)
    assert other.fields == answer.fields
    assert np.array_equal(other.forces, answer.forces)
    assert other.model == answer.model


def test_models_have_no_hash() -> None:
    with pytest.raises(TypeError):
        hash(two_blocks())


@pytest.mark.parametrize("ending", ["json", "compas.json", "obj"])
def test_a_saved_model_is_read_again(tmp_path: Path, ending: str) -> None:
    model = two_blocks()
    model.save(tmp_path / f"model.{ending}")
    again = Model.load(tmp_path / f"model.{ending}")
    assert again.names == model.names
    assert again.volumes == pytest.approx(model.volumes)
    assert again.centers == pytest.approx(model.centers)


def test_recipes_build_what_they_list() -> None:
    for name, parameters in drystone.recipes().items():
        assert all(len(entry) == 2 and entry[1] for entry in parameters.values()), name
    # Springers and the ground beneath them.
    assert Model.recipe("arch", voussoirs=11).blocks == 14
    assert Model.recipe("arch", voussoirs=11, ground=False).blocks == 13
    assert Model.recipe("wall", length=2, height=1).name == "wall"


def test_the_schema_knows_what_models_hold() -> None:
    assert set(two_blocks().to_dict()) <= set(drystone.schema()["properties"])


# What a stranger found.

CORNERS = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
FACES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]


def pile(**options: Any) -> Model:
    return Model.from_meshes({"low": (CORNERS, FACES), "high": (CORNERS + [0, 0, 1], FACES)}, fixed="low", **options)


def test_a_motion_of_the_same_name_is_replaced() -> None:
    model, t = pile(), np.linspace(0, 1, 101)
    for far in (0.1, 0.3):
        model.add_motion("way", t, np.outer(far * t, [1, 0, 0]), quantity="displacement")
    assert model.simulate(1, dt=0.01).displacements("low")[-1] == pytest.approx([0.3, 0, 0], abs=1e-12)


def test_resultants_have_the_tension_in_them() -> None:
    """A cube that overhangs by 0.6 m is held by tension; the resultant is its weight, through its centre."""
    model = Model.from_meshes({"low": (CORNERS, FACES), "high": (CORNERS + [0.6, 0, 1], FACES)}, fixed="low", density=1000)
    answer = model.check("rbe")
    joints = answer.resultants()
    assert answer.tensions.sum() > 0
    assert np.abs(joints["forces"]).sum() == pytest.approx(9810, rel=1e-4)
    assert joints["places"][0, 0] == pytest.approx(1.1, abs=1e-4)
    table = answer.columns()
    held = table["force_z_n"] - table["tension_n"] * table["normal_z"]
    assert abs(held.sum()) == pytest.approx(9810, rel=1e-4)


def test_energies_add_up_with_what_positions_are_ahead_by() -> None:
    falls = Model.from_meshes({"low": (CORNERS, FACES), "high": (CORNERS + [0, 0, 9], FACES)}, fixed="low")
    with pytest.warns(UserWarning, match="touches nothing"):
        energies = falls.simulate(0.5, dt=0.01).energies
    total = energies["kinetic"] + energies["potential"] + energies["ahead"]
    assert np.abs(total).max() < 1e-9 * energies["kinetic"].max()


def test_a_mirror_turns_no_surface_inside_out() -> None:
    trimesh = pytest.importorskip("trimesh")
    scene, mirror = trimesh.Scene(), np.diag([-1.0, 1, 1, 1])
    scene.add_geometry(trimesh.creation.box((1, 1, 1)), transform=mirror)
    assert Model.from_trimesh(scene).volumes.tolist() == pytest.approx([1.0])


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda m: m.check(supports=["a,b"]), InputError, "its comma"),
        (lambda m: m.check(friction=[]), InputError, "is not a number"),
        (lambda m: setattr(m, "gravity", (0, 0, -1)), AttributeError, "gravity"),
        (lambda m: m.simulate(0.1, vtk=True), TypeError, "no `output`"),
        (lambda m: m.set_friction(0.2, between=("low", "low")), InputError, "between two blocks"),
        (lambda m: m.set_friction(0.2, between=("low",)), ValueError, "two names"),
        (lambda m: m.rotate("high", (0, 0, 1), "90"), TypeError, "angle_deg"),
        (lambda m: m.verify(""), TypeError, "the certificate"),
        (lambda m: Model("arch.json"), TypeError, "Model.load"),
        (lambda m: Model.from_meshes({"a": (CORNERS, [[0.5, 1, 2]])}), TypeError, "whole numbers"),
        (lambda m: Model.from_meshes({"a": None}), TypeError, "a pair of vertices and faces"),
        (lambda m: Model.from_meshes([(CORNERS, FACES)], fixed=0), TypeError, "names must be text"),
        (lambda m: m.simulate(0.1).displacements("zz"), KeyError, "no block `zz`"),
    ],
)
def test_what_would_be_passed_over_is_refused(call: Callable[[Model], object], kind: Any, text: str) -> None:
    with pytest.raises(kind, match=text):
        call(pile())


def test_names_come_in_arrays_too() -> None:
    model = Model.from_meshes([(CORNERS, FACES), (CORNERS + [0, 0, 1], FACES)], fixed=np.array(["block-1"]))
    assert model.fixed.tolist() == [True, False]
    assert model.check("cone", supports=np.array(["block-1"]), friction=np.array(0.5)).verdict == "stable"
    assert model.check("elastic", deformable={"all": "H8x2x2x2"}, young=1e10, poisson=0.2).verdict == "stable"
