"""Images of many sizes → one array of bytes: from a ZIP archive, which is never unpacked, or as given."""

from __future__ import annotations

import io
import math
import re
import warnings
import zipfile
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets import _limits
from rfviz.datasets._content import Content, archive
from rfviz.datasets._preparation import Preparation
from rfviz.datasets._text import counted, one_line, reason
from rfviz.datasets.base import Progress
from rfviz.errors import DataError

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["MOST_IMAGES", "Pictures", "Stored", "Zipped", "common_shape", "index_archive"]

MOST_IMAGES = 20_000
# Far below Pillow's own alarm; a photograph of 40 megapixels takes 120 MB while it is shrunk.
_MOST_PIXELS = 40_000_000
_KEPT_SIDE, _SIDE = 64, 32
_SUFFIXES = (".png", ".jpg", ".jpeg")
_LITTER = ("thumbs.db", "desktop.ini")
# Images looked at to tell colours from grey, and how far channels must differ.
_LOOKED_AT, _TINT = 16, 12


class Pictures(ABC):
    """Images that can be had in any size.

    Attributes
    ----------
    sizes : ndarray of shape (n, 2)
        Height and width of each, in pixels.
    in_colour : bool
        Whether any of those looked at is.
    """

    sizes: np.ndarray
    in_colour: bool

    @abstractmethod
    def one(self, row: int, shape: tuple[int, int], colour: bool) -> np.ndarray:
        """One image, uint8 of shape (height, width) or (height, width, 3)."""

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What must be open while images are read."""
        yield

    def decode(
        self, rows: np.ndarray, shape: tuple[int, int], colour: bool, progress: Progress | None = None
    ) -> np.ndarray:
        """Some of the images in one size.

        Parameters
        ----------
        rows : ndarray of int
        shape : (height, width)
        colour : bool
            Whether three channels are wanted.
        progress : callable, optional

        Returns
        -------
        ndarray of shape (rows.size, height, width) or (rows.size, height, width, 3), uint8

        Raises
        ------
        MemoryBudgetError
            Where they would not fit.
        DataError
            For an image that is damaged.
        """
        full = (*shape, 3) if colour else shape
        # The bytes, and what floats of four bytes will take.
        _limits.check(9 * rows.size * math.prod(full), f"{rows.size:,} images of {' × '.join(map(str, full))}",
                      "Keep fewer or smaller images")  # fmt: skip
        found = np.empty((rows.size, *full), dtype=np.uint8)
        with self.reading():
            for place, row in enumerate(rows):
                if progress is not None and place % 20 == 0:
                    progress(place / rows.size, f"reading image {place:,} of {rows.size:,}…")
                found[place] = self.one(int(row), shape, colour)
        return found


class Stored(Pictures):
    """Images that came as one array, uint8 of shape (n, height, width) or (n, height, width, 3)."""

    def __init__(self, pixels: np.ndarray) -> None:
        self.pixels = pixels
        self.sizes = np.broadcast_to(np.array(pixels.shape[1:3]), (len(pixels), 2))
        self.in_colour = pixels.ndim == 4

    def one(self, row: int, shape: tuple[int, int], colour: bool) -> np.ndarray:
        from PIL import Image

        pixels = self.pixels[row]
        if pixels.shape == ((*shape, 3) if colour else shape):
            return pixels
        return _fitted(Image.fromarray(np.ascontiguousarray(pixels)), shape, colour)


class Zipped(Pictures):
    """Images in a ZIP archive.

    Attributes
    ----------
    names : tuple of str
        Members, in natural order ("2" before "10").
    folders : tuple of str
        The folder that each lies in directly; empty text where there is none.
    unread : tuple of str
        Members that are no images by their first bytes, or too large ones.
    """

    def __init__(self, content: Content, names: tuple[str, ...]) -> None:
        self.content = content
        self._archive: zipfile.ZipFile | None = None
        with self.reading():
            sizes, wrong = {}, {}
            for name in names:
                try:
                    sizes[name] = self._size(name)
                except DataError as error:
                    wrong[name] = error
            if not sizes:
                raise next(iter(wrong.values()))
            self.names, self.sizes, self.unread = tuple(sizes), np.array(list(sizes.values())), tuple(wrong)
            self.folders = tuple(map(_folder, self.names))
            seen = np.unique(np.linspace(0, len(self.names) - 1, _LOOKED_AT).astype(int))
            self.in_colour = any(_is_tinted(self.one(int(row), (24, 24), True)) for row in seen)

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._archive is not None:
            yield
            return
        with zipfile.ZipFile(self.content.open()) as self._archive:
            try:
                yield
            finally:
                self._archive = None

    def one(self, row: int, shape: tuple[int, int], colour: bool) -> np.ndarray:
        with self.reading(), _worded(self.content, self.names[row]):
            image = _image(self._archive.read(self.names[row]))
            # A JPEG can be read at an eighth of its size, which takes a fraction of the time.
            image.draft("RGB" if colour else "L", (4 * shape[1], 4 * shape[0]))
            return _fitted(image, shape, colour)

    def _size(self, name: str) -> tuple[int, int]:
        with _worded(self.content, name), self._archive.open(name) as stream:
            # Enough for the header of an image; embedded previews may come before it.
            image = _image(stream.read(1 << 16))
            if image.width * image.height > _MOST_PIXELS:
                raise DataError(
                    f"has {image.width:,} × {image.height:,} pixels, and at most {_MOST_PIXELS:,} are read; shrink it"
                )
            return image.height, image.width


def index_archive(content: Content) -> tuple[Zipped, tuple[str, ...]]:
    """The images in an archive, with their sizes; none is decoded but a few that tell whether there are colours.

    Returns
    -------
    pictures : Zipped
    notes : tuple of str
        What was passed over.

    Raises
    ------
    DataError
        If the archive is refused (see :func:`rfviz.datasets._content.archive`), or holds no PNG or JPEG image that can
        be read, or too many.
    """
    with archive(content) as opened:
        names = [m.filename for m in opened.infolist() if not m.is_dir() and not _is_litter(m.filename)]
        twice = [name for name, count in Counter(names).items() if count > 1]
    found = [name for name in names if name.lower().endswith(_SUFFIXES)]
    if twice:
        raise DataError(
            f"{content.name} holds two files named {one_line(twice[0], 40)!r}. Make the archive again, each name once."
        )
    if not found:
        other = f" (it holds {one_line(', '.join(names[:3]), 80)})" if names else ""
        raise DataError(f"{content.name} holds no PNG or JPEG images{other}. Put images into it, one folder a class.")
    if len(found) > MOST_IMAGES:
        raise DataError(f"{content.name} holds {len(found):,} images, and at most {MOST_IMAGES:,} are read. "
                        "Put fewer into the archive.")  # fmt: skip
    idle = len(names) - len(found)
    notes = [f"{idle:,} other file{'s are' if idle > 1 else ' is'} passed over."] if idle else []
    pictures = Zipped(content, tuple(sorted(found, key=_natural)))
    wrong = [repr(one_line(name, 40)) for name in pictures.unread]
    if wrong:
        shown = ", ".join(wrong[:2]) + (f" and {len(wrong) - 2:,} more" if len(wrong) > 2 else "")
        notes.append(
            f"{counted(len(wrong), 'image')} passed over (damaged, too large or neither PNG nor JPEG): {shown}."
        )
    return pictures, tuple(notes)


def common_shape(pictures: Pictures, how: Preparation) -> tuple[int, int]:
    """Height and width of all images, by the rule that :data:`rfviz.datasets._preparation.SIDE` states."""
    alike = bool((pictures.sizes == pictures.sizes[:1]).all())
    height, width = (int(side) for side in pictures.sizes[0])
    if how.side == 0 and alike and max(height, width) <= _KEPT_SIDE:
        return height, width
    ratio = float(np.median(pictures.sizes[:, 0] / pictures.sizes[:, 1]))
    longer = how.side or _SIDE
    if ratio >= 1:
        return longer, max(round(longer / ratio), 1)
    return max(round(longer * ratio), 1), longer


def numbers_in(names: tuple[str, ...]) -> np.ndarray | None:
    """The last number in the name of each file, where all have one and they differ; None otherwise."""
    found = [re.findall(r"\d{1,15}", name.rsplit("/", 1)[-1]) for name in names]
    if not all(found):
        return None
    numbers = np.array([float(parts[-1]) for parts in found])
    return numbers if len(np.unique(numbers)) > 1 else None


def _folder(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    return one_line(parts[-2], 60) if len(parts) > 1 else ""


def _is_litter(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1].lower() in _LITTER


def _natural(name: str) -> list:
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d{1,15})", name)]


def _image(data: bytes) -> Image.Image:
    """A PNG or JPEG image, its header read; by its own bytes, whatever its name says."""
    from PIL import JpegImagePlugin, PngImagePlugin

    reader = PngImagePlugin.PngImageFile if data.startswith(b"\x89PNG") else JpegImagePlugin.JpegImageFile
    with warnings.catch_warnings():  # of metadata that nobody asks for
        warnings.simplefilter("ignore")
        return reader(io.BytesIO(data))


def _fitted(image: Image.Image, shape: tuple[int, int], colour: bool) -> np.ndarray:
    """The image shrunk or enlarged to cover `shape`, its middle cut out."""
    from PIL import Image, ImageOps

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        image.load()
        if image.mode.startswith("I;16") or image.mode == "I":  # sixteen bits of grey
            image = Image.fromarray((np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8))
        image = image.convert("RGB" if colour else "L")
        size = (shape[1], shape[0])
        return np.asarray(image if image.size == size else ImageOps.fit(image, size, Image.Resampling.LANCZOS))


def _is_tinted(pixels: np.ndarray) -> bool:
    """Whether an image has colours: one in grey may be stored with three equal channels."""
    wide = pixels.astype(np.int16)
    return float((wide.max(axis=2) - wide.min(axis=2)).mean()) > _TINT / 4


@contextmanager
def _worded(content: Content, name: str) -> Iterator[None]:
    """Say which image could not be read."""
    shown = one_line(name, 50)
    try:
        yield
    except DataError as error:
        raise DataError(f"{content.name}: its image {shown!r} {error}.") from None
    except MemoryError:
        raise
    # Pillow raises SyntaxError, OSError, ValueError, struct.error and more on altered bytes, as do zipfile and zlib.
    except Exception as error:
        raise DataError(
            f"{content.name}: its image {shown!r} is damaged, or neither PNG nor JPEG ({reason(error)}). "
            "Take it out of the archive, or save it again."
        ) from None
