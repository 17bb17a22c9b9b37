"""Numbers for people: few digits, and a unit that fits the size."""

from __future__ import annotations

import math
from typing import Any, Optional

__all__ = ["quantity", "scale", "significant"]

_PREFIXED = {
    "m": [(1.0, "m"), (1e-3, "mm"), (1e-6, "µm")],
    "N": [(1e6, "MN"), (1e3, "kN"), (1.0, "N")],
    "J": [(1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ")],
    "kg": [(1e3, "t"), (1.0, "kg"), (1e-3, "g")],
    "s": [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")],
}


def significant(value: float, digits: int = 3) -> str:
    """A number with so many significant digits.

    >>> significant(1234.6), significant(0.012345), significant(0.0), significant(2.0)
    ('1235', '0.0123', '0', '2')
    """
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if not -4 <= size < 6:
        return f"{value:.{digits - 1}e}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    text = f"{value:.{max(0, digits - 1 - size)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def scale(most: float, unit: str) -> tuple[float, str]:
    """A factor and the unit with a prefix that suits values up to `most`.

    >>> scale(0.02, "m")
    (1000.0, 'mm')
    """
    steps = _PREFIXED.get(unit, [(1.0, unit)])
    most = abs(most)
    size, name = (1.0, unit) if most == 0 or not math.isfinite(most) else next((step for step in steps if most >= step[0]), steps[-1])
    return 1.0 / size, name


def quantity(value: Optional[Any], unit: str = "") -> str:
    """A number with its unit; a dash for what is not known.

    >>> quantity(43201.7, "N"), quantity(0.0021, "m"), quantity(None, "m"), quantity(12.5, "°")
    ('43.2 kN', '2.1 mm', '–', '12.5°')
    """
    if value is None or not math.isfinite(value):
        return "–"
    factor, name = scale(value, unit)
    gap = "" if unit in ("", "°") else " "
    return f"{significant(value * factor)}{gap}{name}"
