"""Render the images of the turning head with NumPy and write the file that the package ships.

The images stand in for a person of the UMIST face database, whose pictures cannot be shipped: 33 grey views of one head
that turns from profile to frontal. The head is the signed distance field of :mod:`assets.turning_head.shape`; every
pixel is sphere-traced (Hart, "Sphere tracing", The Visual Computer 12, 1996) and lit by a key light with soft shadows,
a fill light and an ambient term with occlusion. The lights stay with the camera: frames differ by pose alone.

Run it in the root of the repository (about 15 seconds)::

    python -m assets.turning_head.render

It writes ``rfviz/datasets/bundled/turning_head.npz`` with ``X``, uint8 of shape (33, 112, 92), in the order of the true
angle, and ``angle``, float64 of shape (33,), in degrees from 90 (profile, looking left) to 0 (frontal).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.turning_head.shape import Points, albedo, distance, materials
from rfviz.datasets.bundled.turning_head import IMAGE_SHAPE, N_FRAMES, STORED

# Camera: perspective, looking along -z at the axis the head turns about. Lengths in cm.
_CAMERA_DISTANCE = 140.0
_VIEW_HEIGHT = 32.0  # height of the picture at the turning axis
_CENTRE_Y = -3.0  # height of the picture's centre over the pupils
_PIVOT_Z = 1.0  # the axis in the head's frame, so that profile and frontal view both fit
_REACH = 26.0  # everything lies within this distance of the axis
_LENS_BLUR = 0.7  # standard deviation in pixels; without it neighbouring frames differ by edges more than by shape
_SAMPLES = 2  # rays per pixel along each side
_MAX_STEPS = 90
_HIT = 0.01  # a ray this close to the surface has reached it

_BACKGROUND = 0.22  # linear light
_GAMMA = 2.2

# Rows of shape.materials: skin, hair, eye, cloth.
_GLOSS = np.array([0.10, 0.10, 0.50, 0.02], dtype=np.float32)
_SHININESS = np.array([18, 14, 60, 8], dtype=np.float32)


def _unit(v: tuple[float, float, float]) -> np.ndarray:
    return np.array(v) / np.sqrt(sum(c * c for c in v))


# Directions to the lights, in the camera's frame.
_KEY_LIGHT = _unit((-0.6, 0.6, 0.65))
_FILL_LIGHT = _unit((0.8, 0.1, 0.55))


@dataclass(frozen=True)
class Pose:
    """A position of the head.

    Attributes
    ----------
    angle : float
        Turn about the vertical in degrees: 0 looks at the camera, 90 to the left edge of the picture.
    nod : float
        Degrees by which the face is lowered.
    shift : tuple of float
        Displacement of the camera right and up, in pixels.
    """

    angle: float
    nod: float = 0.0
    shift: tuple[float, float] = (0.0, 0.0)

    @property
    def rotation(self) -> np.ndarray:
        """Return the rotation from the head's frame to the camera's, shape (3, 3)."""
        a, b = np.deg2rad(-self.angle), np.deg2rad(self.nod)
        turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
        tilt = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
        return turn @ tilt


def poses(n_frames: int = N_FRAMES) -> list[Pose]:
    """Return the poses of the sequence, from profile (90 degrees) to frontal (0 degrees).

    The pace is half as fast again as the average at the ends and half of it in the middle (three-quarter view), and
    varies by up to 10% from step to step, since a person does not turn like a turntable. The quick ends keep the
    outermost frames apart in an embedding, whose curve would curl up there otherwise. The head nods by at most 0.5
    degrees and drifts by at most 0.2 pixels; between neighbours that is far less than the turn (2.8 degrees on average,
    which moves the nose by up to 2 pixels), so that the images still determine the order. Nothing is random: each pose
    is a fixed function of the frame's number.
    """
    step = np.arange(n_frames - 1)
    scatter = 2 * np.mod(step * 0.6180339887, 1.0) - 1  # golden-ratio sequence: evenly spread in [-1, 1], no pattern
    pace = 1 + 0.5 * np.cos(2 * np.pi * (step + 0.5) / (n_frames - 1)) + 0.1 * scatter
    done = np.concatenate([[0.0], np.cumsum(pace)])
    done /= done[-1]
    phase = np.arange(n_frames) / (n_frames - 1)
    nod = 0.5 * np.sin(1.0 + 9.0 * phase)
    right, up = 0.2 * np.sin(5.0 * phase), 0.2 * np.cos(2.0 + 7.0 * phase)
    return [
        Pose(float(90 * (1 - d)), float(n), (float(r), float(u)))
        for d, n, r, u in zip(done, nod, right, up, strict=True)
    ]


def render(pose: Pose, image_shape: tuple[int, int] = IMAGE_SHAPE, samples: int = _SAMPLES) -> np.ndarray:
    """Render one view of the head.

    Parameters
    ----------
    pose : Pose
    image_shape : tuple of int
        ``(height, width)`` in pixels; the height spans 32 cm whatever its number of pixels.
    samples : int
        Each pixel averages ``samples * samples`` rays, before the blur of the lens.

    Returns
    -------
    ndarray of shape `image_shape`, uint8
        Grey levels, gamma-encoded.
    """
    height, width = image_shape
    rotation = pose.rotation
    directions = _camera_rays(height * samples, width * samples, [s * samples for s in pose.shift])
    # The head is kept still and the camera moves around it: then the field needs no transformation.
    origin = (rotation.T @ [0, _CENTRE_Y, _CAMERA_DISTANCE] + [0, 0, _PIVOT_Z]).astype(np.float32)
    rays = (rotation.T @ directions).astype(np.float32)
    depth, hit = _trace(origin, rays)
    light = np.full(hit.size, _BACKGROUND, dtype=np.float32)
    seen = np.flatnonzero(hit)
    light[seen] = _shade(_along(origin, rays[:, seen], depth[seen]), rays[:, seen], rotation)
    grey = np.clip(light, 0, 1) ** np.float32(1 / _GAMMA)
    image = grey.reshape(height, samples, width, samples).mean(axis=(1, 3), dtype=np.float64)
    return np.rint(255 * _soften(image)).astype(np.uint8)


def _soften(image: np.ndarray) -> np.ndarray:
    """Blur `image` as a lens and a sensor would, by a Gaussian; the borders are continued outwards."""
    reach = 3
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / _LENS_BLUR) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        height, width = image.shape
        padded = np.pad(image, [(reach, reach) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
        shifts = range(2 * reach + 1)
        windows = (padded[i : i + height] if axis == 0 else padded[:, i : i + width] for i in shifts)
        image = sum(w * window for w, window in zip(weights, windows, strict=True))
    return image


def _camera_rays(rows: int, columns: int, shift: list[float]) -> np.ndarray:
    """Return the unit directions of all rays, shape (3, rows * columns), row by row from the top left."""
    pitch = _VIEW_HEIGHT / rows
    y = (rows / 2 - 0.5 - np.arange(rows) + shift[1]) * pitch
    x = (np.arange(columns) + 0.5 - columns / 2 + shift[0]) * pitch
    grid_y, grid_x = np.meshgrid(y, x, indexing="ij")
    directions = np.stack([grid_x.ravel(), grid_y.ravel(), np.full(grid_x.size, -_CAMERA_DISTANCE)])
    return directions / np.sqrt((directions**2).sum(axis=0))


def _along(start: Points | np.ndarray, direction: np.ndarray | list, t: np.ndarray | float) -> Points:
    x, y, z = (start[i] + t * direction[i] for i in range(3))
    return x, y, z


def _dot(a: np.ndarray | list, b: np.ndarray | list) -> np.ndarray:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _trace(origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distance along each ray to the head, and whether the ray meets it; both of shape (n_rays,)."""
    depth = np.full(rays.shape[1], _CAMERA_DISTANCE - _REACH, dtype=np.float32)
    hit = np.zeros(rays.shape[1], dtype=bool)
    live = np.arange(rays.shape[1])
    for _ in range(_MAX_STEPS):
        gap = distance(_along(origin, rays[:, live], depth[live]))
        # Short of the full gap, since the field of an ellipsoid is a little too long close to its flat sides.
        depth[live] += np.float32(0.9) * gap
        arrived = gap < _HIT
        hit[live[arrived]] = True
        live = live[~arrived & (depth[live] < _CAMERA_DISTANCE + _REACH)]
        if live.size == 0:
            break
    return depth, hit


def _shade(points: Points, view: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Return the linear light that the surface `points` send back along the rays `view`, shape (n,)."""
    key, fill = ((rotation.T @ light).astype(np.float32) for light in (_KEY_LIGHT, _FILL_LIGHT))
    material = materials(points).argmin(axis=0)
    normal = _normal(points)
    lit = _shadow(_along(points, normal, 0.08), key)
    # Light wraps a little past the terminator, as it does on skin.
    diffuse = np.maximum((_dot(normal, key) + 0.15) / 1.15, 0) * lit
    ambient = 0.144 + 0.054 * normal[1] + 0.18 * np.maximum(0.7 * _dot(normal, fill) + 0.3, 0)
    half = [key[i] - view[i] for i in range(3)]
    highlight = np.clip(_dot(normal, half) / np.sqrt(_dot(half, half)), 0, 1) ** _SHININESS[material]
    matte = albedo(points, material) * (1.15 * diffuse + _openness(points, normal) * ambient)
    return matte + _GLOSS[material] * highlight * lit


def _normal(points: Points, step: float = 0.03) -> list[np.ndarray]:
    """Return unit outward normals, from the field at the corners of a tetrahedron."""
    gradient = [np.zeros_like(points[0]) for _ in range(3)]
    for corner in ((1, -1, -1), (-1, -1, 1), (-1, 1, -1), (1, 1, 1)):
        value = distance(_along(points, corner, np.float32(step)))
        for component, sign in zip(gradient, corner, strict=True):
            component += sign * value
    length = np.sqrt(_dot(gradient, gradient))
    return [component / length for component in gradient]


def _shadow(points: Points, light: np.ndarray) -> np.ndarray:
    """Return the share of the light that reaches `points`: soft, since near misses of the head count in part."""
    visible = np.ones_like(points[0])
    t = np.full_like(points[0], 0.1)
    for _ in range(14):
        gap = distance(_along(points, light, t))
        visible = np.minimum(visible, np.clip(0.5 + 3.5 * gap / t, 0, 1))
        t = t + np.clip(gap, 0.15, 1.5)
    return visible * visible * (3 - 2 * visible)


def _openness(points: Points, normal: list[np.ndarray]) -> np.ndarray:
    """Return the ambient occlusion, 1 on open surfaces and small in hollows, from a few steps along the normal."""
    blocked = np.zeros_like(points[0])
    for step, weight in ((0.25, 0.42), (0.6, 0.3), (1.2, 0.19), (2.2, 0.13)):
        blocked += weight * (step - distance(_along(points, normal, step)))
    return np.clip(1 - blocked, 0.05, 1)


def main() -> None:
    """Render the sequence and write it."""
    sequence = poses()
    images = np.stack([render(pose) for pose in sequence])
    np.savez_compressed(STORED, X=images, angle=np.array([pose.angle for pose in sequence]))
    print(f"{STORED}: {images.shape} {images.dtype}, {STORED.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
