"""Images on their way to the browser."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from rfviz.cache import Cache
from rfviz.datasets.base import Dataset
from rfviz.experiments.data import Data
from rfviz.figures.images import as_pixels, data_uri
from rfviz.ui.widgets import images


def pictures(n, shape, name="pictures"):
    """Build a data set of `n` images, each of its own brightness."""
    X = np.tile(np.linspace(0.1, 1.0, n)[:, None], (1, int(np.prod(shape)))).astype(np.float32)
    return Dataset(name=name, X=X, image_shape=shape)


def opened(uri):
    head, _, body = uri.partition(",")
    assert head == "data:image/png;base64"
    return Image.open(io.BytesIO(base64.b64decode(body)))


def test_pixels_are_rounded_and_clipped():
    dataset = Dataset(name="x", X=np.array([[-0.5, 0.0, 0.5, 1.0, 2.0, 0.999]], np.float32), image_shape=(2, 3))
    assert as_pixels(dataset).tolist() == [[[0, 0, 128], [255, 255, 255]]]


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((112, 92), (53, 64)),
        ((64, 64), (64, 64)),
        ((8, 8), (64, 64)),
        ((40, 20), (20, 40)),
        ((300, 2), (1, 64)),
        ((8, 8, 3), (64, 64)),
    ],
)
def test_thumbnail_keeps_its_shape(shape, size):
    pixels = as_pixels(pictures(1, shape))[0]
    assert opened(data_uri(pixels)).size == size
    framed = opened(data_uri(pixels, "#2a7fc4"))
    assert framed.size == (size[0] + 6, size[1] + 6)
    corner = framed.convert("RGB").getpixel((0, 0))
    assert np.abs(np.subtract(corner, (0x2A, 0x7F, 0xC4))).max() <= 8


def test_thumbnails_belong_to_their_rows():
    dataset = pictures(5, (8, 8), "rows")
    rows = np.array([4, 0, 2])
    data, cache = Data("rows", (), None, dataset), Cache()
    uris = images.thumbnails(data, rows, ["#000000"] * 3, cache)
    shown = [opened(uri).convert("L").getpixel((35, 35)) for uri in uris]
    expected = np.rint(dataset.X[rows, 0] * 255)
    assert np.abs(shown - expected).max() <= 3  # colours of a palette
    assert uris == images.thumbnails(data, rows, ["#000000"] * 3, cache)
    assert len(cache.store) == 3


@pytest.mark.parametrize("shape", [(8, 8), (112, 92), (8, 8, 3)])
@pytest.mark.parametrize("n", [1, 40, 41, 83])
def test_sheet_holds_every_image_in_its_place(n, shape):
    dataset = pictures(n, shape)
    sheet = images.sprite(dataset)
    picture = np.asarray(opened(sheet["uri"]))
    columns, width, height = sheet["columns"], sheet["width"], sheet["height"]
    assert picture.shape[:2] == (-(-n // columns) * height, columns * width)
    assert height <= 112
    for row in range(n):
        top, left = row // columns * height, row % columns * width
        tile = picture[top : top + height, left : left + width]
        assert (tile == round(float(dataset.X[row, 0]) * 255)).all()
