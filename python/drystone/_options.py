"""Python values as the words of the command line, which reads and checks them."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

__all__ = ["words", "plain"]

#: Options that may be given several times.
REPEATED = {"dead", "deformable", "load", "merge", "method", "monitor", "motion", "move_support", "shift", "stop_at", "supports"}
#: Options whose values are names with commas between them.
LISTS = {"monitor", "supports"}
#: Options that have no value.
FLAGS = {"details", "overwrite", "pictures", "redo_other_builds", "resume", "retry_failed", "sensitivity", "tables_only", "vtk"}


def words(**options: Any) -> list[str]:
    """`friction=0.6` as `--friction=0.6`; what is None is left out.

    >>> words(friction=0.6, details=True, method=None)
    ['--friction=0.6', '--details']
    >>> words(gravity=(0, 0, -9.81), supports=["a", "b"], load={"truck": 2.0})
    ['--gravity=0,0,-9.81', '--supports=a', '--supports=b', '--load=truck:2.0']
    """
    found: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, (bool, np.bool_)):
            if name not in FLAGS:
                raise TypeError(f"{name}: must have a value, and is {value}")
            if value:
                found.append(option)
        elif isinstance(value, Mapping):
            found.extend(f"{option}={_entry(name, key, each)}" for key, each in value.items())
        elif name in REPEATED and _is_list_of_texts(value):
            found.extend(f"{option}={_listed(name, each)}" for each in value)
        else:
            found.append(f"{option}={_text(name, value)}")
    return found


def _listed(name: str, text: object) -> str:
    text = str(text)
    if name in LISTS and ("," in text or text != text.strip()):
        from ._drystone import InputError

        raise InputError(f"{name}: `{text}` cannot be named here, for its comma or the space around it; rename the block")
    return text


def _entry(name: str, key: object, value: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{name}: names must be text, and one is {key!r}")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    joint = ":" if isinstance(value, (numbers.Real, np.number)) or name == "deformable" else "="
    return f"{key}{joint}{_text(name, value)}"


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) == 1 and all(isinstance(each, str) for each in value)


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, PathLike):
        return str(fspath(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (numbers.Real, np.floating)):
        return repr(float(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        array = np.asarray(value)
        if array.ndim != 1 or array.dtype.kind not in "iuf":
            raise TypeError(f"{name}: must be a row of numbers, and is {value!r}")
        return ",".join(_text(name, each) for each in value)
    raise TypeError(f"{name}: cannot be a {type(value).__name__}: {value!r}")


def plain(value: Any, place: str = "the model") -> Any:
    """A value as JSON has it: arrays as lists. What is no finite number is refused.

    >>> plain({"force": np.array([0.0, 0.0, -1.0])})
    {'force': [0.0, 0.0, -1.0]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(each, f"{place}.{key}") for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), place)
    if isinstance(value, (list, tuple)):
        return [plain(each, f"{place}[{k}]") for k, each in enumerate(value)]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            from ._drystone import InputError

            raise InputError(f"{place} is {value}: it must be a finite number")
        return float(value)
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{place}: cannot be a {type(value).__name__}: {value!r}")
