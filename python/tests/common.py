"""What tests of the package share: the command line program, processes, models."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import drystone
from drystone import Model

PROGRAM = os.environ.get("DRYSTONE_BIN", "")
needs_program = pytest.mark.skipif(not PROGRAM, reason="DRYSTONE_BIN does not name the command line program")

G = 9.81
#: What differs from run to run: wall times, and how they are spent.
TIMES = {"time_s", "wall_s", "step_ms_median", "detect_part", "solve_part"}


def program(*words: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command line program."""
    # The environment is given: readline puts a width of lines into that of the process, which Python does not see.
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=folder, timeout=120, env=environment())


def python(code: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a process of its own, with this package."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, env=environment())


def environment() -> dict[str, str]:
    """The environment of processes that find this package."""
    place = str(Path(drystone.__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [place, os.environ.get("PYTHONPATH")]))}


def box(name: str, size: tuple[float, float, float], center: tuple[float, float, float], **fields: Any) -> dict[str, Any]:
    """A box as a model file has it."""
    return {"name": name, "shape": {"box": {"size": list(size), "center": list(center)}}, **fields}


def two_blocks(**fields: Any) -> Model:
    """A cube of 1 m on a fixed one."""
    blocks = [box("low", (1, 1, 1), (0, 0, -0.5), fixed=True), box("high", (1, 1, 1), (0, 0, 0.5))]
    return Model.from_dict({"drystone": 1, "density": 2000, "joints": {"friction": 0.6}, "blocks": blocks, **fields})


def shaken(duration: float, **options: Any) -> drystone.Run:
    """An arch that is shaken without a rest: every second takes some tenths of one."""
    motion = "sine:amplitude=0.1g,frequency=1,direction=x,centred=true"
    return Model.recipe("arch", voussoirs=40).simulate(duration, dt=0.001, every=duration / 10, motion=motion, **options)


def without_times(value: Any) -> Any:
    """A result without wall times."""
    if isinstance(value, dict):
        return {name: without_times(each) for name, each in value.items() if name not in TIMES}
    if isinstance(value, list):
        return [without_times(each) for each in value]
    return value


def assert_same_bits(found: Any, expected: Any, place: str = "result") -> None:
    """Alike to the last bit, and of the same types."""
    assert type(found) is type(expected), place
    if isinstance(expected, dict):
        assert list(found) == list(expected), place
        for name, each in expected.items():
            assert_same_bits(found[name], each, f"{place}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), place
        for k, each in enumerate(expected):
            assert_same_bits(found[k], each, f"{place}[{k}]")
    elif isinstance(expected, float):
        assert found.hex() == expected.hex(), place
    else:
        assert found == expected, place
