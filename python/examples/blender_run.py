"""Puts a run into Blender, as objects with keyframes.

Not tried inside Blender yet: its tests run against a stand-in of `bpy`. Written for Blender 3.6 and later, which brings numpy;
drystone itself need not be installed there.

A run comes in one of two ways:

- the animated scene `motion.glb` that `drystone simulate -o run` leaves: Blender's own importer reads it;
- frames of a `Run`, saved from Python where drystone is installed:

      import drystone
      from blender_run import save
      run = drystone.Model.recipe("arch").simulate(2, motion="sine:amplitude=0.4g,frequency=1,direction=x")
      save(run, "run.npz")

  The file holds the model file, the surfaces of the blocks in axes through their centres of mass, and where they are in each frame.

Then

    blender --python blender_run.py -- run.npz
    blender --python blender_run.py -- run/motion.glb --fps 60

or open this file in Blender's text editor, set `PATH` below, and run it. One second of the run is one second of the scene; z points
up in both, and a metre is one unit. Supports and blocks lie in the collection of the run's name.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

#: What is loaded where the command line names nothing.
PATH = ""
#: Frames of the scene a second, where neither the command line nor the scene says another number.
FPS = 24

Floats = NDArray[np.float64]


class Surface(NamedTuple):
    """Corners of a block, from its centre of mass (m), and its faces."""

    vertices: Floats
    faces: list[list[int]]


class Frames(NamedTuple):
    """A run: blocks, and where they are."""

    name: str
    names: list[str]
    fixed: list[bool]
    surfaces: list[Surface]
    times: Floats
    #: Centres of mass (m), by frame, block and axis.
    centers: Floats
    #: Quaternions, the real part first, by frame, block and component; neighbours in time lie on the same side.
    rotations: Floats


# Outside Blender, with drystone.


def save(run: Any, path: str) -> None:
    """Writes a `drystone.Run` to a file of numpy."""
    model = run.model
    vertices, faces = [], []
    for name, center in zip(model.names, model.centers):
        corners, outline = model.mesh(name)
        vertices.append(corners - center)
        faces.append(outline)
    np.savez_compressed(
        path,
        model=np.array(model.to_json()),
        names=np.array(model.names),
        fixed=model.fixed,
        vertices=np.concatenate(vertices),
        vertex_counts=np.array([len(v) for v in vertices]),
        corners=np.array([k for outline in faces for face in outline for k in face]),
        corner_counts=np.array([len(face) for outline in faces for face in outline]),
        face_counts=np.array([len(outline) for outline in faces]),
        times=run.times,
        centers=run.centers,
        rotations=run.rotations,
    )


# Reading, which needs neither drystone nor Blender.


def load(path: str) -> Frames:
    """Reads what `save` wrote."""
    with np.load(path, allow_pickle=False) as file:
        found = {name: file[name] for name in file.files}
    surfaces = []
    corners = np.split(found["corners"], np.cumsum(found["corner_counts"])[:-1])
    ends = np.cumsum(found["face_counts"])
    for vertices, end, count in zip(np.split(found["vertices"], np.cumsum(found["vertex_counts"])[:-1]), ends, found["face_counts"]):
        surfaces.append(Surface(vertices, [[int(k) for k in face] for face in corners[end - count : end]]))
    frames, blocks = len(found["times"]), len(found["names"])
    for name, columns in (("centers", 3), ("rotations", 4)):
        if found[name].shape != (frames, blocks, columns):
            raise ValueError(f"{path}: {name} are {found[name].shape}, and must be {(frames, blocks, columns)}")
    return Frames(
        name=json.loads(str(found["model"])).get("name") or Path(path).stem,
        names=[str(name) for name in found["names"]],
        fixed=[bool(flag) for flag in found["fixed"]],
        surfaces=surfaces,
        times=found["times"],
        centers=found["centers"],
        rotations=without_flips(found["rotations"]),
    )


def without_flips(rotations: Floats) -> Floats:
    """Quaternions with the sign that keeps each on the side of the one before: `q` and `-q` are one rotation, but not half-way between."""
    dots = np.einsum("fbk,fbk->fb", rotations[1:], rotations[:-1])
    signs = np.cumprod(np.where(dots < 0, -1.0, 1.0), axis=0)
    return np.concatenate([rotations[:1], rotations[1:] * signs[:, :, None]])


def length_of_glb(path: str) -> float:
    """How long the animation of a .glb file is (s); 0 where there is none."""
    data = Path(path).read_bytes()
    if data[:4] != b"glTF":
        raise ValueError(f"{path}: not a .glb file")
    (length,) = struct.unpack_from("<I", data, 12)
    scene = json.loads(data[20 : 20 + length])
    inputs = {sampler["input"] for animation in scene.get("animations", []) for sampler in animation["samplers"]}
    return max((float(scene["accessors"][k]["max"][0]) for k in inputs), default=0.0)


def options(words: list[str]) -> tuple[str, Optional[int]]:
    """File and frames a second of a command line of Blender; what is ours stands after `--`."""
    own = words[words.index("--") + 1 :] if "--" in words else []
    fps: Optional[int] = None
    if "--fps" in own:
        at = own.index("--fps")
        fps = int(own[at + 1])
        del own[at : at + 2]
    if len(own) > 1:
        raise SystemExit(f"one file is needed, and these are given: {', '.join(own)}")
    return (own[0] if own else PATH), fps


# Inside Blender.


def build(bpy: Any, run: Frames, fps: int) -> list[Any]:
    """Makes an object for each block, with keyframes of its place; gives the objects."""
    scene = bpy.context.scene
    collection = bpy.data.collections.new(run.name)
    scene.collection.children.link(collection)
    stone, support = material(bpy, "stone", (0.72, 0.66, 0.55, 1.0)), material(bpy, "support", (0.35, 0.37, 0.4, 1.0))
    edit = bpy.context.preferences.edit
    kept = edit.keyframe_new_interpolation_type
    # Between frames of a run blocks move on straight lines, not on splines that overshoot at impacts.
    edit.keyframe_new_interpolation_type = "LINEAR"
    try:
        objects = []
        for k, name in enumerate(run.names):
            mesh = bpy.data.meshes.new(name)
            mesh.from_pydata(run.surfaces[k].vertices.tolist(), [], run.surfaces[k].faces)
            mesh.update()
            mesh.materials.append(support if run.fixed[k] else stone)
            thing = bpy.data.objects.new(name, mesh)
            thing.rotation_mode = "QUATERNION"
            collection.objects.link(thing)
            animate(thing, run.times * fps, run.centers[:, k], run.rotations[:, k])
            objects.append(thing)
    finally:
        edit.keyframe_new_interpolation_type = kept
    set_frames(scene, fps, float(run.times[-1]))
    return objects


def animate(thing: Any, frames: Floats, centers: Floats, rotations: Floats) -> None:
    """Sets keyframes; a block that never moves gets its place and none."""
    still = np.ptp(centers, axis=0).max() == 0 and np.ptp(rotations, axis=0).max() == 0
    for frame, center, rotation in zip(frames[:1] if still else frames, centers, rotations):
        thing.location = center.tolist()
        thing.rotation_quaternion = rotation.tolist()
        if not still:
            thing.keyframe_insert(data_path="location", frame=float(frame))
            thing.keyframe_insert(data_path="rotation_quaternion", frame=float(frame))


def material(bpy: Any, name: str, color: tuple[float, float, float, float]) -> Any:
    """A material of this colour."""
    made = bpy.data.materials.new(name)
    made.diffuse_color = color
    return made


def set_frames(scene: Any, fps: int, length_s: float) -> None:
    """Lets the scene last as long as the run."""
    scene.render.fps = fps
    scene.frame_start = 0
    scene.frame_end = max(1, int(np.ceil(length_s * fps)))


def main(words: list[str]) -> None:
    """Loads the file that is named."""
    import bpy  # type: ignore[import-not-found, unused-ignore]

    path, fps = options(words)
    if not path:
        raise SystemExit("no file: `blender --python blender_run.py -- run.npz`, or set PATH")
    rate = fps or int(bpy.context.scene.render.fps) or FPS
    if path.lower().endswith(".glb"):
        # The importer reckons with the rate of the scene.
        set_frames(bpy.context.scene, rate, length_of_glb(path))
        bpy.ops.import_scene.gltf(filepath=path)
    else:
        build(bpy, load(path), rate)


if __name__ == "__main__":
    main(sys.argv)
