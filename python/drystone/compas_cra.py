"""The functions of `compas_cra.equilibrium`, by the methods of drystone.

For a program that uses compas_cra, one import changes:

    from drystone.compas_cra import cra_solve, cra_penalty_solve, rbe_solve

Forces are written into the assembly as compas_cra writes them, in its unit: a block weighs its volume times its density. What differs:

- Friction cones are round; those of compas_cra are pyramids of eight sides around them, which allow up to 8 % more friction.
- Forces that statics leaves open are not the same ones. Resultants that statics settles are.
- A block that touches nothing makes the assembly unstable; compas_cra leaves it out.
- An assembly without interfaces gets those that its shapes have; compas_cra refuses it.
- What is not known to stand raises `ValueError`, as what compas_cra finds infeasible or cannot solve does.
"""

from __future__ import annotations

import time
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .compas import model_of, write_forces
from .model import Model
from .results import Answer, Check

__all__ = ["cra_penalty_solve", "cra_solve", "density_setup", "rbe_solve"]

#: A block weighs its volume times its density.
GRAVITY = (0.0, 0.0, -1.0)


def cra_solve(
    assembly: Any,
    mu: float = 0.84,
    density: float = 1.0,
    d_bnd: float = 1e-3,
    eps: float = 1e-4,
    verbose: bool = False,
    timer: bool = False,
) -> Any:
    """Coupled rigid-block analysis: writes forces that displacements mobilise, or raises `ValueError` where none are known.

    `d_bnd` and `eps` bound the displacements that are written and nothing else: the answer depends on neither. In compas_cra they are
    absolute lengths, and the answer depends on them.
    """
    check = _checked(assembly, "cra", mu, density, verbose, timer)
    if check.verdict != "stable":
        raise _failed(check)
    return _written(assembly, check, check.answers[0], d_bnd, eps)


def cra_penalty_solve(
    assembly: Any,
    mu: float = 0.84,
    density: float = 1.0,
    d_bnd: float = 1e-3,
    eps: float = 1e-4,
    verbose: bool = False,
    timer: bool = False,
) -> Any:
    """Coupled rigid-block analysis with tension at a penalty: where the assembly does not stand, `c_nn` is the tension that holds it.

    Raises `ValueError` where no tension that holds it is known. `d_bnd` and `eps` bound the displacements that are written and nothing
    else.
    """
    check = _checked(assembly, "cra-penalty", mu, density, verbose, timer)
    return _written(assembly, check, _held(check), d_bnd, eps)


def rbe_solve(
    assembly: Any,
    mu: float = 0.84,
    density: float = 1.0,
    verbose: bool = False,
    timer: bool = False,
) -> Any:
    """Rigid-block equilibrium: any forces within friction limits, with tension (`c_nn`) where there are none without.

    Raises `ValueError` where no tension that holds it is known.
    """
    check = _checked(assembly, "rbe", mu, density, verbose, timer)
    return _written(assembly, check, _held(check), None, None)


def density_setup(assembly: Any, density: Any) -> None:
    """Gives blocks densities of their own, by the keys of their nodes; keys of no node are passed over."""
    for node in assembly.graph.nodes():
        if node in density:
            assembly.node_block(node).attributes["density"] = density[node]


def _checked(assembly: Any, method: str, mu: float, density: float, verbose: bool, timer: bool) -> Check:
    start = time.perf_counter()
    model: Model = model_of(assembly, density=density)
    read = time.perf_counter()
    check = model.check(method, friction=mu, gravity=GRAVITY)
    solved = time.perf_counter()
    if timer:
        print(f"--- set up time: {read - start} seconds ---")
        print(f"--- solving time: {solved - read} seconds ---")
    if verbose:
        print(check.conclusion)
        for line in check.fields["details"]:
            print(line)
    return check


def _failed(check: Check) -> ValueError:
    return ValueError(f"solve failed: {check.verdict} ({check.conclusion})")


def _held(check: Check) -> Answer:
    answer = check.answers[0]
    held = check.verdict == "stable" or (check.verdict == "unstable" and len(answer.tensions) > 0)
    if not held or not len(answer.forces):
        raise _failed(check)
    return answer


def _written(assembly: Any, check: Check, answer: Answer, d_bnd: Optional[float], eps: Optional[float]) -> Any:
    write_forces(assembly, check)
    if d_bnd is None or eps is None:
        return assembly
    # Where tension holds it, motions are those of the collapse, and no displacements belong to the forces.
    known = check.verdict == "stable" and len(answer.motions)
    motions = _bounded(check, answer.motions, d_bnd, eps) if known else np.zeros((len(check.block_names), 6))
    of = dict(zip(check.block_names, motions))
    for node in assembly.graph.nodes():
        if not assembly.graph.node_attribute(node, "is_support") and str(node) in of:
            assembly.graph.node_attribute(node, "displacement", of[str(node)].tolist())
    return assembly


def _bounded(check: Check, motions: NDArray[np.float64], d_bnd: float, eps: float) -> NDArray[np.float64]:
    """Displacements scaled so that contact points move by at most `d_bnd` against each other, and into each other by at most `eps`."""
    centers = check.model.centers
    a, b = check.pairs[:, 0], check.pairs[:, 1]

    def at_points(k: NDArray[np.uint32]) -> NDArray[np.float64]:
        return motions[k, :3] + np.cross(motions[k, 3:], check.points - centers[k])

    relative = at_points(b) - at_points(a)
    far = float(np.linalg.norm(relative, axis=1).max(initial=0.0))
    deep = float((-np.einsum("ij,ij->i", relative, check.normals)).max(initial=0.0))
    scales = [bound / length for bound, length in ((d_bnd, far), (eps, deep)) if length > 0.0]
    return motions * min(scales, default=0.0)
