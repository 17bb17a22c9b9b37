"""Shapes of blocks as arrays, and where blocks move to; what plots and views share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .model import Model
    from .results import Check

__all__ = [
    "Shapes",
    "loads_of",
    "magnification",
    "moved_points",
    "rotation_vectors",
    "rotations_of",
    "shapes_of",
    "size_of",
    "tensions_of",
    "ties_of",
]

Floats = NDArray[np.float64]

#: The largest displacement is drawn as long as this part of the structure.
SHOWN = 0.04
#: A mechanism is drawn displaced by this part of the structure.
SWING = 0.05


@dataclass(frozen=True)
class Shapes:
    """Corners of all blocks, and the faces that they bound."""

    #: Corners (m), a row each.
    vertices: Floats
    #: The block of each corner.
    vertex_block: NDArray[np.int64]
    #: Corners of each face, by their row, counter-clockwise seen from outside.
    faces: list[list[int]]
    #: The block of each face.
    face_block: NDArray[np.int64]


def shapes_of(model: Model) -> Shapes:
    """Corners and faces of a model."""
    vertices, faces, vertex_block, face_block = [], [], [], []
    first = 0
    for k, name in enumerate(model.names):
        corners, polygons = model.mesh(name)
        vertices.append(corners)
        vertex_block.append(np.full(len(corners), k))
        faces += [[first + corner for corner in polygon] for polygon in polygons]
        face_block.append(np.full(len(polygons), k))
        first += len(corners)
    if not vertices:
        return Shapes(np.zeros((0, 3)), np.zeros(0, dtype=np.int64), [], np.zeros(0, dtype=np.int64))
    return Shapes(np.concatenate(vertices), np.concatenate(vertex_block), faces, np.concatenate(face_block))


def size_of(model: Model, shapes: Shapes) -> float:
    """Diagonal of the box around the free blocks (m), of all where none are free."""
    free = ~model.fixed[shapes.vertex_block]
    corners = shapes.vertices[free] if free.any() else shapes.vertices
    return float(np.linalg.norm(np.ptp(corners, axis=0))) if len(corners) else 1.0


def rotation_vectors(quaternions: Floats) -> Floats:
    """Axes as long as the angles (rad), of quaternions with the real part first."""
    q = np.where(quaternions[..., :1] < 0, -quaternions, quaternions)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., :1])
    return np.asarray(q[..., 1:] * np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 1e-12))


def rotations_of(vectors: Floats) -> Floats:
    """Matrices of rotations by axes as long as the angles (rad)."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(vectors, -1, 0)
    zero = np.zeros_like(x)
    cross = np.stack([np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], -2)
    # Both series are those of small angles where the quotients lose their digits.
    small = angle < 1e-6
    safe = np.where(small, 1.0, angle)
    first = np.where(small, 1.0, np.sin(safe) / safe)
    second = np.where(small, 0.5, (1 - np.cos(safe)) / safe**2)
    return np.asarray(np.eye(3) + first * cross + second * (cross @ cross))


def moved_points(points: Floats, blocks: NDArray[Any], centers: Floats, motion: Floats) -> Floats:
    """Points fixed to blocks, after displacements and rotations: six numbers a block."""
    turned = np.einsum("nij,nj->ni", rotations_of(motion[:, 3:])[blocks], points - centers[blocks])
    return np.asarray(centers[blocks] + motion[blocks, :3] + turned)


def magnification(largest: float, size: float) -> float:
    """The largest of 1, 2 or 5 times a power of ten by which displacements stay small beside the structure; at least 1.

    >>> magnification(0.001, 10.0), magnification(1.0, 10.0)
    (200.0, 1.0)
    """
    most = SHOWN * size / largest if largest > 0 else 1.0
    if most < 2:
        return 1.0
    power = 10.0 ** np.floor(np.log10(min(most, 1e6)))
    return float(next(step * power for step in (5, 2, 1) if step * power <= most))


def tensions_of(check: Check) -> Floats:
    """Tensions on second blocks as vectors (N); no rows where none are needed."""
    for answer in check.answers:
        if len(answer.tensions) and (answer.tensions > 0).any():
            # Tension draws the second block back to the first, against the normal.
            return np.asarray(-check.normals * answer.tensions[:, None])
    return np.zeros((0, 3))


def loads_of(model: Model, cases: Any = True) -> tuple[Floats, Floats]:
    """Points (m) and forces (N) of load cases, of all or of those that are named."""
    fields = model.to_dict().get("load_cases", {})
    names = list(fields) if cases is True else [] if not cases else [cases] if isinstance(cases, str) else list(cases)
    places, forces = [], []
    order = {name: k for k, name in enumerate(model.names)}
    centers = model.centers
    for name in names:
        if name not in fields:
            raise KeyError(f"there is no load case `{name}`; there are: {', '.join(fields) or 'none'}")
        for each in fields[name].get("forces", []):
            places.append(each.get("at") or centers[order[each["block"]]])
            forces.append(each["force"])
    return np.array(places, dtype=float).reshape(-1, 3), np.array(forces, dtype=float).reshape(-1, 3)


def ties_of(model: Model) -> Floats:
    """Ends of ties (m): by tie, end and axis."""
    ties = model.to_dict().get("ties", [])
    return np.array([[tie["from"]["at"], tie["to"]["at"]] for tie in ties], dtype=float).reshape(-1, 2, 3)
