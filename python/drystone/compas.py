"""Models from COMPAS, and results back into COMPAS.

Assemblies of compas_assembly and compas_cra, and block models of compas_dem and compas_model. Blocks are called by the keys of their
nodes. Nothing here needs COMPAS until results are written.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from ._options import plain
from .model import Model
from .results import Answer, Check, Run, Settle

__all__ = ["model_of", "transformations", "write_forces", "write_positions"]

Floats = NDArray[np.float64]
Key = Hashable

#: How far points may be apart and be the same, as a fraction of the size of what they belong to.
SAME = 1e-6


def model_of(
    assembly: Any,
    *,
    fixed: Union[Key, Iterable[Key], None] = None,
    friction: Optional[float] = None,
    density: Optional[float] = None,
    stored_interfaces: bool = True,
) -> Model:
    """The model of an assembly of compas_assembly or compas_cra, or of a block model of compas_dem or compas_model.

    Supports are the blocks that `is_support` marks, or those whose keys `fixed` gives. `density` (kg/m³) is that of blocks without one
    of their own, which is in `block.attributes["density"]` or in the element's material. Interfaces that are stored on the edges are
    the joints; with `stored_interfaces=False`, or where none are stored, joints are found from the shapes.
    """
    parts = list(_parts(assembly))
    if not parts:
        raise ValueError("there are no blocks in it")
    keys = [part.key for part in parts]
    names = [str(key) for key in keys]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two nodes are called `{twice}`; names of blocks are those of nodes, and must differ")
    supports = None if fixed is None else _keys(fixed, keys)
    # Numbers keep the order; where keys are increasing numbers, messages name them.
    whole = [key for key in keys if isinstance(key, int) and key >= 0]
    ordered = len(whole) == len(keys) and whole == sorted(whole)
    numbers = [str(number) for number in (whole if ordered else range(len(keys)))]
    node = {
        number: _node(part, part.support if supports is None else part.key in supports) for number, part in zip(numbers, parts)
    }
    edge: dict[str, dict[str, Any]] = {number: {} for number in numbers}
    if stored_interfaces:
        number_of = dict(zip(keys, numbers))
        for u, v, interface in _interfaces(assembly):
            entries = edge[number_of[u]].setdefault(number_of[v], {"interfaces": []})["interfaces"]
            entries.append({"dtype": "compas_assembly.datastructures/Interface", "data": _stored(interface)})
    # Assemblies keep the name they were given among their attributes.
    name = (getattr(assembly, "attributes", None) or {}).get("name") or getattr(assembly, "name", None) or ""
    attributes: dict[str, Any] = {"name": str(name), "named_by": "block"}
    if density is not None:
        attributes["density"] = _positive("density", density)
    document = {
        "dtype": "compas_assembly.datastructures/Assembly",
        "data": {"attributes": attributes, "graph": {"dtype": "compas.datastructures/Graph", "data": {"node": node, "edge": edge}}},
    }
    with TemporaryDirectory() as folder:
        path = Path(folder) / "assembly.json"
        path.write_text(json.dumps(plain(document, "the assembly"), allow_nan=False), encoding="utf-8")
        model = Model.load(path)
    if friction is not None:
        model.set_friction(friction)
    return model


def write_forces(assembly: Any, check: Check, *, method: Optional[str] = None) -> None:
    """Writes the contact forces of a check (N) into the interfaces of the assembly or block model that its model is of.

    `interface.forces` gets a dictionary for each point: `c_np` (compression), `c_nn` (tension), `c_u` and `c_v` (along the axes of the
    frame), as compas_cra writes them. Forces are those of `method`, or of the first method that has any. Where the model's joints were
    found from its shapes, they replace the interfaces of the assembly.
    """
    answer = _with_forces(check, method)
    joints = _joints(check)
    if check.model.to_dict().get("interfaces"):
        _fill(assembly, check, answer, joints)
    else:
        _replace(assembly, check, answer, joints)


def transformations(result: Union[Run, Settle], frame: int = -1) -> dict[str, Any]:
    """Of each block, by name, the transformation of COMPAS that takes it from where the model has it to a frame of a run or a path."""
    from compas.geometry import Transformation  # type: ignore[import-untyped, import-not-found, unused-ignore]

    matrices = _matrices(result, frame)
    return {name: Transformation.from_matrix(matrix.tolist()) for name, matrix in zip(result.block_names, matrices)}


def write_positions(assembly: Any, result: Union[Run, Settle], frame: int = -1) -> None:
    """Moves the blocks of an assembly or block model to where a frame of a run or a path has them.

    The assembly must be as its model has it; for several frames, move copies. Interfaces are dropped, because they are no longer where
    the blocks are.
    """
    from compas.geometry import Transformation  # type: ignore[import-untyped, import-not-found, unused-ignore]

    parts = {str(part.key): part for part in _parts(assembly)}
    moves = dict(zip(result.block_names, _matrices(result, frame)))
    for name in moves:
        if name not in parts:
            raise ValueError(f"there is no block `{name}` in the assembly: the result is of another model")
        _same_place(name, parts[name], result.model)
    if _is_assembly(assembly):
        for name, matrix in moves.items():
            parts[name].shape.transform(Transformation.from_matrix(matrix.tolist()))
    else:
        _place_elements(assembly, {parts[name].key: matrix for name, matrix in moves.items()})
    _drop_interfaces(assembly)


# What is in an assembly or a block model.


class _Part(NamedTuple):
    """A block: its key, its mesh in the coordinates of the model, and what is known of it."""

    key: Key
    shape: Any
    support: bool
    density: Optional[float]
    mass: Optional[float]
    group: Optional[str]


def _is_assembly(source: Any) -> bool:
    if hasattr(source, "elements") and hasattr(source, "graph"):
        return False
    if hasattr(source, "graph") and hasattr(source, "node_block"):
        return True
    raise TypeError(
        f"a {type(source).__name__} is no assembly of compas_assembly or compas_cra, and no block model of compas_dem or compas_model"
    )


def _parts(source: Any) -> Iterator[_Part]:
    return _parts_of_assembly(source) if _is_assembly(source) else _parts_of_model(source)


def _parts_of_assembly(assembly: Any) -> Iterator[_Part]:
    for key in assembly.graph.nodes():
        block = assembly.node_block(key)
        if block is None:
            continue
        known = block.attributes
        support = known.get("is_support") if "is_support" not in assembly.graph.node[key] else None
        if support is None:
            support = assembly.graph.node_attribute(key, "is_support")
        group = known.get("group")
        yield _Part(
            key,
            block,
            bool(support),
            _of_block(key, "density", known.get("density", assembly.graph.node[key].get("density"))),
            _of_block(key, "mass", known.get("mass", assembly.graph.node[key].get("mass"))),
            group if isinstance(group, str) else None,
        )


def _parts_of_model(model: Any) -> Iterator[_Part]:
    for element in model.elements():
        try:
            shape = element.modelgeometry
        except NotImplementedError:
            # Groups order the tree and have no geometry.
            continue
        key = element.graphnode
        material = element.material
        density = _of_block(key, "density", getattr(material, "density", None))
        yield _Part(key, shape, bool(getattr(element, "is_support", False)), density, None, None)


def _interfaces(source: Any) -> Iterator[tuple[Key, Key, Any]]:
    """Interfaces with their edges, in the order in which they are stored."""
    names = ("interfaces",) if _is_assembly(source) else ("contacts", "interfaces")
    for edge in source.graph.edges():
        for name in names:
            stored = source.graph.edge_attribute(edge, name)
            for interface in stored or ():
                if len(interface.points):
                    yield edge[0], edge[1], interface
            if stored:
                break


def _keys(fixed: Union[Key, Iterable[Key]], known: list[Key]) -> set[Key]:
    listed = [fixed] if isinstance(fixed, (str, int)) or not isinstance(fixed, Iterable) else list(fixed)
    by_name = {str(key): key for key in known}
    for key in listed:
        if str(key) not in by_name:
            raise ValueError(f"there is no block at node {key!r}")
    return {by_name[str(key)] for key in listed}


def _of_block(key: Key, what: str, value: Any) -> Optional[float]:
    return None if value is None else _positive(f"{what} of the block at node {key!r}", value)


def _positive(what: str, value: Any) -> float:
    number = float(value)
    if not 0.0 < number < float("inf"):
        raise ValueError(f"{what} is {value!r}; it must be above zero")
    return number


def _node(part: _Part, fixed: bool) -> dict[str, Any]:
    vertices, faces = _surface(part)
    own = {"name": str(part.key), "density": part.density, "mass": part.mass, "group": part.group}
    data = {
        "attributes": {name: value for name, value in own.items() if value is not None},
        "vertex": {str(k): dict(zip("xyz", (float(x) for x in at))) for k, at in enumerate(vertices)},
        "face": {str(k): [int(corner) for corner in face] for k, face in enumerate(faces)},
    }
    return {"is_support": fixed, "block": {"dtype": "compas_assembly.datastructures/Block", "data": data}}


def _surface(part: _Part) -> tuple[Any, Any]:
    shape = part.shape
    if not hasattr(shape, "to_vertices_and_faces"):
        raise TypeError(f"the block at node {part.key!r} is a {type(shape).__name__}; a mesh is needed")
    return shape.to_vertices_and_faces()  # type: ignore[no-any-return]


def _stored(interface: Any) -> dict[str, Any]:
    # A frame that COMPAS would fit first is left out: it may look either way, and the program turns it from the first block to the second.
    frame = getattr(interface, "_frame", None) if hasattr(interface, "_frame") else interface.frame
    axes = {name: [float(x) for x in getattr(frame, name)] for name in ("point", "xaxis", "yaxis")} if frame is not None else None
    size = getattr(interface, "size", None)
    return {
        "points": [[float(x) for x in point] for point in interface.points],
        "size": None if size is None else float(size),
        "frame": None if axes is None else {"dtype": "compas.geometry/Frame", "data": axes},
        "forces": None,
    }


# Forces.


def _with_forces(check: Check, method: Optional[str]) -> Answer:
    asked = [answer for answer in check.answers if method is None or answer.method == method]
    if not asked:
        raise ValueError(f"the check was not made by the method `{method}`")
    for answer in asked:
        if len(answer.forces):
            return answer
    raise ValueError(f"there are no forces to write: {check.conclusion}")


def _joints(check: Check) -> list[NDArray[np.intp]]:
    """Rows of the contact points of each joint."""
    joints = check.arrays["joints"]
    order = np.argsort(joints, kind="stable")
    ends = np.flatnonzero(np.diff(joints[order])) + 1
    return np.split(order, ends) if len(order) else []


def _components(check: Check, answer: Answer, rows: NDArray[np.intp], frame: Any, reversed: bool) -> list[dict[str, float]]:
    """Force components at points in a frame; `reversed` where the joint's first block is the edge's second."""
    x, y, z = (np.array(list(axis), dtype=float) for axis in (frame.xaxis, frame.yaxis, frame.zaxis))
    sign = -1.0 if reversed else 1.0
    if sign * float(check.normals[rows[0]] @ z) < 0.0:
        # The frame looks from the second block to the first; compression is positive all the same.
        sign = -sign
    forces = sign * answer.forces[rows]
    tensions = answer.tensions[rows] if len(answer.tensions) else np.zeros(len(rows))
    return [
        {"c_np": max(float(force @ z), 0.0), "c_nn": float(tension), "c_u": float(force @ x), "c_v": float(force @ y)}
        for force, tension in zip(forces, tensions)
    ]


def _fill(assembly: Any, check: Check, answer: Answer, joints: list[NDArray[np.intp]]) -> None:
    """Writes forces into interfaces that are there."""
    names = check.block_names
    by_pair: dict[frozenset[str], list[NDArray[np.intp]]] = {}
    for rows in joints:
        a, b = (names[k] for k in check.pairs[rows[0]])
        by_pair.setdefault(frozenset((a, b)), []).append(rows)
    found: list[tuple[Any, list[dict[str, float]]]] = []
    for u, v, interface in _interfaces(assembly):
        points = np.array([list(point) for point in interface.points], dtype=float)
        candidates = by_pair.get(frozenset((str(u), str(v))), [])
        chosen = next((k for k, rows in enumerate(candidates) if _same(points, check.points[rows])), None)
        if chosen is None:
            raise ValueError(f"no joint between `{u}` and `{v}` of the check is where the interface is: the check is of another model")
        rows = candidates.pop(chosen)
        found.append((interface, _components(check, answer, rows, interface.frame, names[check.pairs[rows[0], 0]] != str(u))))
    # All or none: nothing is written before every interface has its forces.
    for interface, forces in found:
        _set_forces(interface, forces)


def _set_forces(interface: Any, forces: list[dict[str, float]]) -> None:
    interface.forces = forces
    for derived in ("_compressiondata", "_tensiondata", "_frictiondata", "_resultantdata"):
        if hasattr(interface, derived):
            setattr(interface, derived, None)


def _replace(assembly: Any, check: Check, answer: Answer, joints: list[NDArray[np.intp]]) -> None:
    """Stores the joints of the check as interfaces, in place of those that are there."""
    from compas.geometry import Frame  # type: ignore[import-untyped, import-not-found, unused-ignore]

    make, attribute = _interface_class(assembly)
    keys = {str(part.key): part.key for part in _parts(assembly)}
    names = check.block_names
    missing = next((name for name in names if name not in keys), None)
    if missing is not None:
        raise ValueError(f"there is no block `{missing}` in the assembly: the check is of another model")
    _drop_interfaces(assembly)
    graph = assembly.graph
    for rows in joints:
        u, v = (keys[names[k]] for k in check.pairs[rows[0]])
        backwards = graph.has_edge((v, u)) and not graph.has_edge((u, v))
        edge = (v, u) if backwards else (u, v)
        points = check.points[rows]
        normal = -check.normals[rows[0]] if backwards else check.normals[rows[0]]
        x, y = _axes(points, normal)
        frame = Frame(points.mean(axis=0).tolist(), x.tolist(), y.tolist())
        interface = make(points=[point.tolist() for point in points], frame=frame, size=_area(points, normal))
        _set_forces(interface, _components(check, answer, rows, frame, backwards))
        if not graph.has_edge(edge):
            graph.add_edge(*edge)
        graph.edge_attribute(edge, attribute, [*(graph.edge_attribute(edge, attribute) or ()), interface])


def _interface_class(source: Any) -> tuple[Any, str]:
    if _is_assembly(source):
        from compas_assembly.datastructures import Interface  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return Interface, "interfaces"
    try:
        from compas_dem.interactions import FrictionContact  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        raise ImportError("contacts of compas_model hold no forces; those of compas_dem do, which is not installed") from None
    return FrictionContact, "contacts"


def _drop_interfaces(source: Any) -> None:
    names = ("interfaces",) if _is_assembly(source) else ("contacts", "interfaces")
    for edge in list(source.graph.edges()):
        for name in names:
            if source.graph.edge_attribute(edge, name):
                source.graph.edge_attribute(edge, name, [])


def _axes(points: Floats, normal: Floats) -> tuple[Floats, Floats]:
    """Axes in the plane of the points, right-handed with the normal."""
    arms = points - points.mean(axis=0)
    arms -= np.outer(arms @ normal, normal)
    x = arms[np.argmax(np.linalg.norm(arms, axis=1))]
    if np.linalg.norm(x) == 0.0:
        x = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    x = x / np.linalg.norm(x)
    return x, np.cross(normal, x)


def _area(points: Floats, normal: Floats) -> float:
    arms = points - points[0]
    return 0.5 * abs(float(np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0) @ normal))


def _same(a: Floats, b: Floats) -> bool:
    if a.shape != b.shape:
        return False
    size = float(np.ptp(b, axis=0).max()) if len(b) > 1 else 0.0
    return bool(np.abs(a - b).max() <= SAME * max(size, SAME))


# Positions.


def _matrices(result: Union[Run, Settle], frame: int) -> list[Floats]:
    """Of each block, the matrix of four rows that takes it from the model to a frame."""
    matrices = []
    for start, center, (w, x, y, z) in zip(result.model.centers, result.centers[frame], result.rotations[frame]):
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = turn, center - turn @ start
        matrices.append(matrix)
    return matrices


def _same_place(name: str, part: _Part, model: Model) -> None:
    there = np.array([list(at) for at in _surface(part)[0]], dtype=float)
    known = np.asarray(model.mesh(name)[0])
    size = float(np.ptp(known, axis=0).max())
    apart = max(np.abs(there.min(axis=0) - known.min(axis=0)).max(), np.abs(there.max(axis=0) - known.max(axis=0)).max())
    # Corners that lie together are one corner of the model, which may move them a little.
    if apart > 10.0 * SAME * size:
        raise ValueError(f"block `{name}` is {apart:.3g} m from where the model has it: it was moved before, or is of another model")


def _place_elements(model: Any, moves: dict[Key, Floats]) -> None:
    from compas.geometry import Transformation  # type: ignore[import-untyped, import-not-found, unused-ignore]

    elements = list(model.elements())
    old = {id(element): np.array(element.modeltransformation.matrix, dtype=float) for element in elements}
    own = {id(e): np.eye(4) if e.transformation is None else np.array(e.transformation.matrix, dtype=float) for e in elements}
    new = {id(e): moves.get(e.graphnode, np.eye(4)) @ old[id(e)] for e in elements}
    for element in elements:
        parent = element.parent
        # What acts above the element: of parents that moved as well, where they are now.
        above = new[id(parent)] if parent is not None and id(parent) in new else old[id(element)] @ np.linalg.inv(own[id(element)])
        element.transformation = Transformation.from_matrix((np.linalg.inv(above) @ new[id(element)]).tolist())
