"""Figures with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from ._quantity import quantity
from ._quantity import scale as prefixed
from ._shapes import SWING, Shapes, loads_of, magnification, moved_points, rotation_vectors, shapes_of, size_of, tensions_of, ties_of
from .results import Check, Contacts, Limit, Run, Settle, Tilt

if TYPE_CHECKING:
    from .model import Model
    from .results import Result, StudyResult

__all__ = ["plot"]

Floats = NDArray[np.float64]

STONE, SUPPORT, FALLING = "#ddd3c1", "#8d97a1", "#ec8f52"
FORCE, TENSION, RESULTANT, LOAD, TIE, JOINT = "#0f6f8c", "#d11f2e", "#a81d8a", "#2b2622", "#9c2f2f", "#298085"
SERIES = ["#0f6f8c", "#c2430f", "#0e8f6c", "#a81d8a", "#7a5300", "#5d6670"]
EDGE = "#3a352d"
#: From where light comes.
LIGHT = np.array([-0.35, -0.75, 1.0]) / np.linalg.norm([-0.35, -0.75, 1.0])
#: The longest force is drawn as long as this part of the structure.
LONGEST = 0.12
#: Forces below this part of the largest would be dots.
LEAST = 0.01
#: Directions to look from: elevation and azimuth in degrees.
VIEWS = {"three-quarter": (20.0, -62.0), "front": (0.0, -90.0), "side": (0.0, 0.0), "top": (90.0, -90.0)}


def plot(thing: Union[Model, Result], ax: Any = None, **options: Any) -> Any:
    """Draws a model or a result; gives the axes, or both of a run.

    Structures: `color`, `alpha`, `view` (`three-quarter`, `front`, `side`, `top`, or elevation and azimuth in degrees), `supports`
    (whether they are drawn), `loads` (which load cases are drawn). Results of `check` and `settle` also take `scale`, a factor for
    forces and displacements; those of `check` take `forces` (`points`, `resultants` or None). A run has `block`, the one whose
    displacement is drawn.
    """
    if isinstance(thing, Run):
        return _run(thing, ax, **options)
    if isinstance(thing, Settle):
        return _path(thing, ax, **options)
    if isinstance(thing, Tilt):
        return _tilt(thing, ax, **options)
    if isinstance(thing, Check):
        return _check(thing, ax, **options)
    if isinstance(thing, Contacts):
        return _contacts(thing, ax, **options)
    if isinstance(thing, Limit):
        return _model(thing.model, ax, title=thing.conclusion, **options)
    if hasattr(thing, "model"):
        raise TypeError(f"a {type(thing).__name__} has no plot")
    return _model(thing, ax, **options)


# Structures.


def _model(model: Model, ax: Any, *, title: Optional[str] = None, loads: Any = True, **options: Any) -> Any:
    shapes = shapes_of(model)
    ax = _space(ax)
    _blocks(ax, model, shapes, **options)
    _loads(ax, model, size_of(model, shapes), loads)
    _frame(ax, shapes, model, options)
    ax.set_title(title or f"{model.name or 'model'}", fontsize=10)
    return ax


def _check(
    check: Check,
    ax: Any,
    *,
    forces: Optional[str] = "points",
    scale: float = 1.0,
    loads: Any = False,
    alpha: Optional[float] = None,
    **options: Any,
) -> Any:
    if forces not in ("points", "resultants", None):
        raise ValueError(f"forces must be `points`, `resultants` or None, and is {forces!r}")
    model = check.model
    shapes = shapes_of(model)
    size = size_of(model, shapes)
    ax = _space(ax)
    falls = check.verdict == "unstable" and len(check.motions) > 0
    shown = forces is not None and len(check.forces) > 0
    if falls:
        motion = SWING * size * scale * check.motions
        moved = moved_points(shapes.vertices, shapes.vertex_block, model.centers, motion)
        falling = np.isin(np.array(check.block_names), check.fields["unstable_blocks"])
        _blocks(
            ax,
            model,
            Shapes(moved, shapes.vertex_block, shapes.faces, shapes.face_block),
            falling=falling,
            alpha=1.0 if alpha is None else alpha,
            **options,
        )
        _outlines(ax, shapes)
    else:
        _blocks(ax, model, shapes, alpha=(0.25 if shown else 1.0) if alpha is None else alpha, **options)
    if shown and forces == "points":
        _arrows(ax, check.points, check.forces, FORCE, LONGEST * size * scale, "force on the second block")
        _arrows(ax, check.points, tensions_of(check), TENSION, LONGEST * size * scale, "tension")
    elif shown:
        resultants = check.resultants()
        _arrows(ax, resultants["places"], resultants["forces"], RESULTANT, LONGEST * size * scale, "resultant")
    _loads(ax, model, size, loads)
    _frame(ax, shapes, model, options)
    ax.set_title(f"{model.name or 'model'}: {check.headline}" + (", collapse mechanism" if falls else ""), fontsize=10)
    if shown:
        ax.legend(loc="upper right", fontsize=8, frameon=False)
    return ax


def _contacts(contacts: Contacts, ax: Any, **options: Any) -> Any:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    model = contacts.model
    shapes = shapes_of(model)
    ax = _space(ax)
    _blocks(ax, model, shapes, **{"alpha": 0.15, **options})
    ax.add_collection3d(Poly3DCollection(contacts.outlines, facecolors=JOINT, edgecolors=EDGE, linewidths=0.4, alpha=0.85))
    _frame(ax, shapes, model, options)
    ax.set_title(f"{model.name or 'model'}: {contacts.interfaces} joints", fontsize=10)
    return ax


def _space(ax: Any) -> Any:
    """Axes of three dimensions: those that are given, or new ones."""
    if ax is None:
        import matplotlib.pyplot as plt

        return plt.figure(figsize=(6.4, 4.4), layout="constrained").add_subplot(projection="3d", proj_type="ortho", computed_zorder=False)
    if getattr(ax, "name", "") != "3d":
        raise ValueError('a structure needs axes of three dimensions: plt.figure().add_subplot(projection="3d")')
    return ax


def _normals(shapes: Shapes) -> Floats:
    """Unit normals of faces."""
    normals = np.zeros((len(shapes.faces), 3))
    for k, face in enumerate(shapes.faces):
        corners = shapes.vertices[face] - shapes.vertices[face[0]]
        normal = np.cross(corners[1:-1], corners[2:]).sum(axis=0)
        normals[k] = normal / (np.linalg.norm(normal) or 1.0)
    return normals


def _blocks(
    ax: Any,
    model: Model,
    shapes: Shapes,
    *,
    color: Any = None,
    alpha: float = 1.0,
    supports: bool = True,
    falling: Optional[NDArray[np.bool_]] = None,
    view: Any = None,
) -> None:
    from matplotlib.colors import to_rgb
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    colors = np.tile(to_rgb(color if color is not None else STONE), (model.blocks, 1))
    if falling is not None and color is None:
        colors[falling] = to_rgb(FALLING)
    colors[model.fixed] = to_rgb(SUPPORT)
    shade = 0.62 + 0.38 * (0.5 + 0.5 * _normals(shapes) @ LIGHT)
    shown = np.flatnonzero(supports | ~model.fixed[shapes.face_block])
    faces = Poly3DCollection(
        [shapes.vertices[shapes.faces[k]] for k in shown],
        facecolors=np.clip(colors[shapes.face_block[shown]] * shade[shown, None], 0, 1),
        edgecolors=EDGE,
        linewidths=0.4,
        alpha=alpha,
        zorder=1,
    )
    ax.add_collection3d(faces)
    ties = ties_of(model)
    if len(ties):
        from mpl_toolkits.mplot3d.art3d import Line3DCollection

        ax.add_collection3d(Line3DCollection(ties, colors=TIE, linewidths=2, zorder=3))


def _outlines(ax: Any, shapes: Shapes) -> None:
    """Edges of blocks where they were."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    edges = {(min(a, b), max(a, b)) for face in shapes.faces for a, b in zip(face, [*face[1:], face[0]])}
    if edges:
        ax.add_collection3d(
            Line3DCollection([shapes.vertices[list(edge)] for edge in sorted(edges)], colors=EDGE, linewidths=0.4, alpha=0.35, zorder=2)
        )


def _arrows(ax: Any, places: Floats, forces: Floats, color: str, longest: float, what: str) -> None:
    """Arrows that begin at their places, with the size of the largest in the legend."""
    sizes = np.linalg.norm(forces, axis=1)
    most = sizes.max(initial=0.0)
    if most == 0:
        return
    shown = sizes > LEAST * most
    label = f"{what}, largest {quantity(most, 'N')}"
    ax.quiver(
        *places[shown].T, *(forces[shown] * longest / most).T, color=color, linewidths=1.2, arrow_length_ratio=0.25, label=label, zorder=4
    )


def _loads(ax: Any, model: Model, size: float, cases: Any) -> None:
    """Loads as arrows that end at their points, so that they are seen outside of stone."""
    places, forces = loads_of(model, cases)
    if len(places):
        most = np.linalg.norm(forces, axis=1).max() or 1.0
        drawn = forces * 1.2 * LONGEST * size / most
        ax.quiver(
            *(places - drawn).T,
            *drawn.T,
            color=LOAD,
            linewidths=1.6,
            arrow_length_ratio=0.25,
            label=f"load, largest {quantity(most, 'N')}",
            zorder=5,
        )


def _frame(ax: Any, shapes: Shapes, model: Model, options: dict[str, Any]) -> None:
    """Limits with the same scale along all axes, units, and where to look from."""
    corners = shapes.vertices[~model.fixed[shapes.vertex_block]] if options.get("supports") is False else shapes.vertices
    low, high = corners.min(axis=0), corners.max(axis=0)
    room = 0.05 * float(np.linalg.norm(high - low))
    ax.set(xlim=(low[0] - room, high[0] + room), ylim=(low[1] - room, high[1] + room), zlim=(low[2] - room, high[2] + room))
    extent = high - low + 2 * room
    ax.set_box_aspect(extent / extent.max(), zoom=1.15)
    view = options.get("view") or "three-quarter"
    if isinstance(view, str) and view not in VIEWS:
        raise ValueError(f"view must be one of {', '.join(VIEWS)}, or two angles, and is {view!r}")
    elevation, azimuth = VIEWS[view] if isinstance(view, str) else view
    ax.view_init(elev=elevation, azim=azimuth)
    ax.grid(False)
    hidden = {"front": "y", "side": "x", "top": "z"}.get(view) if isinstance(view, str) else None
    for k, (name, axis) in enumerate(zip("xyz", (ax.xaxis, ax.yaxis, ax.zaxis))):
        axis.set_pane_color((1, 1, 1, 0))
        # A thin direction has room for few numbers, and one that is looked along for none.
        few = 1 if extent[k] < 0.3 * extent.max() else 5
        axis.set_major_locator(_locator(0 if name == hidden else few))
        axis.set_tick_params(labelsize=7, pad=0)
        if name != hidden:
            getattr(ax, f"set_{name}label")(f"{name} (m)", fontsize=8, labelpad=0)


def _locator(count: int) -> Any:
    from matplotlib.ticker import MaxNLocator, NullLocator

    return MaxNLocator(count) if count else NullLocator()


# Curves.


def _plane(ax: Any, **labels: str) -> Any:
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.figure(figsize=(6.4, 3.4), layout="constrained").add_subplot()
    ax.grid(alpha=0.25, linewidth=0.5)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(**labels)
    return ax


def _run(run: Run, ax: Any, *, block: Optional[str] = None, what: Optional[str] = None) -> Any:
    """Displacement above, energies below; one of them in axes that are given."""
    if what not in (None, "displacement", "energies"):
        raise ValueError(f"what must be `displacement` or `energies`, and is {what!r}")
    if ax is not None or what is not None:
        return _energies(run, ax) if what == "energies" else _displacement(run, ax, block)
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, sharex=True, figsize=(6.4, 4.8), layout="constrained")
    _displacement(run, axes[0], block)
    axes[0].set_xlabel("")
    _energies(run, axes[1])
    axes[1].set_title("")
    return axes


def _displacement(run: Run, ax: Any, block: Optional[str]) -> Any:
    centers = run.centers - run.centers[:1]
    ground = centers[:, run.model.fixed]
    if ground.shape[1]:
        # Against the ground, which a motion takes along.
        centers = centers - ground[:, :1]
    far = np.linalg.norm(centers, axis=2)
    k = int(far.max(axis=0).argmax()) if block is None else run.block_names.index(block)
    factor, unit = prefixed(float(far[:, k].max()), "m")
    ax = _plane(ax, xlabel="time (s)", ylabel=f"displacement ({unit})", title=f"{run.model.name or 'model'}: {run.block_names[k]}")
    ax.title.set_fontsize(10)
    ax.plot(run.times, factor * far[:, k], color="black", linewidth=1.6, label="total")
    for axis in range(3):
        ax.plot(run.times, factor * centers[:, k, axis], color=SERIES[axis], linewidth=1.0, label="xyz"[axis])
    ax.legend(fontsize=8, frameon=False, ncols=4)
    return ax


def _energies(run: Run, ax: Any) -> Any:
    energies = run.energies
    times = energies.pop("time")
    # Potential energy has no zero of its own.
    curves = {name: values - values[0] if name == "potential" else values for name, values in energies.items()}
    most = max((float(np.abs(values).max(initial=0.0)) for values in curves.values()), default=0.0)
    factor, unit = prefixed(most, "J")
    ax = _plane(ax, xlabel="time (s)", ylabel=f"energy ({unit})", title=f"{run.model.name or 'model'}: energies")
    ax.title.set_fontsize(10)
    shown = [name for name, values in curves.items() if np.abs(values).max(initial=0.0) > 1e-6 * most]
    for k, name in enumerate(shown):
        ax.plot(times, factor * curves[name], color=SERIES[k % len(SERIES)], linewidth=1.2, label=name)
    if shown:
        ax.legend(fontsize=8, frameon=False, ncols=2)
    return ax


def _path(path: Settle, ax: Any, *, what: str = "curve", scale: Optional[float] = None, **options: Any) -> Any:
    """Displacement, opening and slip along the stages, or the structure where the path ends."""
    if what == "structure":
        return _path_end(path, ax, scale, **options)
    if what != "curve" or options:
        raise ValueError(f"what must be `curve`, which takes no other options, or `structure`; it is {what!r}")
    return _path_curve(path, ax)


def _path_curve(path: Settle, ax: Any) -> Any:
    rows = path.path
    names = [stage["name"] for stage in path.fields["stages"]]
    progress = np.concatenate([[0.0], rows[:, 0] + rows[:, 1]])
    sizes = np.vstack([np.zeros(3), rows[:, 3:6]])
    factor, unit = prefixed(float(sizes.max(initial=0.0)), "m")
    ax = _plane(ax, ylabel=f"largest ({unit})", title=f"{path.model.name or 'model'}: slow loading")
    ax.title.set_fontsize(10)
    for k, name in enumerate(("displacement", "opening", "slip")):
        ax.plot(progress, factor * sizes[:, k], color=SERIES[k], linewidth=1.4, marker=".", markersize=3, label=name)
    for k in range(1, len(names)):
        ax.axvline(k, color="0.7", linewidth=0.6)
    ax.set_xticks(np.arange(len(names)) + 0.5, names, fontsize=8)
    ax.tick_params(axis="x", length=0)
    if path.end == "no_equilibrium":
        ax.axvline(progress[-1], color=SERIES[1], linewidth=1.0, linestyle="--", label="last equilibrium")
    ax.legend(fontsize=8, frameon=False)
    return ax


def chart(study: StudyResult, name: Optional[str], ax: Any) -> Any:
    """A chart of a study: the one with a name, or the first."""
    charts = {each["name"]: each for each in study.charts}
    if not charts:
        raise ValueError("the study has no charts yet")
    if name is not None and name not in charts:
        raise KeyError(f"there is no chart `{name}`; there are {', '.join(charts)}")
    drawn = charts[next(iter(charts)) if name is None else name]
    ax = _plane(ax, xlabel=drawn["x"], ylabel=drawn["y"], title=drawn["title"])
    ax.title.set_fontsize(10)
    colors = iter(SERIES * len(drawn["series"]))
    for series in drawn["series"]:
        points = np.array(series["points"], dtype=float).reshape(-1, 2)
        style = _MARKS[series["mark"]]
        color = style.get("color") or next(colors)
        ax.plot(*points.T, **{**style, "color": color}, label=series["name"] or "_")
    if drawn["log_x"]:
        ax.set_xscale("log")
    if drawn["y_range"] is not None:
        ax.set_ylim(*drawn["y_range"])
    if any(series["name"] for series in drawn["series"]):
        ax.legend(fontsize=8, frameon=False)
    return ax


#: How series of a study's chart are drawn.
_MARKS: dict[str, dict[str, Any]] = {
    "line": {"linewidth": 1.4},
    "dashed": {"linewidth": 1.2, "linestyle": "--"},
    "reference": {"linewidth": 0.6, "color": "0.6"},
    "faint": {"linewidth": 0.5, "color": "0.75", "zorder": 1},
    "points": {"linestyle": "", "marker": "o", "markersize": 4},
    # Carets beside their places: two series have the same ones.
    "filled_left": {"linestyle": "", "marker": 8, "markersize": 5, "color": SERIES[1]},
    "filled_right": {"linestyle": "", "marker": 9, "markersize": 5, "color": SERIES[1]},
    "hollow_left": {"linestyle": "", "marker": 8, "markersize": 5, "color": SERIES[0], "markerfacecolor": "none"},
    "hollow_right": {"linestyle": "", "marker": 9, "markersize": 5, "color": SERIES[0], "markerfacecolor": "none"},
}


def _path_end(path: Settle, ax: Any, by: Optional[float], *, frame: int = -1, loads: Any = False, **options: Any) -> Any:
    model = path.model
    shapes = shapes_of(model)
    moved = path.centers[frame] - model.centers
    if by is None:
        by = magnification(float(np.linalg.norm(moved, axis=-1).max(initial=0.0)), size_of(model, shapes))
    motion = by * np.hstack([moved, rotation_vectors(path.rotations[frame])])
    corners = moved_points(shapes.vertices, shapes.vertex_block, model.centers, motion)
    drawn = Shapes(corners, shapes.vertex_block, shapes.faces, shapes.face_block)
    ax = _space(ax)
    _blocks(ax, model, drawn, **options)
    _loads(ax, model, size_of(model, shapes), loads)
    _frame(ax, drawn, model, options)
    ax.set_title(f"{model.name or 'model'}: displacements {by:g} times", fontsize=10)
    return ax


def _tilt(tilt: Tilt, ax: Any) -> Any:
    """Verdicts of the angles that were asked, and the angle between."""
    samples = tilt.fields["samples"]
    ax = _plane(ax, xlabel="tilt (°)", title=f"{tilt.model.name or 'model'}: {tilt.conclusion}")
    ax.title.set_fontsize(10)
    for stands, color, label in ((True, SERIES[2], "stands"), (False, SERIES[1], "falls")):
        angles = [each["tilt_deg"] for each in samples if each["stands"] is stands]
        ax.plot(angles, np.full(len(angles), float(stands)), linestyle="", marker="o", markersize=5, color=color, label=label)
    if tilt.critical_tilt_deg is not None:
        ax.axvline(tilt.critical_tilt_deg, color="black", linewidth=1.0, linestyle="--", label=f"{quantity(tilt.critical_tilt_deg, '°')}")
        ax.set_xlim(0, min(180.0, 3 * tilt.critical_tilt_deg + 5))
    ax.set_yticks([0, 1], ["falls", "stands"])
    ax.set_ylim(-0.4, 1.4)
    ax.legend(fontsize=8, frameon=False)
    return ax
