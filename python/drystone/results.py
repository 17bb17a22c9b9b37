"""What comes back of questions.

Every result has the fields of the command's `--json` as attributes and in `result.fields`, and arrays that are made for numpy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Answer", "Check", "Contacts", "Limit", "Result", "Run", "Settle", "StudyResult", "Tilt", "Verification"]

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]


class _Fields:
    """Fields as attributes, and a table."""

    #: All fields.
    fields: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        # Only for what is no attribute otherwise.
        fields = self.__dict__.get("fields", {})
        if name in fields:
            return fields[name]
        raise AttributeError(f"{type(self).__name__} has no `{name}`; its fields are {', '.join(fields)}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.fields})

    def to_json(self, path: Optional[Union[str, PathLike[str]]] = None) -> str:
        """The fields as JSON, written to a file if one is named."""
        text = json.dumps(self.fields, indent=2)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text

    def columns(self) -> dict[str, Any]:
        """The main table of the result, by column; what `to_pandas` and `to_arrow` hand over."""
        raise NotImplementedError(f"a {type(self).__name__} has no table")

    def to_pandas(self) -> Any:
        """The main table as a data frame. Needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    def to_arrow(self) -> Any:
        """The main table as a table of Arrow. Needs pyarrow."""
        import pyarrow as pa

        return pa.table({name: pa.array(column) for name, column in self.columns().items()})


class Result(_Fields):
    """Fields of a result, as attributes; `fields` is the whole dictionary. `model` is the model that was asked, without the changes of
    the call."""

    def __init__(self, model: Model, fields: dict[str, Any], arrays: dict[str, Any], warnings: list[str]) -> None:
        self.model = model
        self.fields = fields
        self.arrays = arrays
        #: What a reader of the result should know.
        self.warnings = warnings

    @property
    def block_names(self) -> list[str]:
        """Names of the blocks, in the order of the rows of arrays."""
        return list(self.arrays["blocks"])

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws the result with matplotlib, which it needs; gives the axes."""
        from . import _plot

        return _plot.plot(self, ax, **options)

    def _repr_html_(self) -> str:
        from . import _html

        return _html.card(self)

    def show(self, **options: Any) -> Any:
        """An interactive view in a notebook."""
        from . import _html

        return _html.view(self, **options)


@dataclass(frozen=True)
class Answer:
    """What one method found."""

    #: The fields of this method.
    fields: dict[str, Any]
    #: Force of the first block on the second at each contact point (N), without the tension there; no rows where none were found.
    forces: Floats
    #: Tension at each contact point (N); empty where none is needed.
    tensions: Floats
    #: Velocity and angular velocity of each block, scaled so that what moves fastest does so at about 1 m/s; where it stands by forces
    #: that displacement mobilises, that small displacement (m, rad). No rows where there is neither.
    motions: Floats
    #: The text of its certificate.
    certificate: Optional[str]

    @property
    def method(self) -> str:
        """How it was found."""
        return str(self.fields["method"])

    @property
    def verdict(self) -> str:
        """`stable`, `unstable` or `undecided`."""
        return str(self.fields["verdict"])


def _answer(fields: dict[str, Any], arrays: dict[str, Any]) -> Answer:
    nothing = np.zeros((0, 3))
    return Answer(
        fields,
        arrays.get("forces", nothing),
        arrays.get("tensions", np.zeros(0)),
        arrays.get("motions", np.zeros((0, 6))),
        arrays.get("certificate"),
    )


class Check(Result):
    """Whether a structure stands: the fields of the first method, the conclusion of all, and forces and motions."""

    #: `stable`, `unstable` or `undecided`, of the first method that was named; `conclusion` weighs all of them.
    verdict: str
    #: The conclusion in plain words.
    conclusion: str
    #: Whether independent code has accepted the certificate of that method.
    proven: bool

    @property
    def answers(self) -> list[Answer]:
        """What each method found, in the order in which they were asked."""
        all_fields = [self.fields, *self.fields["others"]]
        return [_answer(fields, self.arrays[f"answer {k}"]) for k, fields in enumerate(all_fields)]

    @property
    def stands(self) -> bool:
        """Whether the verdict is `stable`."""
        return self.verdict == "stable"

    @property
    def points(self) -> Floats:
        """Contact points (m), a row each."""
        return self.arrays["points"]  # type: ignore[no-any-return]

    @property
    def normals(self) -> Floats:
        """Unit normals there, from the first block to the second."""
        return self.arrays["normals"]  # type: ignore[no-any-return]

    @property
    def pairs(self) -> Indices:
        """Indices of the two blocks of each contact point."""
        return self.arrays["pairs"]  # type: ignore[no-any-return]

    def _first(self, name: str) -> Any:
        for answer in self.answers:
            array = getattr(answer, name)
            if len(array):
                return array
        return getattr(self.answers[0], name)

    @property
    def forces(self) -> Floats:
        """Force on the second block at each contact point (N), by the first method that has forces; without tension."""
        return self._first("forces")  # type: ignore[no-any-return]

    @property
    def tensions(self) -> Floats:
        """Tension at each contact point (N) that holds what does not stand, by the same method: zeros where there is none."""
        for answer in self.answers:
            if len(answer.forces):
                return answer.tensions if len(answer.tensions) else np.zeros(len(answer.forces))
        return np.zeros(len(self.points))

    @property
    def motions(self) -> Floats:
        """Motion of each block, by the first method that has one: velocity, then angular velocity."""
        return self._first("motions")  # type: ignore[no-any-return]

    @property
    def certificate(self) -> Optional[str]:
        """The text of the first certificate, for `Model.verify` and for others to check."""
        return next((a.certificate for a in self.answers if a.certificate is not None), None)

    def resultants(self) -> dict[str, Any]:
        """Of each joint: its two blocks, the resultant (N), tension included, and its place (m), weighted by the forces along the normal."""
        joints = self.arrays["joints"]
        forces = self.forces - self.tensions[:, None] * self.normals if len(self.forces) else self.forces
        count = int(joints.max()) + 1 if len(joints) and len(forces) else 0
        total, places, weights = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count)
        pairs = np.zeros((count, 2), dtype=np.uint32)
        if count:
            pressed = np.einsum("ij,ij->i", forces, self.normals)
            np.add.at(total, joints, forces)
            np.add.at(places, joints, pressed[:, None] * self.points)
            np.add.at(weights, joints, pressed)
            pairs[joints] = self.pairs
            places /= np.where(weights != 0, weights, 1.0)[:, None]
        return {"pairs": pairs, "forces": total, "places": places}

    def columns(self) -> dict[str, Any]:
        """Contact points with their forces."""
        names = np.array(self.block_names, dtype=object)
        table: dict[str, Any] = {"block_a": names[self.pairs[:, 0]], "block_b": names[self.pairs[:, 1]]}
        table.update({f"{axis}_m": self.points[:, k] for k, axis in enumerate("xyz")})
        table.update({f"normal_{axis}": self.normals[:, k] for k, axis in enumerate("xyz")})
        forces = self.forces if len(self.forces) else np.full((len(self.points), 3), np.nan)
        table.update({f"force_{axis}_n": forces[:, k] for k, axis in enumerate("xyz")})
        table["tension_n"] = self.tensions
        return table

    def __repr__(self) -> str:
        return f"<Check of {self.model.name or 'a model'}: {self.conclusion}>"


class Limit(Result):
    """How much a structure carries, from both sides."""

    #: The largest multiplier with an admissible force distribution.
    multiplier: Optional[float]
    #: The conclusion in plain words.
    conclusion: str
    #: The largest multiplier that it stands under, and the smallest that it falls under.
    bounds: list[Optional[float]]

    @property
    def certificates(self) -> dict[str, Optional[str]]:
        """Texts of the certificates of the lower and the upper bound."""
        return {side: self.arrays[f"{side} certificate"] for side in ("lower", "upper")}

    def __repr__(self) -> str:
        return f"<Limit of {self.model.name or 'a model'}: {self.conclusion}>"


class Tilt(Result):
    """How far a structure can be tilted, from both sides."""

    #: Where it falls (degrees); None where both sides are not known.
    critical_tilt_deg: Optional[float]
    #: The conclusion in plain words.
    conclusion: str

    @property
    def certificates(self) -> dict[str, Optional[str]]:
        """Texts of the certificates of the lower and the upper bound."""
        return {side: self.arrays[f"{side} certificate"] for side in ("lower", "upper")}

    def __repr__(self) -> str:
        return f"<Tilt of {self.model.name or 'a model'}: {self.conclusion}>"


class _Moving(Result):
    """Results in which blocks move."""

    @property
    def centers(self) -> Floats:
        """Centres of mass (m): by frame, block and axis."""
        return self.arrays["centers"]  # type: ignore[no-any-return]

    @property
    def rotations(self) -> Floats:
        """Rotations against the model as quaternions, the real part first: by frame, block and component."""
        return self.arrays["rotations"]  # type: ignore[no-any-return]

    def displacements(self, block: str) -> Floats:
        """Displacement of a block's centre since the first frame (m), a row for each frame, in the axes of the world: that of the ground
        is in it, which `max_displacement_m` leaves out."""
        if block not in self.block_names:
            raise KeyError(f"there is no block `{block}`")
        k = self.block_names.index(block)
        centers = self.centers[:, k]
        return centers - centers[0]  # type: ignore[no-any-return]


class Settle(_Moving):
    """A path through equilibria."""

    #: `completed`, or `no_equilibrium`.
    end: str
    #: The conclusion in plain words.
    conclusion: str

    @property
    def path(self) -> Floats:
        """Of every equilibrium: stage, part of it, weight, largest displacement, opening and slip (m)."""
        return self.arrays["path"]  # type: ignore[no-any-return]

    def columns(self) -> dict[str, Any]:
        """The path."""
        names = ["stage", "done", "gravity", "displacement_m", "opening_m", "slip_m"]
        return {name: self.path[:, k] for k, name in enumerate(names)}

    def __repr__(self) -> str:
        return f"<Settle of {self.model.name or 'a model'}: {self.conclusion}>"


class Run(_Moving):
    """A structure through time."""

    #: Why it ended.
    ended: str
    #: Largest displacement of a block (m).
    max_displacement_m: float

    @property
    def times(self) -> Floats:
        """Times of the frames (s)."""
        return self.arrays["times"]  # type: ignore[no-any-return]

    @property
    def energies(self) -> dict[str, Floats]:
        """Energies after each step (J), and the times of the steps (s)."""
        steps = self.arrays["steps"]
        return {"time": steps[:, 0], **{name: steps[:, k + 1] for k, name in enumerate(self.arrays["energies"])}}

    def columns(self) -> dict[str, Any]:
        """Where every block was in every frame."""
        frames, blocks = len(self.times), len(self.block_names)
        table: dict[str, Any] = {
            "time_s": np.repeat(self.times, blocks),
            "block": np.array(self.block_names * frames, dtype=object),
        }
        table.update({f"{axis}_m": self.centers[:, :, k].ravel() for k, axis in enumerate("xyz")})
        table.update({f"q{axis}": self.rotations[:, :, k].ravel() for k, axis in enumerate("wxyz")})
        return table

    def __repr__(self) -> str:
        return f"<Run of {self.model.name or 'a model'}: {self.ended}, moved by up to {self.max_displacement_m:.3g} m>"


class Contacts(Result):
    """Where blocks touch."""

    #: Number of joints, and of contact points.
    interfaces: int
    contacts: int

    @property
    def pairs(self) -> Indices:
        """Indices of the two blocks of each joint."""
        return self.arrays["pairs"]  # type: ignore[no-any-return]

    @property
    def areas(self) -> Floats:
        """Areas of the joints (m²)."""
        return self.arrays["areas"]  # type: ignore[no-any-return]

    @property
    def normals(self) -> Floats:
        """Unit normals, from the first block to the second."""
        return self.arrays["normals"]  # type: ignore[no-any-return]

    @property
    def outlines(self) -> list[Floats]:
        """Contact points of each joint (m), a row each."""
        return self.arrays["outlines"]  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[tuple[str, str, float]]:
        names = self.block_names
        for (a, b), area in zip(self.pairs, self.areas):
            yield names[a], names[b], float(area)

    def columns(self) -> dict[str, Any]:
        """The joints."""
        names = np.array(self.block_names, dtype=object)
        table: dict[str, Any] = {"block_a": names[self.pairs[:, 0]], "block_b": names[self.pairs[:, 1]], "area_m2": self.areas}
        table.update({f"normal_{axis}": self.normals[:, k] for k, axis in enumerate("xyz")})
        table["gap_m"] = self.arrays["gaps"]
        return table

    def __repr__(self) -> str:
        return f"<Contacts of {self.model.name or 'a model'}: {self.interfaces} joints, {self.contacts} points>"


class Verification(Result):
    """What a certificate is worth."""

    #: Whether every claim of it holds.
    valid: bool
    #: Whether that proves what it claims.
    proof: bool

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        return f"<Verification: {'valid' if self.valid else 'not valid'}, of `{self.fields['claim']}`>"


class StudyResult(_Fields):
    """What came of a study: the fields of its summary.json, as attributes, and the table of its runs."""

    #: What it is called, and its kind: `failure-domain`, `fragility`, `sweep` or `assembly`.
    title: str
    kind: str
    #: Runs that are known to be needed, those of them that have ended, and those that failed.
    runs: int
    done: int
    failed: int
    #: Whether all runs have ended.
    complete: bool
    #: How long the last call worked, and all runs together (s).
    wall_s: float
    computing_s: float
    #: How many runs each version and build of the program did.
    builds: dict[str, int]
    #: What was found, in sentences.
    conclusions: list[str]
    #: What a reader of the result should know.
    notes: list[str]
    #: What was found, in numbers.
    result: dict[str, Any]
    #: Charts as data: `name`, `title`, `x`, `y` and `series` with `points`.
    charts: list[dict[str, Any]]
    #: Where its files are: report.html, runs.csv, runs.parquet, pictures of charts.
    folder: Path

    def __init__(self, fields: dict[str, Any], table: dict[str, Any], folder: Path) -> None:
        self.fields = fields
        self.folder = folder
        self._table = table

    def table(self) -> dict[str, Any]:
        """The runs that have ended, a row each, by column: what each was, how it ended and what it found, as in runs.parquet.

        Numbers that a run does not have are NaN. Truth values are `True` and `False`, and 1, 0 and NaN where some runs have none.
        """
        return {name: _column(values) for name, values in self._table.items()}

    def columns(self) -> dict[str, Any]:
        return self.table()

    def plot(self, name: Optional[str] = None, ax: Any = None) -> Any:
        """Draws one of the charts, or the first, with matplotlib, which it needs; gives the axes."""
        from . import _plot

        return _plot.chart(self, name, ax)

    def _repr_html_(self) -> str:
        from . import _html

        return _html.card(self)

    def __repr__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"<StudyResult of {self.title}: {self.done} of {self.runs} runs{failed}>"


def _column(values: Any) -> Any:
    """Numbers as they are; texts as truth values where all of them are."""
    if isinstance(values, np.ndarray):
        return values.copy()
    kinds = set(values)
    if kinds and kinds <= {"true", "false"}:
        return np.array([value == "true" for value in values])
    if kinds & {"true", "false"} and kinds <= {"true", "false", ""}:
        return np.array([{"true": 1.0, "false": 0.0}.get(value, np.nan) for value in values])
    return np.array(values, dtype=object)
