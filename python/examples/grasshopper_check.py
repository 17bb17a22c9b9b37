#! python3
# r: drystone
"""Checks blocks of Rhino in Grasshopper: a script component for Rhino 8 (CPython 3.9).

Not tried inside Rhino yet: its tests run against stand-ins of Rhino's meshes and breps.

Until drystone is on a package index, replace `# r: drystone` above by the path of a wheel, as `# r: /path/to/drystone-*.whl`, or
install the wheel into Rhino's Python: `~/.rhinocode/py39-rh8/python3.9 -m pip install drystone-*.whl`.

Put a Python 3 Script component on the canvas, paste this file, and give it these inputs (right-click: type hint, list access):

| input      | is                                            | access |
|------------|-----------------------------------------------|--------|
| `blocks`   | meshes or breps, closed                       | list   |
| `supports` | which of them are supports: indices, from 0   | list   |
| `friction` | friction coefficient of the joints            | item   |
| `density`  | kg/m³; left out: 2000                         | item   |
| `distance` | how far faces may be apart and be joined, in units of the document; left out: they touch | item |
| `length`   | length of the longest force, in units of the document; left out: a quarter of the size   | item |

and these outputs:

| output    | is                                                                                     |
|-----------|----------------------------------------------------------------------------------------|
| `verdict` | `stable`, `unstable` or `undecided`                                                    |
| `report`  | the conclusion in plain words, and warnings                                            |
| `forces`  | a line for each joint: its resultant, through the point that it acts at                |
| `newtons` | sizes of these forces (N)                                                              |
| `motion`  | a vector for each block: velocity of its centre in the collapse mechanism, 1 the fastest point of all |
| `spin`    | a vector for each block: its angular velocity there, per metre                         |

The document may be in any unit: lengths are taken to metres on the way in and back on the way out. Z points up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Found(NamedTuple):
    """What the component gives, as arrays in units of the document."""

    verdict: str
    report: str
    #: Ends of a line for each joint that carries something: joint, end, axis.
    forces: Floats
    newtons: Floats
    #: Velocity and angular velocity of each block; no rows where it stands.
    motion: Floats
    spin: Floats


# From Rhino's geometry to arrays; only its attributes are used, so that it need not be there.


def surface_of(geometry: Any, tolerance: float, mesh_of: Any = None) -> tuple[Floats, list[list[int]]]:
    """Vertices and faces of a mesh, or of a brep by its mesh; corners within a tolerance are one."""
    mesh = geometry if hasattr(geometry, "Vertices") and hasattr(geometry, "Faces") and hasattr(geometry.Faces[0], "IsQuad") else None
    if mesh is None:
        if mesh_of is None:
            raise TypeError(f"cannot be a block: {geometry!r}")
        mesh = mesh_of(geometry)
    points = [mesh.Vertices.Point3dAt(k) for k in range(mesh.Vertices.Count)]
    vertices = np.array([[p.X, p.Y, p.Z] for p in points], dtype=float).reshape(-1, 3)
    faces = []
    for k in range(mesh.Faces.Count):
        face = mesh.Faces[k]
        faces.append([face.A, face.B, face.C, face.D] if face.IsQuad else [face.A, face.B, face.C])
    return outward(*welded(vertices, faces, tolerance))


def welded(vertices: Floats, faces: Sequence[Sequence[int]], tolerance: float) -> tuple[Floats, list[list[int]]]:
    """A mesh whose faces share corners: Rhino gives each face of a brep its own."""
    kept: list[Floats] = []
    place: dict[tuple[int, ...], int] = {}
    index = []
    for vertex in vertices:
        cell = np.floor(vertex / tolerance).astype(int)
        near = (place.get(tuple(cell + step)) for step in STEPS)
        same = next((k for k in near if k is not None and np.linalg.norm(kept[k] - vertex) <= tolerance), None)
        if same is None:
            same = place[tuple(cell)] = len(kept)
            kept.append(vertex)
        index.append(same)
    outlines = []
    for face in faces:
        outline = [index[k] for k in face]
        outline = [k for j, k in enumerate(outline) if k != outline[j - 1]]
        if len(set(outline)) > 2:
            outlines.append(outline)
    return np.array(kept).reshape(-1, 3), outlines


#: A cell of a grid and its neighbours.
STEPS = np.array([[x, y, z] for x in (0, -1, 1) for y in (0, -1, 1) for z in (0, -1, 1)])


def outward(vertices: Floats, faces: list[list[int]]) -> tuple[Floats, list[list[int]]]:
    """The same surface, with faces counter-clockwise seen from outside."""
    middle = vertices.mean(axis=0) if len(vertices) else np.zeros(3)
    six_volumes = 0.0
    for face in faces:
        a = vertices[face[0]] - middle
        for b, c in zip(face[1:], face[2:]):
            six_volumes += float(a @ np.cross(vertices[b] - middle, vertices[c] - middle))
    return vertices, [face[::-1] for face in faces] if six_volumes < 0 else faces


# The check.


def check(
    surfaces: Sequence[tuple[Floats, list[list[int]]]],
    supports: Sequence[int],
    friction: float,
    *,
    density: Optional[float] = None,
    distance: Optional[float] = None,
    length: Optional[float] = None,
    metres: float = 1.0,
) -> Found:
    """Checks blocks; lengths are in units of `metres`."""
    import warnings

    import drystone

    names = [f"block-{k}" for k in range(len(surfaces))]
    unknown = [k for k in supports if not 0 <= k < len(names)]
    if unknown:
        raise ValueError(f"supports: there is no block {unknown[0]}; there are {len(names)}, from 0")
    named = {name: (vertices * metres, faces) for name, (vertices, faces) in zip(names, surfaces)}
    model = drystone.Model.from_meshes(named, fixed=[names[k] for k in supports], density=density, friction=friction)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = model.check(joint_distance=None if distance is None else distance * metres)
    report = "\n".join([answer.conclusion, *(str(w.message) for w in caught), *map(str, answer.geometry_problems)])
    joints = answer.resultants()
    sizes = np.linalg.norm(joints["forces"], axis=1)
    carry = sizes > 1e-9 * sizes.max(initial=0.0)
    if length is None:
        corners = np.concatenate([vertices for vertices, _ in surfaces])
        length = 0.25 * float(np.linalg.norm(np.ptp(corners, axis=0)))
    half = joints["forces"][carry] * (length / max(sizes.max(initial=0.0), 1e-300) / 2)
    places = joints["places"][carry] / metres
    motions = answer.motions if answer.verdict == "unstable" else np.zeros((0, 6))
    return Found(answer.verdict, report, np.stack([places - half, places + half], axis=1), sizes[carry], motions[:, :3], motions[:, 3:])


# The component.


def main(blocks: Sequence[Any], supports: Sequence[int], friction: float, **others: Optional[float]) -> tuple[Any, ...]:
    """Does it in Rhino; gives the outputs."""
    import Rhino  # type: ignore[import-not-found, unused-ignore]
    from Rhino.Geometry import Line, Mesh, MeshingParameters, Point3d, Vector3d  # type: ignore[import-not-found, unused-ignore]

    document = Rhino.RhinoDoc.ActiveDoc
    metres = Rhino.RhinoMath.UnitScale(document.ModelUnitSystem, Rhino.UnitSystem.Meters)

    def mesh_of(brep: Any) -> Any:
        whole = Mesh()
        for part in Mesh.CreateFromBrep(brep, MeshingParameters.FastRenderMesh):
            whole.Append(part)
        return whole

    surfaces = [surface_of(block, document.ModelAbsoluteTolerance, mesh_of) for block in blocks]
    found = check(surfaces, list(supports or []), friction, metres=metres, **others)
    lines = [Line(Point3d(*start), Point3d(*end)) for start, end in found.forces.tolist()]
    motion, spin = ([Vector3d(*row) for row in rows.tolist()] for rows in (found.motion, found.spin))
    return found.verdict, found.report, lines, found.newtons.tolist(), motion, spin


# Grasshopper runs this file with its inputs as global names.
if "blocks" in globals() and globals()["blocks"]:
    inputs = globals()
    verdict, report, forces, newtons, motion, spin = main(
        inputs["blocks"],
        inputs.get("supports") or [],
        0.6 if inputs.get("friction") is None else inputs["friction"],
        density=inputs.get("density"),
        distance=inputs.get("distance"),
        length=inputs.get("length"),
    )
