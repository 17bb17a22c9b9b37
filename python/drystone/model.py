"""Models: where they come from, how they are changed, and what can be asked of them."""

from __future__ import annotations

import json
import numbers
import warnings
from collections.abc import Iterable, Mapping, Sequence
from operator import index
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._drystone import NativeModel
from ._drystone import recipes as _recipes
from ._options import plain, words
from ._progress import Progress, told
from .results import Check, Contacts, Limit, Run, Settle, Tilt, Verification

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Model", "recipes"]

AnyPath = Union[str, "PathLike[str]"]
Names = Union[str, Sequence[str]]
Vector = ArrayLike
Loads = Union[str, Sequence[str], Mapping[str, float], None]


def recipes() -> dict[str, dict[str, tuple[str, str]]]:
    """Recipes by name: their parameters, each with its default and its meaning.

    >>> import drystone
    >>> "arch" in drystone.recipes()
    True
    >>> drystone.recipes()["arch"]["voussoirs"][0]
    '36'
    """
    return {name: {p[0]: (p[1], p[2]) for p in parameters} for name, _, parameters in _recipes()}


class Model:
    """A structure of blocks that touch without glue.

    >>> import drystone
    >>> arch = drystone.Model.recipe("arch", voussoirs=12)
    >>> arch
    <Model arch: 15 blocks, 3 of them supports>
    >>> arch.check().verdict
    'stable'

    Lengths are in metres, forces in newtons, masses in kilograms; z points up.
    """

    # Fields that do not exist cannot be set by mistake.
    __slots__ = ("_native",)

    def __init__(self, native: NativeModel) -> None:
        if not isinstance(native, NativeModel):
            raise TypeError("models come from Model.load, Model.recipe and the other Model.from_...")
        self._native = native

    # Where models come from.

    @classmethod
    def recipe(cls, name: str, **parameters: Any) -> Self:
        """Builds a structure by a recipe; `drystone.recipes()` lists them, `_` stands for `-` in names of parameters.

        >>> import drystone
        >>> drystone.Model.recipe("wall", length=2, height=1)
        <Model wall: 19 blocks, 1 of them supports>
        """
        values = [word[2:].split("=", 1) for word in words(**{k: str(v).lower() if isinstance(v, bool) else v for k, v in parameters.items()})]
        return cls(NativeModel.recipe(name, [(name, value) for name, value in values]))

    @classmethod
    def load(cls, path: AnyPath) -> Self:
        """Reads a model file, or one of COMPAS, OBJ, STL or PLY."""
        native, told_warnings = NativeModel.open(fspath(path))
        _warn(told_warnings)
        return cls(native)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Reads what a model file holds.

        >>> import drystone
        >>> box = {"box": {"size": [1, 1, 1], "center": [0, 0, 0]}}
        >>> drystone.Model.from_dict({"drystone": 1, "blocks": [{"name": "a", "shape": box, "fixed": True}]}).names
        ['a']
        """
        return cls(NativeModel.parse(json.dumps(plain(fields), allow_nan=False)))

    @classmethod
    def from_meshes(
        cls,
        meshes: Union[Mapping[str, Any], Iterable[Any]],
        *,
        fixed: Names = (),
        name: str = "",
        density: Optional[float] = None,
        friction: Optional[float] = None,
    ) -> Self:
        """A model of closed surfaces: pairs of vertices and faces, or meshes of trimesh, by name or in a row.

        >>> import drystone, numpy as np
        >>> corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
        >>> faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
        >>> model = drystone.Model.from_meshes({"low": (corners, faces), "high": (corners + [0, 0, 1], faces)}, fixed="low")
        >>> model.check().verdict
        'stable'
        """
        named = meshes.items() if isinstance(meshes, Mapping) else ((f"block-{k}", mesh) for k, mesh in enumerate(meshes, 1))
        model = cls(NativeModel.of_meshes(name, [(key, *_surface(key, mesh)) for key, mesh in named]))
        supports = _names(fixed)
        if supports:
            model.fix(supports)
        if density is not None:
            model.set_density(density)
        if friction is not None:
            model.set_friction(friction)
        return model

    @classmethod
    def from_trimesh(cls, scene: Any, **options: Any) -> Self:
        """A model of the geometries of a scene of trimesh, or of one mesh."""
        if not hasattr(scene, "graph"):
            return cls.from_meshes([scene], **options)
        placed = {}
        for node in scene.graph.nodes_geometry:
            matrix, geometry = scene.graph[node]
            mesh = scene.geometry[geometry]
            # A mirror turns faces inside out.
            faces = np.asarray(mesh.faces)[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0 else mesh.faces
            placed[str(node)] = (np.asarray(mesh.vertices) @ matrix[:3, :3].T + matrix[:3, 3], faces)
        return cls.from_meshes(placed, **options)

    @classmethod
    def from_compas(cls, assembly: Any, **options: Any) -> Self:
        """A model of an assembly of compas_assembly, or of a block model of compas_model or compas_dem."""
        from . import compas

        return cls(compas.model_of(assembly, **options)._native)

    # What they are.

    @property
    def name(self) -> str:
        """What it is called."""
        return self._native.name

    @property
    def names(self) -> list[str]:
        """Names of the blocks, in the order of the rows of arrays."""
        return self._native.names

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self._native.names)

    @property
    def groups(self) -> list[Optional[str]]:
        """Groups of the blocks."""
        return self._native.groups

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """Which blocks are supports."""
        return self._native.fixed

    @property
    def masses(self) -> NDArray[np.float64]:
        """Masses of the blocks (kg)."""
        return self._native.masses()[0]

    @property
    def volumes(self) -> NDArray[np.float64]:
        """Volumes of the blocks (m³)."""
        return self._native.masses()[1]

    @property
    def centers(self) -> NDArray[np.float64]:
        """Centres of mass (m), a row each."""
        return self._native.masses()[2]

    def mesh(self, block: str) -> tuple[NDArray[np.float64], list[list[int]]]:
        """Corners of a block (m), and its faces, counter-clockwise seen from outside."""
        return self._native.mesh(block)

    def to_dict(self) -> dict[str, Any]:
        """What its file holds."""
        return json.loads(self._native.text())  # type: ignore[no-any-return]

    def to_json(self) -> str:
        """The text of its file."""
        return self._native.text()

    def save(self, path: AnyPath) -> None:
        """Writes it; the ending says what: .json, .compas.json, .obj, .dxf, .glb, .vtp, .vtu, .png or .svg."""
        self._native.save(fspath(path))

    def copy(self) -> Self:
        """Another model that is the same, and stays so when this one is changed."""
        return type(self)(self._native)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _parsed, (type(self), self.to_json())

    def __repr__(self) -> str:
        return f"<Model {self.name or 'without a name'}: {self.blocks} blocks, {int(self.fixed.sum())} of them supports>"

    # How they are changed.

    def _edit(self, what: str, **fields: Any) -> None:
        edited, drops_joints = self._native.edited(json.dumps(plain({"do": what, **fields}, what), allow_nan=False))
        if drops_joints:
            # Before the change: where warnings are errors, the model stays as it was.
            _warn(["the joints that came with the model were dropped, and are found from the shapes from now on"])
        self._native = edited

    def move(self, blocks: Names, by: Vector) -> None:
        """Moves blocks (m), with loads and ties that are fixed to them.

        >>> import drystone
        >>> stack = drystone.Model.recipe("stack")
        >>> before = stack.centers[-1].copy()
        >>> stack.move(stack.names[-1], (0.1, 0, 0))
        >>> (stack.centers[-1] - before).round(12).tolist()
        [0.1, 0.0, 0.0]
        """
        self._edit("move", blocks=_names(blocks), by=_vector("by", by))

    def rotate(self, blocks: Names, axis: Vector, angle_deg: float, about: Vector = (0.0, 0.0, 0.0)) -> None:
        """Turns blocks about an axis through a point, right-handed."""
        self._edit("rotate", blocks=_names(blocks), about=_vector("about", about), axis=_vector("axis", axis), angle_deg=_number("angle_deg", angle_deg))

    def delete(self, blocks: Names) -> None:
        """Takes blocks away, with all that names them."""
        self._edit("delete", blocks=_names(blocks))

    def duplicate(self, blocks: Names, by: Vector) -> None:
        """Copies blocks, and moves the copies (m)."""
        self._edit("duplicate", blocks=_names(blocks), by=_vector("by", by))

    def cut(self, block: str, point: Vector, normal: Vector) -> None:
        """Cuts a block in two by a plane."""
        self._edit("cut", block=block, point=_vector("point", point), normal=_vector("normal", normal))

    def trim(self, block: str, point: Vector, normal: Vector) -> None:
        """Cuts off what lies before a plane, on the side that the normal points to."""
        self._edit("trim", block=block, point=_vector("point", point), normal=_vector("normal", normal))

    def rename(self, block: str, name: str) -> None:
        """Gives a block another name."""
        self._edit("rename", block=block, name=name)

    def fix(self, blocks: Names) -> None:
        """Makes supports of blocks."""
        self._edit("fix", blocks=_names(blocks), fixed=True)

    def free(self, blocks: Names) -> None:
        """Makes blocks no supports any more."""
        self._edit("fix", blocks=_names(blocks), fixed=False)

    def set_friction(self, value: float, between: Optional[tuple[str, str]] = None) -> None:
        """Sets the friction coefficient of every joint, or of that between two blocks."""
        self._edit("friction", value=_number("friction", value), between=None if between is None else _pair("between", between))

    def set_density(self, value: float, blocks: Optional[Names] = None) -> None:
        """Sets the density (kg/m³) of every block, or of some."""
        self._edit("density", value=_number("density", value), blocks=None if blocks is None else _names(blocks))

    def add_load(self, case: str, block: str, force: Vector, at: Optional[Vector] = None) -> None:
        """Adds a force (N) to a load case; it acts at the centre of mass unless a point is given."""
        self._edit("load", case=case, block=block, force=_vector("force", force), at=None if at is None else _vector("at", at))

    def remove_load(self, case: str) -> None:
        """Drops a load case."""
        self._edit("unload", case=case)

    def add_tie(self, name: str, start: tuple[str, Vector], end: tuple[str, Vector], kind: Union[str, Mapping[str, Any]]) -> None:
        """Ties a point of a block to one of another, by `rigid_rod` or a kind with fields, as in the model file."""
        (a, at_a), (b, at_b) = start, end
        ends = [{"block": block, "at": _vector("at", at)} for block, at in ((a, at_a), (b, at_b))]
        self._edit("tie", name=name, **{"from": ends[0], "to": ends[1], "kind": kind})

    def remove_tie(self, name: str) -> None:
        """Drops a tie."""
        self._edit("untie", name=name)

    def update(self, **fields: Any) -> None:
        """Replaces parts of what its file holds, as `model.update(gravity=(0, 0, -1.6))`; dictionaries add to those that are there.

        >>> import drystone
        >>> wall = drystone.Model.recipe("wall")
        >>> wall.update(joints={"friction": 0.4, "bond": {"tension_pa": 1e5}})
        >>> wall.to_dict()["joints"]["friction"]
        0.4
        """
        whole = self.to_dict()
        for name, value in fields.items():
            old = whole.get(name)
            both = isinstance(old, dict) and isinstance(value, Mapping)
            whole[name] = {**old, **value} if both else value  # type: ignore[dict-item]
        self._native = NativeModel.parse(json.dumps(plain(whole), allow_nan=False))

    def add_motion(
        self, name: str, times: ArrayLike, values: ArrayLike, *, quantity: str = "acceleration", blocks: Names = (), groups: Names = ()
    ) -> None:
        """Moves supports (all, or those that are named) as an array says: a row of three numbers for each time (s). A motion of that
        name is replaced.

        >>> import drystone, numpy as np
        >>> arch = drystone.Model.recipe("arch", voussoirs=8)
        >>> t = np.linspace(0, 1, 101)
        >>> arch.add_motion("shake", t, np.outer(np.sin(12 * t), [1, 0, 0]))
        """
        table = {"quantity": quantity, "times": np.asarray(times, dtype=float), "values": np.asarray(values, dtype=float)}
        given = {"motion": name, "blocks": _names(blocks), "groups": _names(groups)}
        whole = self.to_dict()
        whole.setdefault("motions", {})[name] = {"table": plain(table, f"the motion `{name}`")}
        # One of the same name is replaced.
        others = [each for each in whole.get("support_motions", []) if each["motion"] != name]
        whole["support_motions"] = [*others, {k: v for k, v in given.items() if v}]
        self._native = NativeModel.parse(json.dumps(whole, allow_nan=False))

    # What can be asked of them.

    def check(
        self,
        method: Optional[Names] = None,
        *,
        load: Loads = None,
        tilt_axis: Optional[Vector] = None,
        tilt_deg: Optional[float] = None,
        sensitivity: bool = False,
        move_support: Optional[Mapping[str, Vector]] = None,
        output: Optional[AnyPath] = None,
        progress: Progress = None,
        **changes: Any,
    ) -> Check:
        """Asks whether it stands, and proves it; as `drystone check`.

        `method` is one or more of `cone`, `rbe`, `rbe-linearised`, `cra`, `cra-penalty`, `elastic`, `dynamic`. Changes are those of the
        command line: `friction`, `density`, `gravity`, `supports`, `joint_distance`, `joint_angle_deg`, `deformable`, `young`,
        `poisson`, and `threads`.

        >>> import drystone
        >>> arch = drystone.Model.recipe("arch", thickness=0.3)
        >>> answer = arch.check("cone")
        >>> answer.verdict, answer.proven
        ('unstable', True)
        >>> arch.verify(answer.certificate).valid
        True
        """
        options = words(
            method=_many("method", method),
            load=load,
            tilt_axis=tilt_axis,
            tilt_deg=tilt_deg,
            sensitivity=sensitivity,
            move_support=move_support,
            output=output,
            **changes,
        )
        with told(progress) as tell:
            return Check(self.copy(), *_heard(self._native.check(options, tell)))

    def limit(
        self,
        direction: Optional[Vector] = None,
        *,
        load: Optional[str] = None,
        dead: Loads = None,
        friction_law: Optional[str] = None,
        output: Optional[AnyPath] = None,
        progress: Progress = None,
        **changes: Any,
    ) -> Limit:
        """The largest multiplier of a force in proportion to mass along a direction, or of a load case; as `drystone limit`.

        >>> import drystone
        >>> block = drystone.Model.recipe("block", friction=0.2)
        >>> round(block.limit((1, 0, 0)).multiplier, 6)
        0.2
        """
        options = words(direction=direction, load=load, dead=dead, friction_law=friction_law, output=output, **changes)
        with told(progress) as tell:
            return Limit(self.copy(), *_heard(self._native.limit(options, tell)))

    def tilt(
        self,
        axis: Vector,
        method: Optional[str] = None,
        *,
        load: Loads = None,
        sweep: Optional[int] = None,
        output: Optional[AnyPath] = None,
        progress: Progress = None,
        **changes: Any,
    ) -> Tilt:
        """How far it can be tilted about an axis before it falls; as `drystone tilt`. Load cases turn with it.

        >>> import drystone
        >>> block = drystone.Model.recipe("block", friction=0.2)
        >>> round(block.tilt((0, 1, 0), "cone").critical_tilt_deg, 3)
        11.31
        """
        options = words(axis=axis, method=method, load=load, sweep=sweep, output=output, **changes)
        with told(progress) as tell:
            return Tilt(self.copy(), *_heard(self._native.tilt(options, tell)))

    def settle(
        self,
        *,
        stages: Union[AnyPath, Sequence[Mapping[str, Any]], None] = None,
        load: Loads = None,
        shift: Optional[Mapping[str, Vector]] = None,
        steps: Optional[int] = None,
        stiffness: Optional[tuple[float, float]] = None,
        way: Optional[str] = None,
        dt: Optional[float] = None,
        output: Optional[AnyPath] = None,
        progress: Progress = None,
        **changes: Any,
    ) -> Settle:
        """Loads it slowly and follows it through equilibria to the last; as `drystone settle`.

        >>> import drystone
        >>> arch = drystone.Model.recipe("arch", voussoirs=8)
        >>> path = arch.settle(shift={"springer-right": (0.02, 0, 0)}, steps=5)
        >>> path.end
        'completed'
        """
        with _stages_file(stages) as file:
            options = words(
                stages=file, load=load, shift=shift, steps=steps, stiffness=stiffness, way=way, dt=dt, output=output, **changes
            )
            with told(progress) as tell:
                return Settle(self.copy(), *_heard(self._native.settle(options, tell)))

    def simulate(
        self,
        duration: float,
        *,
        motion: Optional[Names] = None,
        load: Optional[Names] = None,
        dt: Optional[float] = None,
        every: Optional[float] = None,
        stop_at: Optional[Names] = None,
        output: Optional[AnyPath] = None,
        folder: AnyPath = ".",
        progress: Progress = None,
        **options: Any,
    ) -> Run:
        """Steps it through time; as `drystone simulate`, whose other options are keywords here. Records are looked for in `folder`.

        >>> import drystone
        >>> arch = drystone.Model.recipe("arch", voussoirs=8)
        >>> run = arch.simulate(0.2, dt=0.01, every=0.05, motion="sine:amplitude=0.2g,frequency=2,direction=x")
        >>> run.centers.shape
        (5, 11, 3)
        """
        nowhere = [name for name in ("monitor", "overwrite", "pictures", "resume", "tables_only", "vtk") if options.get(name)]
        if output is None and nowhere:
            raise TypeError(f"{nowhere[0]}: is for what is written, and there is no `output`")
        listed = words(
            duration=duration,
            motion=_many("motion", motion),
            load=_many("load", load),
            dt=dt,
            every=every,
            stop_at=_many("stop_at", stop_at),
            output=output,
            **options,
        )
        with told(progress) as tell:
            return Run(self.copy(), *_heard(self._native.simulate(listed, fspath(folder), tell)))

    def contacts(self, **options: Any) -> Contacts:
        """Where its blocks touch; as `drystone contacts`.

        >>> import drystone
        >>> [(a, b, round(area, 2)) for a, b, area in drystone.Model.recipe("block").contacts()]
        [('ground', 'block', 0.36)]
        """
        return Contacts(self.copy(), *_heard(self._native.contacts(words(**options))))

    def info(self, **changes: Any) -> dict[str, Any]:
        """What is to be known before anything is asked: mass, size, components, problems; as `drystone info`."""
        return self._native.info(words(**changes))

    def verify(self, certificate: Union[str, AnyPath, Mapping[str, Any]]) -> Verification:
        """Has a certificate checked by code that shares nothing with the analyses: its text, its file or its fields."""
        if isinstance(certificate, Mapping):
            text = json.dumps(plain(certificate, "the certificate"))
        elif isinstance(certificate, str) and certificate.lstrip().startswith("{"):
            text = certificate
        elif isinstance(certificate, (str, PathLike)) and fspath(certificate):
            text = Path(certificate).read_text(encoding="utf-8")
        else:
            raise TypeError(f"the certificate must be its text, its file or its fields, and is {certificate!r}")
        return Verification(self.copy(), self._native.verify(text), {"blocks": self.names}, [])

    # How they are seen.

    def picture(self, format: str = "svg") -> bytes:
        """A picture, `svg` or `png`."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"picture.{format}"
            self.save(path)
            return path.read_bytes()

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws it with matplotlib, which it needs; gives the axes."""
        from . import _plot

        return _plot.plot(self, ax, **options)

    def show(self, **options: Any) -> Any:
        """An interactive view in a notebook."""
        from . import _html

        return _html.view(self, **options)

    def _repr_html_(self) -> str:
        from . import _html

        return _html.card(self)


class _stages_file:
    """A file of stages: the one that is named, or one of stages that are given, for as long as it is needed."""

    def __init__(self, stages: Union[AnyPath, Sequence[Mapping[str, Any]], None]) -> None:
        self.stages = stages
        self.folder: Any = None

    def __enter__(self) -> Optional[AnyPath]:
        if self.stages is None or isinstance(self.stages, (str, PathLike)):
            return self.stages
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "stages.json"
        path.write_text(json.dumps(plain({"stages": list(self.stages)}, "the stages")), encoding="utf-8")
        return path

    def __exit__(self, *_: object) -> None:
        if self.folder is not None:
            self.folder.cleanup()


def _parsed(kind: type[Model], text: str) -> Model:
    return kind(NativeModel.parse(text))


def _names(names: Names) -> list[str]:
    if isinstance(names, (str, Iterable)):
        listed = [names] if isinstance(names, str) else list(names)
    else:
        raise TypeError(f"names must be text or a list of texts, and are {names!r}")
    for name in listed:
        if not isinstance(name, str):
            raise TypeError(f"names must be text, and one is {name!r}")
    return listed


def _number(what: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, np.number)):
        raise TypeError(f"{what}: must be a number, and is {value!r}")
    return float(value)


def _pair(what: str, names: Sequence[str]) -> list[str]:
    pair = _names(names)
    if len(pair) != 2:
        raise ValueError(f"{what}: two names are needed, and there are {len(pair)}")
    return pair


def _many(what: str, names: Optional[Names]) -> Optional[list[str]]:
    if names is None or isinstance(names, (str, Sequence)):
        return None if names is None else _names(names)
    raise TypeError(f"{what}: must be text or a list of texts, and is {names!r}")


def _vector(what: str, vector: Vector) -> list[float]:
    array = np.asarray(vector, dtype=float)
    if array.shape != (3,):
        raise ValueError(f"{what}: three numbers are needed, and the shape is {array.shape}")
    return [float(x) for x in array]


def _surface(name: str, mesh: Any) -> tuple[NDArray[np.float64], list[list[int]]]:
    """Vertices and faces of a pair or of a mesh of trimesh."""
    if hasattr(mesh, "vertices"):
        vertices, faces = mesh.vertices, mesh.faces
    elif isinstance(mesh, (list, tuple)) and len(mesh) == 2:
        vertices, faces = mesh
    else:
        raise TypeError(f"mesh `{name}`: must be a pair of vertices and faces or a mesh of trimesh, and is {mesh!r}")
    if np.iscomplexobj(vertices):
        raise TypeError(f"mesh `{name}`: vertices must be real numbers")
    array = np.ascontiguousarray(vertices, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"mesh `{name}`: vertices must be rows of three numbers, and their shape is {array.shape}")
    try:
        listed = [[index(k) for k in face] for face in faces]
    except TypeError:
        raise TypeError(f"mesh `{name}`: faces must be lists of whole numbers") from None
    if any(not 0 <= k < len(array) for face in listed for k in face):
        raise ValueError(f"mesh `{name}`: a face names a vertex that is not there; there are {len(array)}")
    return array, listed


def _heard(found: tuple[dict[str, Any], dict[str, Any], list[str]]) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    _warn(found[2])
    return found


def _warn(messages: Sequence[str]) -> None:
    for message in messages:
        warnings.warn(message, stacklevel=4)
