"""Notebooks run from top to bottom, and what they find agrees with theory."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import drystone

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

PACKAGE = Path(drystone.__file__).parent
FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
#: What a notebook may weigh with its outputs.
MOST_BYTES = 300_000

#: What is read at the end of a notebook, by name.
FOUND = {
    "1-arch": {"verdict": "answer.verdict", "proven": "answer.proven", "ratio": "ratio"},
    "2-shelf": {
        "names": "better.names",
        "verdicts": "verdicts",
        "frictions": "frictions.tolist()",
        "valid": "bool(design.verify(certificate))",
        "other": "bool(shelf.verify(certificate))",
    },
    "3-earthquake": {"weakest": "weakest", "moved": "{peak: run.max_displacement_m for peak, run in runs.items()}"},
    "4-bridge": {"x": "x.tolist()", "multiplier": "multiplier.tolist()", "ring": "weakest_ring", "verdict": "answer.verdict"},
    "5-methods": {"table": "table.T.to_dict()", "leaning": "by_friction['leaning walls']['cone'].to_dict()", "weight": "weight"},
    "6-mortar": {"open": "settled.stages[-1]['open_joints']", "end": "settled.end", "limit": "limit", "reached": "reached"},
}


def executed(path: Path) -> Any:
    """What was found in a notebook, all of whose cells ran."""
    notebook = nbformat.read(path, as_version=4)
    if any(".show(" in cell.source for cell in notebook.cells) and not (PACKAGE / "static" / "view.js").is_file():
        pytest.skip("the script of the view is not built")
    found = ", ".join(f"{name!r}: {expression}" for name, expression in FOUND[path.stem].items())
    notebook.cells.append(nbformat.v4.new_code_cell(f"import json\nprint(json.dumps({{{found}}}))"))
    there = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}})
    client.execute(env={**os.environ, "PYTHONPATH": os.pathsep.join(there)})
    return json.loads(notebook.cells[-1].outputs[0].text)


def test_every_notebook_is_tested() -> None:
    assert sorted(FOUND) == [path.stem for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_without_errors(path: Path) -> None:
    assert path.stat().st_size < MOST_BYTES
    notebook = nbformat.read(path, as_version=4)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert outputs, "outputs are kept"
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]


def test_the_thinnest_arch_is_that_of_milankovitch() -> None:
    found = executed(FOLDER / "1-arch.ipynb")
    assert found["verdict"] == "stable" and found["proven"]
    assert found["ratio"] == pytest.approx(0.1075, abs=0.001)


def test_the_shelf_stands_without_hangers_and_with_more_friction() -> None:
    found = executed(FOLDER / "2-shelf.ipynb")
    assert not [name for name in found["names"] if name.startswith("hanger")]
    for verdicts in found["verdicts"].values():
        stands = [verdict == "stable" for verdict in verdicts]
        assert stands == sorted(stands), "more friction never brings it down"
    # Forces that displacements mobilise are an admissible force distribution.
    assert all(a == "stable" for a, b in zip(found["verdicts"]["cone"], found["verdicts"]["cra"]) if b == "stable")
    assert found["valid"] and not found["other"]


def test_shaking_below_the_capacity_moves_nothing() -> None:
    found = executed(FOLDER / "3-earthquake.ipynb")
    for peak, moved in found["moved"].items():
        assert (moved < 1e-6) == (float(peak) < found["weakest"])


def test_limits_of_a_symmetric_bridge_are_symmetric() -> None:
    found = executed(FOLDER / "4-bridge.ipynb")
    x, multiplier = np.array(found["x"]), np.array(found["multiplier"])
    assert x == pytest.approx(-x[::-1])
    assert multiplier == pytest.approx(multiplier[::-1], rel=1e-4)
    assert found["ring"] < multiplier.min()
    assert found["verdict"] == "stable" and multiplier.min() > 1


def test_self_stress_carries_a_block_between_walls_and_nothing_mobilises_it() -> None:
    found = executed(FOLDER / "5-methods.ipynb")
    verdicts = found["table"]["block between walls"]
    assert (verdicts["cone"], verdicts["cra"], verdicts["dynamic"]) == ("stable", "unstable", "unstable")
    assert set(found["table"]["arch, 45 cm"].values()) == {"unstable"}
    # Jammed between walls that lean by 30 degrees, where the angle of friction is larger.
    for friction, verdict in found["leaning"].items():
        assert (verdict == "stable") == (float(friction) > np.tan(np.pi / 6))
    assert found["weight"] == pytest.approx(2000 * 1.8 * 0.8 * 1.0 * 9.81)


def test_an_arch_on_spreading_supports_has_three_hinges_and_its_limit_load() -> None:
    found = executed(FOLDER / "6-mortar.ipynb")
    assert found["end"] == "completed" and found["open"] == 3
    assert found["reached"]["dry"] == pytest.approx(found["limit"], rel=0.01)
    assert found["reached"]["mortar"] > found["limit"]
