"""Sets drystone beside compas_cra: verdict and time of each, for every COMPAS assembly in a folder.

    pip install drystone compas_cra
    python beside_compas_cra.py folder --limit 120

Interfaces are those in the file; where it has none, both programs get those that compas_cra finds. Supports are those in the file; where
it marks none, the blocks that `--supports` names (`shelf=0 H=0,1`), or the lowest blocks. Each analysis of compas_cra has a process of
its own and is ended after `--limit` seconds. Times are of the whole call, with the reading of the assembly; the least of `--repeat`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Callable, Optional

METHODS = {"cra": "cra_solve", "cra-penalty": "cra_penalty_solve", "rbe": "rbe_solve"}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="folder of COMPAS JSON files")
    options.add_argument("--method", choices=METHODS, default="cra")
    options.add_argument("--mu", type=float, default=0.84, help="friction coefficient (default %(default)s)")
    options.add_argument("--limit", type=float, default=120.0, help="seconds for one analysis of compas_cra (default %(default)s)")
    options.add_argument("--repeat", type=int, default=3, help="runs of which the fastest counts (default %(default)s)")
    options.add_argument("--supports", nargs="*", default=[], metavar="MODEL=KEYS", help="supports of models that mark none")
    chosen = options.parse_args()
    files = sorted(chosen.folder.glob("*.json"))
    if not files:
        sys.exit(f"there are no .json files in {chosen.folder}")
    supports = {name: [int(key) for key in keys.split(",")] for name, _, keys in (entry.partition("=") for entry in chosen.supports)}
    warnings.simplefilter("ignore")
    print(f"| model | blocks | interfaces | drystone {chosen.method} | s | compas_cra {METHODS[chosen.method]} | s | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for file in files:
        print(row(file, supports.get(file.stem), chosen), flush=True)


def row(file: Path, supports: Optional[list[int]], chosen: Any) -> str:
    """A row of the table."""
    import drystone.compas_cra

    try:
        assembly = load(file, supports)
    except Exception as why:
        return f"| {file.stem} | - | - | not read: {cell(why)} | | | | |"
    interfaces = sum(1 for _ in assembly.interfaces())
    ours, our_time = best(getattr(drystone.compas_cra, METHODS[chosen.method]), assembly, chosen)
    theirs, their_time = apart(file, supports, chosen)
    ratio = f"{their_time / our_time:.2g}" if their_time is not None else "-"
    their_text = f"{their_time:.4f}" if their_time is not None else f"> {chosen.limit:.0f}"
    known = f"| {file.stem} | {assembly.number_of_blocks()} | {interfaces} "
    return known + f"| {ours} | {our_time:.4f} | {theirs} | {their_text} | {ratio} |"


def load(file: Path, supports: Optional[list[int]]) -> Any:
    """The assembly with supports and interfaces."""
    import compas  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from compas_cra.algorithms import assembly_interfaces_numpy  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from compas_cra.datastructures import CRA_Assembly  # type: ignore[import-not-found, import-untyped, unused-ignore]

    found = compas.json_load(file)
    assembly = found
    if not any(found.graph.node_attribute(node, "is_support") for node in found.graph.nodes()):
        found.set_boundary_conditions(lowest(found) if supports is None else supports)
    if not any(found.edge_interfaces(edge) for edge in found.graph.edges()):
        assembly = found.copy(cls=CRA_Assembly)
        with quiet():
            # Areas as small as one millionth of a square metre, and ten neighbours a block, as the examples of compas_cra have it.
            assembly_interfaces_numpy(assembly, nmax=10, amin=1e-6, tmax=1e-4)
    return assembly


def lowest(assembly: Any) -> list[int]:
    """Blocks that reach down to the lowest corner of all."""
    down = {node: min(z for _, _, z in assembly.node_block(node).vertices_attributes("xyz")) for node in assembly.graph.nodes()}
    up = max(z for node in down for _, _, z in assembly.node_block(node).vertices_attributes("xyz"))
    ground = min(down.values())
    return [node for node, z in down.items() if z - ground <= 1e-6 * (up - ground)]


def best(solve: Callable[..., Any], assembly: Any, chosen: Any) -> tuple[str, float]:
    """What a function says of an assembly, and its shortest time."""
    verdict, least = "", float("inf")
    for _ in range(chosen.repeat):
        own = assembly.copy()
        start = time.perf_counter()
        try:
            with quiet():
                solve(own, mu=chosen.mu)
            took = time.perf_counter() - start
            pull, push = (sum(f[name] for i in own.interfaces() for f in i.forces or ()) for name in ("c_nn", "c_np"))
            # Penalties of compas_cra leave tensions of up to 5e-5 of the compression where none are needed.
            verdict = "stable" if pull <= 1e-4 * push else f"unstable, tension {pull / push:.1e}"
        except ValueError as why:
            took = time.perf_counter() - start
            verdict = cell(why)
        least = min(least, took)
        if took > 2.0:
            break
    return verdict, least


def apart(file: Path, supports: Optional[list[int]], chosen: Any) -> tuple[str, Optional[float]]:
    """The same of compas_cra, in a process that can be ended."""
    queue: Any = multiprocessing.Queue()
    process = multiprocessing.Process(target=answer, args=(queue, file, supports, chosen), daemon=True)
    process.start()
    try:
        found: tuple[str, Optional[float]] = queue.get(timeout=chosen.limit)
    except Exception:
        found = ("no answer", None)
    process.kill()
    process.join()
    return found


def answer(queue: Any, file: Path, supports: Optional[list[int]], chosen: Any) -> None:
    import compas_cra.equilibrium  # type: ignore[import-not-found, import-untyped, unused-ignore]

    warnings.simplefilter("ignore")
    solve = getattr(compas_cra.equilibrium, METHODS[chosen.method])
    queue.put(best(solve, load(file, supports), chosen))


def cell(why: Exception) -> str:
    """The reason of an exception, short enough for a table."""
    text = str(why).replace("solve failed: ", "").replace("|", "/").replace("\n", " ")
    return text if len(text) <= 40 else text.partition(" (")[0][:40]


@contextlib.contextmanager
def quiet() -> Any:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


if __name__ == "__main__":
    main()
