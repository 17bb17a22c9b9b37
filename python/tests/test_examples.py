"""Scripts for Blender and Rhino, with stand-ins for what only these have."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from drystone import Model

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import blender_run  # noqa: E402
import grasshopper_check  # noqa: E402

# Blender.


class Thing(SimpleNamespace):
    """An object of Blender: keeps its keyframes."""

    def __init__(self, name: str, data: Any) -> None:
        super().__init__(name=name, data=data, keys=[])

    def keyframe_insert(self, data_path: str, frame: float) -> None:
        self.keys.append((data_path, frame, list(getattr(self, data_path))))


class Surface(SimpleNamespace):
    """A mesh of Blender."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, materials=[])

    def from_pydata(self, vertices: Any, edges: Any, faces: Any) -> None:
        self.vertices, self.faces = vertices, faces

    def update(self) -> None:
        assert all(0 <= k < len(self.vertices) for face in self.faces for k in face)


def blender() -> Any:
    """A stand-in of the module `bpy`."""
    linked: list[Any] = []
    children: list[Any] = []
    scene = SimpleNamespace(
        render=SimpleNamespace(fps=24),
        frame_start=1,
        frame_end=250,
        collection=SimpleNamespace(children=SimpleNamespace(link=children.append)),
    )
    return SimpleNamespace(
        linked=linked,
        imported=[],
        context=SimpleNamespace(
            scene=scene, preferences=SimpleNamespace(edit=SimpleNamespace(keyframe_new_interpolation_type="BEZIER"))
        ),
        data=SimpleNamespace(
            meshes=SimpleNamespace(new=Surface),
            objects=SimpleNamespace(new=Thing),
            materials=SimpleNamespace(new=lambda name: SimpleNamespace(name=name)),
            collections=SimpleNamespace(new=lambda name: SimpleNamespace(name=name, objects=SimpleNamespace(link=linked.append))),
        ),
        ops=SimpleNamespace(import_scene=SimpleNamespace()),
    )


@pytest.fixture(scope="module")
def run() -> Any:
    motion = "sine:amplitude=0.8g,frequency=2,direction=x"
    return Model.recipe("block").simulate(0.5, dt=0.005, every=0.05, motion=motion)


def test_a_saved_run_is_read_again(run: Any, tmp_path: Path) -> None:
    blender_run.save(run, str(tmp_path / "run.npz"))
    frames = blender_run.load(str(tmp_path / "run.npz"))
    assert frames.name == "block" and frames.names == ["ground", "block"] and frames.fixed == [True, False]
    assert np.array_equal(frames.centers, run.centers) and np.array_equal(frames.times, run.times)
    for k, name in enumerate(frames.names):
        corners, faces = run.model.mesh(name)
        assert frames.surfaces[k].faces == faces
        assert frames.surfaces[k].vertices + run.centers[0, k] == pytest.approx(corners)


def test_quaternions_do_not_flip_between_frames() -> None:
    angles = np.linspace(0, 5, 30)
    turning = np.stack([np.cos(angles / 2), *(np.zeros((2, 30))), np.sin(angles / 2)], axis=1)[:, None, :]
    flipped = turning * np.where(np.arange(30) % 3 == 0, -1.0, 1.0)[:, None, None]
    smooth = blender_run.without_flips(flipped)
    assert smooth == pytest.approx(-turning)


def test_blender_gets_objects_with_keyframes(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bpy = blender()
    monkeypatch.setitem(sys.modules, "bpy", bpy)
    blender_run.save(run, str(tmp_path / "run.npz"))
    blender_run.main(["blender", "--python", "blender_run.py", "--", str(tmp_path / "run.npz"), "--fps", "60"])
    ground, block = bpy.linked
    assert (ground.name, block.name) == ("ground", "block")
    places = [key for key in block.keys if key[0] == "location"]
    assert [frame for _, frame, _ in places] == pytest.approx(60 * run.times)
    assert np.array([value for _, _, value in places]) == pytest.approx(run.centers[:, 1])
    assert len(block.keys) == 2 * len(run.times) and block.rotation_mode == "QUATERNION"
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end, scene.render.fps) == (0, 30, 60)
    assert bpy.context.preferences.edit.keyframe_new_interpolation_type == "BEZIER", "the setting is put back"


def test_a_block_that_stays_has_no_keyframes(tmp_path: Path) -> None:
    run = Model.recipe("block").simulate(0.1, dt=0.01)
    blender_run.save(run, str(tmp_path / "run.npz"))
    bpy = blender()
    ground, _ = blender_run.build(bpy, blender_run.load(str(tmp_path / "run.npz")), 24)
    assert ground.keys == [] and ground.location == pytest.approx(run.centers[0, 0])


def test_blender_imports_the_animated_scene(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run.model.simulate(0.5, dt=0.005, every=0.05, motion="sine:amplitude=0.8g,frequency=2,direction=x", output=tmp_path / "run")
    path = str(tmp_path / "run" / "motion.glb")
    assert blender_run.length_of_glb(path) == pytest.approx(0.5)
    bpy = blender()
    bpy.ops.import_scene.gltf = lambda filepath: bpy.imported.append(filepath)
    monkeypatch.setitem(sys.modules, "bpy", bpy)
    blender_run.main(["blender", "--", path])
    assert bpy.imported == [path] and bpy.context.scene.frame_end == 12


def test_the_command_line_of_blender_is_read() -> None:
    assert blender_run.options(["blender", "-b"]) == ("", None)
    assert blender_run.options(["blender", "--", "a.npz"]) == ("a.npz", None)
    assert blender_run.options(["blender", "--", "--fps", "30", "a.npz"]) == ("a.npz", 30)
    with pytest.raises(SystemExit):
        blender_run.options(["blender", "--", "a.npz", "b.npz"])
    with pytest.raises(ValueError, match="not a .glb file"):
        blender_run.length_of_glb(__file__)


# Rhino.


class Vertices:
    """Vertices of a mesh of Rhino."""

    def __init__(self, points: Any) -> None:
        self.points = points
        self.Count = len(points)

    def Point3dAt(self, k: int) -> Any:
        return SimpleNamespace(X=self.points[k][0], Y=self.points[k][1], Z=self.points[k][2])


class Faces(list[Any]):
    """Faces of a mesh of Rhino."""

    @property
    def Count(self) -> int:
        return len(self)


def rhino_mesh(corners: Any, faces: Any) -> Any:
    """A mesh as Rhino has it, with corners of its own for each face, and three of a face that is a triangle."""
    points, listed = [], Faces()
    for face in faces:
        at = [len(points) + k for k in range(len(face))]
        points.extend(corners[k] for k in face)
        listed.append(SimpleNamespace(A=at[0], B=at[1], C=at[2], D=at[-1], IsQuad=len(face) == 4))
    return SimpleNamespace(Vertices=Vertices(points), Faces=listed)


CORNERS = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
QUADS = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
TRIANGLES = [half for a, b, c, d in QUADS for half in ([a, b, c], [a, c, d])]


@pytest.mark.parametrize("faces", [QUADS, TRIANGLES, [face[::-1] for face in QUADS]])
def test_meshes_of_rhino_are_welded_and_turned_outward(faces: Any) -> None:
    jitter = CORNERS + 1e-5 * np.arange(24).reshape(8, 3) / 24
    vertices, outlines = grasshopper_check.surface_of(rhino_mesh(jitter, faces), 1e-3)
    assert len(vertices) == 8 and len(outlines) == len(faces)
    exact = grasshopper_check.surface_of(rhino_mesh(CORNERS, faces), 1e-3)
    assert Model.from_meshes([exact]).volumes[0] == pytest.approx(1)


def test_corners_on_both_sides_of_a_cell_are_one() -> None:
    vertices, outlines = grasshopper_check.welded(
        np.array([[0.999999, 0, 0], [1.000001, 0, 0], [2, 0, 0], [2, 1, 0]]), [[0, 1, 2], [0, 2, 3], [1, 2, 3]], 1e-3
    )
    assert len(vertices) == 3 and outlines == [[0, 1, 2], [0, 1, 2]]


def test_breps_come_in_by_their_mesh() -> None:
    brep = SimpleNamespace(Faces=[SimpleNamespace()], Vertices=[])
    mesh = rhino_mesh(CORNERS, TRIANGLES)
    assert len(grasshopper_check.surface_of(brep, 1e-3, lambda given: mesh if given is brep else None)[0]) == 8
    with pytest.raises(TypeError, match="cannot be a block"):
        grasshopper_check.surface_of(SimpleNamespace(), 1e-3)


def cubes(shift: float, unit: float = 1.0) -> Any:
    """A cube on another, in a unit of its own."""
    return [(CORNERS * unit, QUADS), ((CORNERS + [shift, 0, 1]) * unit, QUADS)]


def test_a_cube_in_millimetres_stands_and_its_force_is_a_line() -> None:
    found = grasshopper_check.check(cubes(0.2, 1000), [0], 0.6, density=2000, length=500, metres=1e-3)
    assert found.verdict == "stable" and "stands" in found.report
    assert found.newtons == pytest.approx([2000 * 9.81], rel=1e-6)
    assert found.forces[0] == pytest.approx(np.array([[700, 500, 750], [700, 500, 1250]]), rel=1e-4)
    assert len(found.motion) == 0


def test_a_cube_that_tips_moves() -> None:
    found = grasshopper_check.check(cubes(0.6), [0], 0.6)
    assert found.verdict == "unstable" and len(found.forces) == len(found.newtons) == 0
    assert found.motion[0] == pytest.approx(np.zeros(3), abs=1e-9) and found.motion[1, 2] < -0.01
    assert found.spin[1, 1] > 0.1


def test_a_support_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no block 2"):
        grasshopper_check.check(cubes(0), [2], 0.6)


class Made(SimpleNamespace):
    """Something that Rhino makes: keeps what it is made of."""

    def __init__(self, *of: Any) -> None:
        super().__init__(of=of)


def test_the_component_gives_its_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    geometry = SimpleNamespace(Line=Made, Point3d=Made, Vector3d=Made, Mesh=Made, MeshingParameters=None)
    rhino = SimpleNamespace(
        Geometry=geometry,
        RhinoDoc=SimpleNamespace(ActiveDoc=SimpleNamespace(ModelUnitSystem="mm", ModelAbsoluteTolerance=0.01)),
        RhinoMath=SimpleNamespace(UnitScale=lambda a, b: {"mm": 1e-3, "m": 1.0}[a] / {"mm": 1e-3, "m": 1.0}[b]),
        UnitSystem=SimpleNamespace(Meters="m"),
    )
    monkeypatch.setitem(sys.modules, "Rhino", rhino)
    monkeypatch.setitem(sys.modules, "Rhino.Geometry", geometry)
    source = Path(grasshopper_check.__file__).read_text(encoding="utf-8")
    for shift, expected in ((0.2, "stable"), (0.6, "unstable")):
        inputs: dict[str, Any] = {
            "__name__": "component",
            "blocks": [rhino_mesh(vertices, faces) for vertices, faces in cubes(shift, 1000)],
            "supports": [0],
            "friction": 0.7,
        }
        exec(compile(source, "component", "exec"), inputs)
        assert inputs["verdict"] == expected and inputs["report"]
        assert len(inputs["forces"]) == len(inputs["newtons"]) == (1 if expected == "stable" else 0)
        assert len(inputs["motion"]) == len(inputs["spin"]) == (0 if expected == "stable" else 2)
