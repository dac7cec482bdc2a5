"""The shape and colour of a human head as a signed distance field.

Coordinates are centimetres in the head's own frame: x towards the head's left ear, y up, z out of the face; the origin
lies between the ears at the height of the pupils. Points are a tuple ``(x, y, z)`` of float32 arrays of one shape. The
head is bilaterally symmetric, so it is evaluated at ``|x|``; only the combed strands of the hair are not.

Ellipsoids, capsules and tori are joined by polynomial smooth minima (after I. Quilez, "Smooth minimum", 2013). Only
additions, products and square roots act on the points, so the field hardly depends on the machine.
"""

from __future__ import annotations

import numpy as np

Points = tuple[np.ndarray, np.ndarray, np.ndarray]

_EYE_CENTRE, _EYE_RADIUS = (3.15, 0.0, 7.4), 1.22


# ---- primitives -----------------------------------------------------------------------------------------------------


def _shift(p: Points, centre: tuple[float, float, float]) -> Points:
    return p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]


def _ellipsoid(p: Points, centre: tuple[float, float, float], radii: tuple[float, float, float]) -> np.ndarray:
    """Return the first-order distance to an ellipsoid: exact on its surface, and never far too long outside it."""
    x, y, z = (v / np.float32(r) for v, r in zip(_shift(p, centre), radii, strict=True))
    k0 = np.sqrt(x * x + y * y + z * z)
    x, y, z = (v / np.float32(r) for v, r in zip((x, y, z), radii, strict=True))
    k1 = np.sqrt(x * x + y * y + z * z)
    return k0 * (k0 - 1) / (k1 + np.float32(1e-6))


def _capsule(p: Points, start: tuple, end: tuple, radius: float, end_radius: float | None = None) -> np.ndarray:
    """Return the distance to a segment with a radius that goes linearly from `radius` to `end_radius`."""
    axis = [b - a for a, b in zip(start, end, strict=True)]
    x, y, z = _shift(p, start)
    length2 = sum(v * v for v in axis)
    h = np.clip((x * axis[0] + y * axis[1] + z * axis[2]) * (1 / length2), 0, 1)
    x, y, z = x - h * axis[0], y - h * axis[1], z - h * axis[2]
    grow = 0.0 if end_radius is None else end_radius - radius
    return np.sqrt(x * x + y * y + z * z) - (radius + h * grow)


def _smin(a: np.ndarray, b: np.ndarray, k: float) -> np.ndarray:
    """Return the union of two shapes with a fillet of about `k` cm."""
    h = np.maximum(k - np.abs(a - b), 0)
    return np.minimum(a, b) - h * h * (0.25 / k)


def _smax(a: np.ndarray, b: np.ndarray, k: float) -> np.ndarray:
    """Return the intersection with a rounded edge; ``_smax(a, -b, k)`` cuts `b` out of `a`."""
    return -_smin(-a, -b, k)


def _fold(x: np.ndarray) -> np.ndarray:
    """Return ``|x|`` with its corner rounded, so that a mirrored shape has no crease in the symmetry plane."""
    return np.sqrt(x * x + np.float32(0.04))


def _smoothstep(low: float, high: float, v: np.ndarray) -> np.ndarray:
    """Return 0 below `low`, 1 above `high` (or the reverse where `low` > `high`), smooth in between."""
    t = np.clip((v - low) * (1 / (high - low)), 0, 1)
    return t * t * (3 - 2 * t)


# ---- parts ----------------------------------------------------------------------------------------------------------


def _skull(p: Points) -> np.ndarray:
    """Return the distance to cranium, forehead, cheeks and jaw."""
    d = _ellipsoid(p, (0, 3.0, -1.0), (7.3, 8.3, 9.1))
    d = _smin(d, _ellipsoid(p, (0, 3.8, 3.2), (6.1, 5.6, 5.9)), 1.5)
    d = _smin(d, _ellipsoid(p, (0, -3.2, 3.4), (5.5, 6.6, 5.6)), 1.5)
    d = _smin(d, _ellipsoid(p, (4.0, -2.2, 5.9), (1.9, 1.4, 2.0)), 2.4)
    d = _smin(d, _capsule(p, (5.1, -2.5, 0.6), (4.3, -6.6, 1.8), 1.1, 1.2), 2.0)
    d = _smin(d, _capsule(p, (4.3, -6.8, 1.9), (1.3, -10.1, 7.7), 1.2, 1.4), 2.0)
    d = _smin(d, _ellipsoid(p, (2.9, -5.0, 5.3), (2.3, 3.0, 2.9)), 1.5)
    d = _smin(d, _ellipsoid(p, (0, -7.7, 4.0), (4.3, 3.0, 4.8)), 1.5)
    d = _smin(d, _ellipsoid(p, (0, -6.7, 7.5), (3.1, 3.2, 2.8)), 1.8)
    return _smin(d, _ellipsoid(p, (0, -9.95, 8.35), (1.9, 1.5, 1.8)), 1.2)


def _eye_region(p: Points, d: np.ndarray) -> np.ndarray:
    """Join brow ridge, sockets and lids to the skull `d`."""
    d = _smin(d, _capsule(p, (0.3, 1.95, 8.55), (4.6, 2.1, 7.1), 0.75, 0.6), 1.5)
    d = _smax(d, -_ellipsoid(p, (2.9, 0.2, 9.7), (2.1, 1.2, 2.1)), 1.3)
    x, y, z = _shift(p, _EYE_CENTRE)
    lid = np.sqrt(x * x + y * y + z * z) - (_EYE_RADIUS + 0.14)
    upper = _smax(lid, 0.36 - (y - 0.10 * x - 0.05 * z), 0.1)
    lower = _smax(lid, 0.50 + (y - 0.08 * x + 0.08 * z), 0.1)
    return _smin(_smin(d, upper, 0.3), lower, 0.5)


def _nose(p: Points, d: np.ndarray) -> np.ndarray:
    """Join the nose with wings and nostrils to the face `d`."""
    nose = _capsule(p, (0, 0.7, 8.15), (0, -3.2, 10.85), 0.5, 0.72)
    nose = _smin(nose, _capsule(p, (0.5, 0.0, 7.9), (1.0, -3.7, 9.5), 0.7, 1.0), 1.0)
    nose = _smin(nose, _ellipsoid(p, (0, -3.55, 11.05), (0.95, 0.82, 0.9)), 0.6)
    nose = _smin(nose, _ellipsoid(p, (1.3, -3.95, 9.9), (0.6, 0.72, 0.95)), 0.5)
    nose = _smin(nose, _capsule(p, (0, -4.3, 10.6), (0, -4.7, 9.6), 0.35), 0.4)
    d = _smin(d, nose, 0.7)
    return _smax(d, -_ellipsoid(p, (0.68, -4.55, 10.5), (0.4, 0.5, 0.6)), 0.25)


def _mouth(p: Points, d: np.ndarray) -> np.ndarray:
    """Join lips, the line between them and the fold above the chin to the face `d`."""
    d = _smax(d, -_capsule(p, (0, -8.85, 11.0), (1.6, -8.8, 10.3), 0.75), 0.9)
    d = _smax(d, -_capsule(p, (0, -5.3, 11.0), (0, -6.2, 11.2), 0.45), 0.6)
    upper = _capsule(p, (0.35, -6.8, 10.2), (2.3, -7.2, 9.05), 0.5, 0.2)
    upper = _smin(upper, _ellipsoid(p, (0, -6.95, 10.3), (0.5, 0.4, 0.5)), 0.3)
    lower = _capsule(p, (0, -7.85, 10.05), (2.0, -7.4, 9.05), 0.6, 0.22)
    d = _smin(_smin(d, upper, 0.4), lower, 0.4)
    return _smax(d, -_capsule(p, (0, -7.3, 10.9), (2.5, -7.35, 9.4), 0.1), 0.3)


def _ear(p: Points) -> np.ndarray:
    """Return the distance to the outer ear: a tilted shell with a rolled rim, a hollow and a lobe."""
    x, y, z = _shift(p, (7.15, -1.2, -0.9))
    # Tilt the ear's long axis backwards by about 15 degrees and open the shell by about 25.
    y, z = 0.966 * y - 0.259 * z, 0.259 * y + 0.966 * z
    x, z = 0.906 * x + 0.423 * z, -0.423 * x + 0.906 * z
    local = (x, y, z)
    shell = _ellipsoid(local, (0.0, 0.1, 0.0), (0.75, 3.1, 1.85))
    shell = _smax(shell, -_ellipsoid(local, (0.95, 0.35, 0.15), (0.75, 2.3, 1.2)), 0.3)
    inner = _capsule(local, (0.25, 1.2, -0.5), (0.3, -1.3, -0.55), 0.3)
    shell = _smin(shell, inner, 0.3)
    shell = _smax(shell, -_ellipsoid(local, (0.55, -0.35, 0.45), (0.7, 0.8, 0.6)), 0.25)
    tragus = _ellipsoid(local, (0.15, -0.5, 1.3), (0.45, 0.6, 0.4))
    lobe = _ellipsoid(local, (0.15, -2.6, 0.5), (0.45, 0.8, 0.7))
    return _smin(_smin(shell, tragus, 0.25), lobe, 0.4)


def _neck(p: Points) -> np.ndarray:
    """Return the distance to the neck with its slanting muscles and the larynx."""
    x, y, z = p
    # The neck leans: its axis moves back as it goes down.
    lean = z + 1.9 - 0.24 * (y + 8)
    d = (np.sqrt((x / 5.0) ** 2 + (lean / 5.1) ** 2) - 1) * 5.0
    d = _smax(d, y + 3, 2.0)
    d = _smin(d, _capsule(p, (5.0, -4.5, -2.0), (1.2, -18.0, 0.2), 0.8, 0.9), 1.6)
    return _smin(d, _ellipsoid(p, (0, -13.6, 1.35), (0.9, 1.3, 0.9)), 1.5)


def _skin(p: Points) -> np.ndarray:
    d = _nose(p, _mouth(p, _eye_region(p, _skull(p))))
    d = _smin(d, _neck(p), 1.6)
    return _smin(d, _ear(p), 0.5)


def _strands(p: Points) -> np.ndarray:
    """Return a ripple in [-1, 1] along the combed hair: its relief and its streaks."""
    x, y, z = p
    u = x + 0.25 * z - 0.1 * y
    a = _wave(1.9 * u + 0.5 * _wave(0.23 * z + 0.17 * y))
    b = _wave(0.83 * u + 0.22 * y + 0.6 * _wave(0.19 * z))
    c = _wave(3.7 * u + 0.31 * z + 0.4 * _wave(0.4 * y))
    return 0.4 * a + 0.35 * b + 0.25 * c


def _wave(v: np.ndarray) -> np.ndarray:
    """Return a smooth wave of period 2 and range [-1, 1] made of products only (a parabola-bent triangle wave)."""
    t = np.abs(v - 2 * np.floor(0.5 * v) - 1) * 2 - 1
    return t * (1.5 - 0.5 * t * t)


def _hair(p: Points) -> np.ndarray:
    """Return the distance to short hair: a cap on the cranium, cut back at the forehead, the temples and the nape."""
    x, y, z = p
    side = _fold(x)
    cap = _ellipsoid(p, (0, 3.5, -1.1), (7.9, 8.7, 9.7))
    cap = _smin(cap, _ellipsoid((side, y, z), (0, 8.4, 4.0), (5.0, 3.0, 4.1)), 2.5)
    cap = _smin(cap, _ellipsoid((side, y, z), (0, -2.2, -3.3), (5.7, 5.2, 4.9)), 1.5)
    cap = cap - 0.09 * _strands(p)
    forehead = 0.55 * (z - 8.6) - 0.83 * (y - 7.2) + 0.07 * side
    temple = 0.95 * (z - 2.1) - 0.3 * (y - 0.5)
    nape = -(y + 2.2) + 0.75 * (z + 0.2)
    return _smax(_smax(cap, _smin(temple, forehead, 2.5), 0.6), nape, 0.8)


def _eyes(p: Points) -> np.ndarray:
    x, y, z = _shift(p, _EYE_CENTRE)
    return np.sqrt(x * x + y * y + z * z) - _EYE_RADIUS


def _cloth(p: Points) -> np.ndarray:
    """Return the distance to shoulders and a round collar."""
    x, y, z = p
    d = _capsule(p, (0, -21.5, -4.6), (17.0, -24.5, -5.0), 5.0, 4.6)
    d = _smin(d, _capsule(p, (2.5, -18.0, -6.2), (12.0, -22.0, -5.2), 2.8, 3.0), 3.0)
    ring = np.sqrt(x * x + (z + 4.3) ** 2) - 5.6
    rise = y + 17.2 + 0.25 * (z + 4.3)
    collar = np.sqrt(ring * ring + rise * rise * 0.5) - 0.7
    return _smin(d, collar, 1.2)


def materials(p: Points) -> np.ndarray:
    """Return the signed distance in cm to each material's own surface.

    Parameters
    ----------
    p : tuple of 3 ndarray of shape (n,)
        Points in the head's frame, cm.

    Returns
    -------
    ndarray of shape (4, n)
        Rows: skin, hair, eye, cloth.
    """
    mirrored = (_fold(p[0]), p[1], p[2])
    return np.stack([_skin(mirrored), _hair(p), _eyes(mirrored), _cloth(mirrored)])


def distance(p: Points) -> np.ndarray:
    """Return the signed distance in cm to the whole head, shape (n,)."""
    return materials(p).min(axis=0)


# ---- colour ---------------------------------------------------------------------------------------------------------


def _skin_colour(p: Points) -> np.ndarray:
    """Return the reflectance of skin, with cheeks, eye sockets, lips, eyebrows, lashes and nostrils; `p` mirrored."""
    x, y, z = p
    front = z > 4
    colour = np.full_like(x, 0.5)
    colour *= 1 - 0.08 * _smoothstep(2.6, 0.4, np.sqrt((x - 4.3) ** 2 + (y + 3.0) ** 2)) * front
    upper = _smoothstep(0.3, 0.0, np.abs(y + 6.85 + 0.16 * x) - 0.34 + 0.1 * x)
    lower = _smoothstep(0.3, 0.0, np.abs(y + 7.75 - 0.15 * x) - 0.45 + 0.12 * x)
    colour *= 1 - 0.38 * np.maximum(upper, lower) * front * _smoothstep(2.6, 2.2, x)
    arch = 2.05 + 0.16 * (x - 1.0) - 0.075 * (x - 2.6) ** 2
    brow = _smoothstep(0.55, 0.15, np.abs(y - arch) + 0.04 * x) * _smoothstep(0.9, 1.4, x) * _smoothstep(5.4, 4.4, x)
    colour *= 1 - 0.82 * brow * front
    nostril = (x - 0.68) ** 2 + (y + 4.6) ** 2 + (z - 10.4) ** 2
    colour *= 1 - 0.6 * _smoothstep(0.36, 0.12, nostril)
    x, y, _ = _shift(p, _EYE_CENTRE)
    colour *= 1 - 0.22 * _smoothstep(1.3, 0.4, (x / 2.0) ** 2 + (y / 1.3) ** 2) * front
    lash = _smoothstep(0.25, 0.08, np.abs(y - 0.42 - 0.12 * x)) * _smoothstep(1.5, 1.2, np.abs(x))
    return colour * (1 - 0.6 * lash * front)


def _eye_colour(p: Points) -> np.ndarray:
    """Return the reflectance of eyes that look straight ahead, in the shade of the upper lid; `p` mirrored."""
    x, y, _ = _shift(p, _EYE_CENTRE)
    radius = np.sqrt(x * x + y * y)
    colour = 0.5 - 0.45 * _smoothstep(0.72, 0.58, radius) - 0.03 * _smoothstep(0.34, 0.24, radius)
    return colour * (0.4 + 0.6 * _smoothstep(0.55, 0.1, y))


def albedo(p: Points, material: np.ndarray) -> np.ndarray:
    """Return the reflectance in [0, 1] of points `p` of the given `material`, a row of :func:`materials`."""
    mirrored = (np.abs(p[0]), p[1], p[2])
    hair = 0.07 + 0.035 * _strands(p)
    return np.choose(material, [_skin_colour(mirrored), hair, _eye_colour(mirrored), np.full_like(hair, 0.09)])
