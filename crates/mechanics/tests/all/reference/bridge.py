"""Load multipliers of an arch under an axle, by a linear program (needs numpy and scipy): the numbers of `REFERENCE` in `loads.rs`.

In the plane. A joint carries a compression at each end, at the soffit and at the back, and a shear between them of at most friction
times their sum; voussoirs are in equilibrium. What an associated flow rule finds in three dimensions is this, in the middle plane.
Nothing here comes from the program that it checks: the arch is drawn from its span, rise and thickness.
"""

import numpy as np
from scipy.optimize import linprog

G, STONE, FILL, WIDTH, COVER = 9.81, 2000.0, 1800.0, 4.0, 0.4


def polygon(points):
    """Area and centroid."""
    p = np.asarray(points, float)
    q = np.roll(p, -1, axis=0)
    cross = p[:, 0] * q[:, 1] - q[:, 0] * p[:, 1]
    area = cross.sum() / 2
    return abs(area), ((p + q) * cross[:, None]).sum(axis=0) / (6 * area)


def multiplier(span, rise, ring, count, friction, fill, axle, at):
    radius = (span**2 / 4 + rise**2) / (2 * rise)
    half = np.arcsin(min(1.0, span / 2 / radius))
    angles = np.linspace(-half, half, count + 1)
    way = np.stack([np.sin(angles), np.cos(angles)], axis=1)
    down = np.array([0.0, radius - rise])
    inner, outer = radius * way - down, (radius + ring) * way - down
    top = rise + ring + COVER
    # Unknown: compressions at soffit and back, shear along the joint from soffit to back; and the multiplier.
    unknowns = 3 * (count + 1) + 1
    equal, right = np.zeros((3 * count, unknowns)), np.zeros(3 * count)
    for k in range(count):
        area, center = polygon([inner[k], outer[k], outer[k + 1], inner[k + 1]])
        loads = [(center, np.array([0.0, -area * WIDTH * STONE * G]))]
        if fill == "mass":
            a, b = outer[k], outer[k + 1]
            area, over = polygon([a, b, [b[0], top], [a[0], top]])
            loads.append((over, np.array([0.0, -area * WIDTH * FILL * G])))
        for place, force in loads:
            right[3 * k : 3 * k + 2] -= force
            right[3 * k + 2] -= np.cross(place - center, force)
        x = at - span / 2
        if outer[k][0] <= x < outer[k + 1][0]:
            t = (x - outer[k][0]) / (outer[k + 1][0] - outer[k][0])
            place, force = outer[k] + t * (outer[k + 1] - outer[k]), np.array([0.0, -axle])
            equal[3 * k : 3 * k + 2, -1] = force
            equal[3 * k + 2, -1] = np.cross(place - center, force)
        # Compression pushes into the voussoir: to the right at its left joint, to the left at its right one.
        for joint, sign in ((k, 1.0), (k + 1, -1.0)):
            normal = sign * np.array([way[joint][1], -way[joint][0]])
            for column, place, direction in (
                (0, inner[joint], normal),
                (1, outer[joint], normal),
                (2, inner[joint], sign * way[joint]),
            ):
                equal[3 * k : 3 * k + 2, 3 * joint + column] = direction
                equal[3 * k + 2, 3 * joint + column] = np.cross(place - center, direction)
    less, most = [], []
    for joint in range(count + 1):
        for sign in (1.0, -1.0):
            row = np.zeros(unknowns)
            row[3 * joint : 3 * joint + 3] = -friction, -friction, sign
            less.append(row)
            most.append(0.0)
    aim = np.zeros(unknowns)
    aim[-1] = -1.0
    bounds = [(0, None), (0, None), (None, None)] * (count + 1) + [(0, None)]
    scale = axle
    found = linprog(aim, less, most, equal, right / scale, bounds, method="highs")
    if found.status != 0:
        return None
    return found.x[-1] * scale


if __name__ == "__main__":
    for rise, friction, fill, at in [
        (2.0, 0.6, "none", 1.5),
        (2.0, 0.6, "mass", 1.5),
        (3.0, 0.6, "none", 1.5),
        (3.0, 0.6, "mass", 1.5),
        (3.0, 0.35, "mass", 1.5),
        (1.5, 0.4, "none", 0.9),
    ]:
        # Forces in units of an axle of 100 kN, then the multiplier is of that axle.
        found = multiplier(6.0, rise, 0.5, 25, friction, fill, 1.0, at)
        told = None if found is None else round(found / 100e3, 6)
        print(rise, friction, fill, at, told)
