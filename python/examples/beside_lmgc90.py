"""Runs one model through time by drystone and by LMGC90 (compas_lmgc90, rigid polyhedra), side by side.

    pip install drystone compas_lmgc90
    python beside_lmgc90.py --recipe arch voussoirs=20
    python beside_lmgc90.py model.json --friction 0.5 --duration 0.5 --dt 0.001

A model is a file that drystone reads, or a recipe with its parameters. Both programs start at rest, with gravity, and step with the same
time step by nonsmooth contact dynamics: LMGC90 with its law IQS_CLB. LMGC90 takes convex blocks alone, one density for all of them, and
gravity along z of 9.81 m/s². The times are of the stepping alone for LMGC90, and of the whole call for drystone.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

import drystone


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", nargs="?", help="model file")
    options.add_argument("--recipe", nargs="+", metavar=("NAME", "PARAMETER=VALUE"), help="recipe, instead of a file")
    options.add_argument("--friction", type=float, default=0.6, help="friction coefficient (default %(default)s)")
    options.add_argument("--density", type=float, default=2000.0, help="density, kg/m³ (default %(default)s)")
    options.add_argument("--duration", type=float, default=0.5, help="seconds (default %(default)s)")
    options.add_argument("--dt", type=float, default=1e-3, help="time step, seconds (default %(default)s)")
    options.add_argument("--supports", nargs="*", default=[], help="names of supports, beside those of the model")
    chosen = options.parse_args()
    if (chosen.model is None) == (chosen.recipe is None):
        options.error("name a model file or a recipe")
    model = drystone.Model.load(chosen.model) if chosen.model else recipe(*chosen.recipe)
    if chosen.supports:
        model.fix(chosen.supports)
    model.set_friction(chosen.friction)
    model.set_density(chosen.density)
    if not model.fixed.any():
        sys.exit("no block is a support; name some by --supports")
    hollow = [name for name in model.names if not convex(*model.mesh(name))]
    if hollow:
        sys.exit(f"LMGC90 takes convex blocks, and these are not: {', '.join(hollow)}")
    steps = round(chosen.duration / chosen.dt)
    check = model.check("cra")
    ours = by_drystone(model, chosen.dt, steps)
    theirs = by_lmgc90(model, chosen.friction, chosen.density, chosen.dt, steps)
    print(f"{model}, friction {chosen.friction:g}, {steps} steps of {1e3 * chosen.dt:g} ms; coupled analysis: {check.verdict}\n")
    print("| | drystone | LMGC90 |")
    print("|---|---|---|")
    print(f"| wall time, s | {ours['wall']:.3f} | {theirs['wall']:.3f} |")
    print(f"| largest displacement of a centre, mm | {1e3 * far(ours):.4g} | {1e3 * far(theirs):.4g} |")
    k = int(np.argmax(np.linalg.norm(theirs["moved"], axis=1)))
    print(f"| displacement of `{model.names[k]}`, mm | {vector(ours['moved'][k])} | {vector(theirs['moved'][k])} |")
    weight = 9.81 * model.masses[~model.fixed].sum()
    print(f"| vertical force on supports / weight | - | {theirs['reaction'] / weight:.6f} |")
    apart = np.linalg.norm(ours["moved"] - theirs["moved"], axis=1).max()
    print(f"\nCentres are at most {1e3 * apart:.4g} mm apart at the end.")


def recipe(name: str, *parameters: str) -> drystone.Model:
    values = dict(parameter.split("=", 1) for parameter in parameters)
    return drystone.Model.recipe(name, **{key.replace("-", "_"): value for key, value in values.items()})


def convex(vertices: Any, faces: list[list[int]]) -> bool:
    """Whether no corner is in front of a face."""
    size = float(np.ptp(vertices, axis=0).max())
    for face in faces:
        corners = vertices[face]
        normal = np.cross(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]).sum(axis=0)
        length = float(np.linalg.norm(normal))
        if length > 0.0 and float(((vertices - corners[0]) @ (normal / length)).max()) > 1e-5 * size:
            return False
    return True


def by_drystone(model: drystone.Model, dt: float, steps: int) -> dict[str, Any]:
    start = time.perf_counter()
    run = model.simulate(steps * dt, dt=dt, every=steps * dt)
    wall = time.perf_counter() - start
    return {"wall": wall, "moved": run.centers[-1] - run.centers[0]}


def by_lmgc90(model: drystone.Model, friction: float, density: float, dt: float, steps: int) -> dict[str, Any]:
    from compas_lmgc90.solver import Solver  # type: ignore[import-untyped, import-not-found, unused-ignore]

    solver = Solver(dt=dt, theta=0.5, density=density)
    meshes = [model.mesh(name) for name in model.names]
    solver.geometry_from_v_f([{"vertices": at.tolist(), "faces": faces} for at, faces in meshes])
    for k in np.flatnonzero(model.fixed):
        for component in ("Vx", "Vy", "Vz", "Rx", "Ry", "Rz"):
            solver.apply_velocity(int(k), component, 0.0)
    solver.contact_law("IQS_CLB", friction)
    solver.preprocess()
    before = np.array(solver.init_coor)
    start = time.perf_counter()
    solver.run(steps)
    wall = time.perf_counter() - start
    last = solver.last_result
    reaction = 0.0
    for (candidate, antagonist), force in zip(last.interaction_bodies, last.interaction_force_global):
        # The force is on the candidate; bodies are counted from 1.
        reaction += force[2] * (float(model.fixed[antagonist - 1]) - float(model.fixed[candidate - 1]))
    return {"wall": wall, "moved": np.array(last.bodies) - before, "reaction": reaction}


def far(found: dict[str, Any]) -> float:
    return float(np.linalg.norm(found["moved"], axis=1).max())


def vector(moved: Any) -> str:
    return ", ".join(f"{1e3 * x:.4g}" for x in moved)


if __name__ == "__main__":
    main()
