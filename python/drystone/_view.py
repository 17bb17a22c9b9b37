"""An interactive view for notebooks: one page that holds all it needs."""

from __future__ import annotations

import base64
import gzip
import html
import json
import struct
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from ._quantity import quantity
from ._shapes import SWING, Shapes, loads_of, magnification, rotation_vectors, shapes_of, size_of, tensions_of, ties_of
from .model import Model
from .results import Check, Contacts, Result, Run, Settle, Verification

__all__ = ["View", "view"]

_SCRIPT = Path(__file__).parent / "static" / "view.js"

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>html,body{{margin:0;height:100%;background:transparent}}</style></head>
<body><div id="view"></div><script>
(async () => {{
  const unpacked = (text) => new Response(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(await unpacked("{script}"));
  document.head.append(script);
  window.shown = drystone.show(document.getElementById("view"), await unpacked("{data}"));
}})();
</script></body></html>"""


class View:
    """An interactive view of a structure, which notebooks show. Needs no network."""

    def __init__(self, title: str, header: dict[str, Any], arrays: dict[str, NDArray[Any]], height: int) -> None:
        self.title = title
        #: What is drawn, apart from arrays.
        self.header = header
        #: What is drawn.
        self.arrays = arrays
        self.height = int(height)

    @property
    def html(self) -> str:
        """The page: it holds its script and its data."""
        data = base64.b64encode(_packed(_message(self.header, self.arrays))).decode()
        return _PAGE.format(title=html.escape(self.title), script=_script(), data=data)

    def save(self, path: Union[str, PathLike[str]]) -> None:
        """Writes the page, for any browser."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        style = "border:0;border-radius:6px;display:block"
        return f'<iframe srcdoc="{html.escape(self.html)}" title="{html.escape(self.title)}" width="100%" height="{self.height}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"<View of {self.title}>"


def view(
    thing: Union[Model, Result],
    *,
    height: int = 420,
    theme: Optional[str] = None,
    color: Optional[str] = None,
    loads: Union[bool, str, list[str], None] = None,
    magnify: Optional[float] = None,
    max_frames: int = 240,
) -> View:
    """A view of a model or a result: forces, mechanisms, and what moves with a slider.

    `theme` is `light` or `dark`, that of the notebook if not given. `loads` says which load cases are drawn: all those of a model,
    none for a result. Displacements of slow loading are drawn `magnify` times, by a round number that fits if not given. Runs are drawn
    with `max_frames` frames at most.
    """
    if isinstance(thing, Verification) or not isinstance(thing, (Model, Result)):
        raise TypeError(f"a {type(thing).__name__} has no view")
    if theme not in (None, "light", "dark"):
        raise ValueError(f"theme must be `light` or `dark`, and is {theme!r}")
    if not _SCRIPT.is_file():
        raise FileNotFoundError(f"the script of the view is missing from this installation: {_SCRIPT}")
    model = thing if isinstance(thing, Model) else thing.model
    shapes = shapes_of(model)
    header: dict[str, Any] = {
        "caption": model.name or "model",
        "verdict": None,
        "names": model.names,
        "motion": "none",
        "times": [],
        "labels": [],
        "units": [1.0, 1.0],
        "force_scale": None,
        "resultant_scale": None,
        "color": color,
        "theme": theme,
    }
    arrays = _blocks(model, shapes)
    places, forces = loads_of(model, isinstance(thing, Model) if loads is None else loads)
    arrays["loads"] = np.hstack([places, forces]).astype(np.float32)
    arrays["ties"] = ties_of(model).astype(np.float32)
    if isinstance(thing, Check):
        _add_check(header, arrays, thing, size_of(model, shapes))
    elif isinstance(thing, Settle):
        _add_path(header, arrays, thing, size_of(model, shapes), magnify, max_frames)
    elif isinstance(thing, Run):
        _add_run(header, arrays, thing, max_frames)
    elif isinstance(thing, Contacts):
        arrays["joints"] = np.concatenate(thing.outlines or [np.zeros((0, 3))]).astype(np.float32)
        arrays["joint_start"] = np.concatenate([[0], np.cumsum([len(outline) for outline in thing.outlines])]).astype(np.uint32)
        header["caption"] = f"{model.name or 'model'}: {thing.interfaces} joints"
    elif isinstance(thing, Result):
        header["caption"] = thing.conclusion
    return View(model.name or "model", header, arrays, height)


def _blocks(model: Model, shapes: Shapes) -> dict[str, NDArray[Any]]:
    counts = [len(face) for face in shapes.faces]
    return {
        "centers": model.centers.astype(np.float32),
        "fixed": model.fixed.astype(np.uint8),
        "vertices": shapes.vertices.astype(np.float32),
        "face_corners": np.array([corner for face in shapes.faces for corner in face], dtype=np.uint32),
        "face_start": np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32),
        "face_block": shapes.face_block.astype(np.uint32),
    }


def _add_check(header: dict[str, Any], arrays: dict[str, NDArray[Any]], check: Check, size: float) -> None:
    header["verdict"], header["caption"] = check.verdict, check.conclusion
    forces, tensions = check.forces, tensions_of(check)
    if len(forces):
        resultants = check.resultants()
        arrays["points"] = check.points.astype(np.float32)
        arrays["forces"] = forces.astype(np.float32)
        arrays["tensions"] = tensions.astype(np.float32)
        arrays["places"] = resultants["places"].astype(np.float32)
        arrays["resultants"] = resultants["forces"].astype(np.float32)
        header["force_scale"] = quantity(np.linalg.norm(forces, axis=1).max(), "N")
        header["resultant_scale"] = quantity(np.linalg.norm(resultants["forces"], axis=1).max(initial=0.0), "N")
    unstable = set(check.fields.get("unstable_blocks", []))
    arrays["unstable"] = np.array([name in unstable for name in check.block_names], dtype=np.uint8)
    # Where it stands, motions are displacements that mobilise forces.
    if check.verdict == "unstable" and len(check.motions):
        header["motion"], header["labels"] = "swing", ["collapse mechanism"]
        _add_frames(header, arrays, np.stack([np.zeros_like(check.motions), SWING * size * check.motions]))


def _add_path(
    header: dict[str, Any], arrays: dict[str, NDArray[Any]], path: Settle, size: float, magnify: Optional[float], max_frames: int
) -> None:
    shown = _spread(len(path.centers), max_frames)
    moved = path.centers[shown] - path.model.centers
    by = magnification(float(np.linalg.norm(moved, axis=-1).max(initial=0.0)), size) if magnify is None else magnify
    motion = np.concatenate([moved, rotation_vectors(path.rotations[shown])], axis=-1) * by
    names = [stage["name"] for stage in path.fields["stages"]]
    labels = [f"{names[int(row[0])]} {round(100 * row[1])} %: {quantity(row[3], 'm')}" for row in path.path[shown]]
    motion = np.concatenate([np.zeros((1, *motion.shape[1:])), motion])
    labels.insert(0, "before loading")
    if len(path.arrays["motions"]):
        grown = motion[-1] + np.linspace(0, SWING * size, 13)[1:, None, None] * path.arrays["motions"]
        motion = np.concatenate([motion, grown])
        labels += ["mechanism that follows"] * len(grown)
    header["motion"], header["labels"] = "steps", labels
    header["caption"] = path.conclusion + (f" Displacements drawn {by:g} times." if by != 1 else "")
    falling = set(path.fields.get("moving_blocks", []))
    arrays["unstable"] = np.array([name in falling for name in path.block_names], dtype=np.uint8)
    _add_frames(header, arrays, motion)


def _add_run(header: dict[str, Any], arrays: dict[str, NDArray[Any]], run: Run, max_frames: int) -> None:
    shown = _spread(len(run.times), max_frames)
    moved = run.centers[shown] - run.model.centers
    ground = moved[:, run.model.fixed]
    if ground.shape[1] and np.ptp(ground, axis=1).max() < 1e-9:
        # Supports that move together are the ground, which stays in view.
        moved = moved - ground[:, :1]
    motion = np.concatenate([moved, rotation_vectors(run.rotations[shown])], axis=-1)
    header["motion"] = "time" if len(shown) > 1 else "none"
    header["times"] = run.times[shown].tolist()
    header["caption"] = (
        f"{run.model.name or 'model'}: {quantity(run.times[-1], 's')}, moved by up to {quantity(run.max_displacement_m, 'm')}"
    )
    _add_frames(header, arrays, motion)


def _spread(count: int, most: int) -> NDArray[np.int64]:
    """At most so many indices, evenly from the first to the last."""
    return np.unique(np.linspace(0, count - 1, min(count, max(most, 2))).round().astype(np.int64))


#: Displacements and rotations are whole multiples of this part of the largest: less than a pixel.
_STEPS = 8191


def _add_frames(header: dict[str, Any], arrays: dict[str, NDArray[Any]], motion: NDArray[np.float64]) -> None:
    """Frames of six numbers a block: by number, as differences from frame to frame, sign in the lowest bit, low bytes before high bytes."""
    units = [float(np.abs(part).max(initial=0.0)) / _STEPS or 1.0 for part in (motion[..., :3], motion[..., 3:])]
    whole = np.round(motion / np.repeat(units, 3)).astype(np.int32).reshape(len(motion), -1)
    steps = np.diff(whole, axis=0, prepend=np.zeros_like(whole[:1])).T
    packed = (steps << 1) ^ (steps >> 31)
    header["units"] = units
    arrays["moved"] = np.concatenate([(packed & 255).ravel(), (packed >> 8).ravel()]).astype(np.uint8)


_TYPES = {"float32": "f32", "uint32": "u32", "uint8": "u8"}


def _message(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> bytes:
    """A binary message as the page's server sends it: a kind, an id, a header, then arrays."""
    listed = [{"name": name, "type": _TYPES[array.dtype.name], "length": array.size} for name, array in arrays.items()]
    text = json.dumps({**header, "arrays": listed}, allow_nan=False).encode()
    parts = [struct.pack("<III", 0, 0, len(text)), _padded(text)]
    parts += [_padded(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()) for array in arrays.values()]
    return b"".join(parts)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _packed(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)


@lru_cache(maxsize=1)
def _script() -> str:
    return base64.b64encode(_packed(_SCRIPT.read_bytes())).decode()
