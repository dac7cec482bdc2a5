"""Images of many sizes → one array of bytes: from a ZIP archive, which is never unpacked, or from an array."""

from __future__ import annotations

import io
import math
import re
import warnings
import zipfile
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.files.archive import is_litter
from rfviz.datasets.files.content import IMAGES, File, open_archive
from rfviz.datasets.files.preparation import Preparation
from rfviz.datasets.wording import counted, one_line, reason
from rfviz.errors import DataError, MissingPackageError, require
from rfviz.progress import Progress

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["MAX_IMAGES", "Pictures", "StoredPictures", "ZippedPictures", "common_shape", "read_zip"]

MAX_IMAGES = 20_000
# Far below Pillow's own limit; a photograph of 40 megapixels takes 120 MB while it is resized.
_MAX_PIXELS = 40_000_000
# Images of one size keep it up to the first side; others get the second.
_KEPT_SIDE, _SIDE = 64, 32
# Folders whose names say which rows are for training, and which for a test.
_TRAINING = ("train", "training")
_TESTING = ("test", "testing", "val", "valid", "validation", "dev", "eval")
# Images that are checked for colours, and by how much channels must differ.
_CHECKED_IMAGES, _TINT = 16, 3.0


class Pictures(ABC):
    """Images that can be read in any size.

    Attributes
    ----------
    sizes : ndarray of shape (n, 2)
        Height and width of each, in pixels.
    in_colour : bool
        Whether any of a sample has colours.
    """

    sizes: np.ndarray
    in_colour: bool

    @abstractmethod
    def one(self, row: int, shape: tuple[int, int], colour: bool) -> np.ndarray:
        """Return one image, uint8 of shape (height, width) or (height, width, 3)."""

    @contextmanager
    def reading(self) -> Generator[None, None, None]:
        """Keep open what several calls of :meth:`one` read from."""
        yield

    def decode(
        self, rows: np.ndarray, shape: tuple[int, int], colour: bool, progress: Progress | None = None
    ) -> np.ndarray:
        """Return some of the images in one size.

        Parameters
        ----------
        rows : ndarray of int
        shape : (height, width)
        colour : bool
            Whether three channels are wanted.

        Returns
        -------
        ndarray of shape (rows.size, height, width) or (rows.size, height, width, 3), uint8

        Raises
        ------
        MemoryBudgetError
            If they would not fit.
        DataError
            If an image is damaged.
        """
        full = _checked_shape(rows.size, shape, colour)
        found = np.empty((rows.size, *full), dtype=np.uint8)
        with self.reading():
            for place, row in enumerate(rows):
                if progress is not None and place % 20 == 0:
                    progress(place / rows.size, f"reading image {place:,} of {rows.size:,}…")
                found[place] = self.one(int(row), shape, colour)
        return found


class StoredPictures(Pictures):
    """Images in one array, uint8 of shape (n, height, width) or (n, height, width, 3)."""

    def __init__(self, pixels: np.ndarray) -> None:
        self.pixels = pixels
        self.sizes = np.broadcast_to(np.array(pixels.shape[1:3]), (len(pixels), 2))
        self.in_colour = pixels.ndim == 4

    def decode(
        self, rows: np.ndarray, shape: tuple[int, int], colour: bool, progress: Progress | None = None
    ) -> np.ndarray:
        if _checked_shape(rows.size, shape, colour) == self.pixels.shape[1:]:
            return self.pixels[rows]
        return super().decode(rows, shape, colour, progress)

    def one(self, row: int, shape: tuple[int, int], colour: bool) -> np.ndarray:
        from PIL import Image

        return _fit(Image.fromarray(np.ascontiguousarray(self.pixels[row])), shape, colour)


class ZippedPictures(Pictures):
    """Images in a ZIP archive.

    Attributes
    ----------
    names : tuple of str
        Members, in natural order ("2" before "10").
    folders : tuple of str
        The folder that holds each directly, or an empty string; with the folders above it where two have one name.
    n_train : int or None
        Images before it are for training, where the archive has folders such as train and test.
    skipped : tuple of str
        Members that are not images by their first bytes, or too large.
    """

    def __init__(self, file: File, names: tuple[str, ...]) -> None:
        self.file = file
        self._archive: zipfile.ZipFile | None = None
        sizes: dict[str, tuple[int, int]] = {}
        wrong: dict[str, DataError] = {}
        with self._opened() as archive:
            for name in names:
                try:
                    sizes[name] = self._size(archive, name)
                except DataError as error:
                    wrong[name] = error
            if not sizes:
                raise next(iter(wrong.values()))
            self.names, self.sizes, self.skipped = tuple(sizes), np.array(list(sizes.values())), tuple(wrong)
            self.n_train = None
            self.folders, is_training = _folders(self.names)
            if not all(is_training):  # training rows come first
                rows = np.argsort(~np.array(is_training), kind="stable")
                self.names = tuple(self.names[row] for row in rows)
                self.folders = tuple(self.folders[row] for row in rows)
                self.sizes = self.sizes[rows]
                self.n_train = sum(is_training)
            checked = np.unique(np.linspace(0, len(self.names) - 1, _CHECKED_IMAGES).astype(int))
            self.in_colour = any(_is_tinted(self.one(int(row), (24, 24), True)) for row in checked)

    @contextmanager
    def reading(self) -> Generator[None, None, None]:
        with self._opened():
            yield

    @contextmanager
    def _opened(self) -> Generator[zipfile.ZipFile, None, None]:
        """Open the archive, if no block around this one has done so."""
        if self._archive is not None:
            yield self._archive
            return
        with self.file.open() as stream, zipfile.ZipFile(stream) as archive:
            self._archive = archive
            try:
                yield archive
            finally:
                self._archive = None

    def one(self, row: int, shape: tuple[int, int], colour: bool) -> np.ndarray:
        with self._opened() as archive, _naming(self.file, self.names[row]):
            image = _image(archive.read(self.names[row]))
            # A JPEG can be read at an eighth of its size, which takes a fraction of the time.
            image.draft("RGB" if colour else "L", (4 * shape[1], 4 * shape[0]))
            return _fit(image, shape, colour)

    def _size(self, archive: zipfile.ZipFile, name: str) -> tuple[int, int]:
        with _naming(self.file, name), archive.open(name) as stream:
            # Enough for the header of an image; embedded previews may come before it.
            image = _image(stream.read(1 << 16))
            if image.width * image.height > _MAX_PIXELS:
                raise DataError(
                    f"has {image.width:,} × {image.height:,} pixels, and at most {_MAX_PIXELS:,} are read; shrink it"
                )
            return image.height, image.width


def read_zip(file: File) -> tuple[ZippedPictures, tuple[str, ...]]:
    """Find the images in an archive, and their sizes; only a few are decoded, to tell whether there are colours.

    Returns
    -------
    pictures : ZippedPictures
    notes : tuple of str
        A sentence on the members that were passed over.

    Raises
    ------
    DataError
        If the archive is refused (see :func:`rfviz.datasets.files.content.open_archive`), or holds no PNG or JPEG image
        that can be read, or too many.
    """
    with open_archive(file, "a ZIP archive", "Copy it again, or make the archive again") as archive:
        members = [m for m in archive.infolist() if not m.is_dir() and not is_litter(m.filename)]
    names = [member.filename for member in members]
    found = [name for name in names if name.lower().endswith(IMAGES)]
    expanded = sum(member.file_size for member in members if member.filename.lower().endswith(IMAGES))
    memory.check(expanded, f"{file.name}, expanded,", "Put fewer or smaller files into it")
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise DataError(
            f"{file.name} holds two files named {one_line(twice[0], 40)!r}. Make the archive again, each name once."
        )
    if not found:
        other = f" (it holds {one_line(', '.join(names[:3]), 80)})" if names else ""
        raise DataError(
            f"{file.name} holds no table, and no PNG or JPEG images{other}. Put a table into it, or images, one folder "
            "per class."
        )
    if len(found) > MAX_IMAGES:
        raise DataError(
            f"{file.name} holds {len(found):,} images, and at most {MAX_IMAGES:,} are read. Put fewer into the archive."
        )
    n_others = len(names) - len(found)
    notes = [f"{n_others:,} other file{'s were' if n_others > 1 else ' was'} skipped."] if n_others else []
    pictures = ZippedPictures(file, tuple(sorted(found, key=_natural)))
    if skipped := [repr(one_line(name, 40)) for name in pictures.skipped]:
        shown = ", ".join(skipped[:2]) + (f" and {len(skipped) - 2:,} more" if len(skipped) > 2 else "")
        notes.append(f"{counted(len(skipped), 'image')} skipped (damaged, too large or neither PNG nor JPEG): {shown}.")
    return pictures, tuple(notes)


def common_shape(pictures: Pictures, preparation: Preparation) -> tuple[int, int]:
    """Return height and width of all images, by the rule that :data:`rfviz.datasets.files.preparation.SIDE` states."""
    alike = bool((pictures.sizes == pictures.sizes[:1]).all())
    height, width = (int(side) for side in pictures.sizes[0])
    if alike and max(height, width) == (preparation.side or min(max(height, width), _KEPT_SIDE)):
        return height, width
    ratio = float(np.median(pictures.sizes[:, 0] / pictures.sizes[:, 1]))
    longer = preparation.side or _SIDE
    if ratio >= 1:
        return longer, max(round(longer / ratio), 1)
    return max(round(longer * ratio), 1), longer


def _checked_shape(n_images: int, shape: tuple[int, int], colour: bool) -> tuple[int, ...]:
    """Return the shape of one image after a check that `n_images` of them fit into memory."""
    full = (*shape, 3) if colour else shape
    # The bytes, and the floats of four bytes that they become.
    needed = 5 * n_images * math.prod(full)
    memory.check(needed, f"{n_images:,} images of {' × '.join(map(str, full))}", "Keep fewer or smaller images")
    return full


def numbers_in(names: tuple[str, ...]) -> np.ndarray | None:
    """Return the last number in the name of each file if all have one and they differ; else None."""
    found = [re.findall(r"\d{1,15}", name.rsplit("/", 1)[-1]) for name in names]
    if not all(found):
        return None
    numbers = np.array([float(parts[-1]) for parts in found])
    return numbers if len(np.unique(numbers)) > 1 else None


def _folders(names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """Return the folder of each image, with those above it where one name occurs twice, and whether it is for training.

    Where nothing tells, all are.
    """
    paths = [tuple(name.replace("\\", "/").split("/")[:-1]) for name in names]
    levels = enumerate(zip(*paths, strict=False))
    n_common = next((place for place, level in levels if len(set(level)) > 1), min(map(len, paths)))
    paths = [path[n_common:] if path[n_common:] else path[-1:] for path in paths]
    tops = {path[0].lower() if path else "" for path in paths}
    is_training = (True,) * len(names)
    if tops <= {*_TRAINING, *_TESTING} and tops & {*_TRAINING} and tops & {*_TESTING}:
        is_training = tuple(path[0].lower() in _TRAINING for path in paths)
        paths = [path[1:] for path in paths]
    parents: dict[str, set[tuple[str, ...]]] = {}
    for path in paths:
        parents.setdefault(path[-1] if path else "", set()).add(path)
    are_unique = all(len(found) == 1 for found in parents.values())
    folders = tuple(one_line(path[-1] if path and are_unique else "/".join(path), 60) for path in paths)
    return folders, is_training


def _natural(name: str) -> list[tuple[bool, int, str]]:
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d{1,15})", name)]


def _image(data: bytes) -> Image.Image:
    """Open a PNG or JPEG image by its own bytes, whatever its name says; only the header is read."""
    require("PIL", "A data set of images")
    from PIL import JpegImagePlugin, PngImagePlugin

    reader = PngImagePlugin.PngImageFile if data.startswith(b"\x89PNG") else JpegImagePlugin.JpegImageFile
    with warnings.catch_warnings():  # of metadata that is not used
        warnings.simplefilter("ignore")
        return reader(io.BytesIO(data))


def _fit(image: Image.Image, shape: tuple[int, int], colour: bool) -> np.ndarray:
    """Shrink or enlarge an image to cover `shape`, and cut out its middle."""
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
    """Return whether an image has colours: a grey one may be stored with three equal channels."""
    wide = pixels.astype(np.int16)
    return float((wide.max(axis=2) - wide.min(axis=2)).mean()) > _TINT


@contextmanager
def _naming(file: File, name: str) -> Generator[None, None, None]:
    """Name the image that could not be read."""
    shown = one_line(name, 50)
    try:
        yield
    except MissingPackageError:
        raise
    except DataError as error:
        raise DataError(f"{file.name}: its image {shown!r} {error}.") from None
    except MemoryError:
        raise
    # Pillow raises SyntaxError, OSError, ValueError, struct.error and more on altered bytes, as do zipfile and zlib.
    except Exception as error:
        raise DataError(
            f"{file.name}: its image {shown!r} is damaged, or neither PNG nor JPEG ({reason(error)}). "
            "Take it out of the archive, or save it again."
        ) from None
