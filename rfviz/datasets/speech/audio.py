"""Sound files of one channel: RIFF WAV, and the NIST SPHERE format of TIMIT."""

from __future__ import annotations

import io
import warnings
from math import gcd
from pathlib import Path

import numpy as np
from scipy.io import wavfile
from scipy.signal import resample_poly

from rfviz.datasets.speech.corpus import RATE
from rfviz.errors import DataError

__all__ = ["read_sound", "resampled"]

_RATES = (8_000, 96_000)
_SPHERE, _HEADER = b"NIST_1A\n", 1024
_ORDERS = {b"01": "<i2", b"10": ">i2"}


def read_sound(path: Path, name: str) -> tuple[np.ndarray, int]:
    """Return the samples of a file, in [−1, 1], and its own rate.

    Parameters
    ----------
    name : str
        What errors call it.

    Raises
    ------
    DataError
        If it is not sound, is compressed, has several channels, or a rate below 8,000 or above 96,000 samples a second.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{name} cannot be read ({error.strerror}).") from None
    samples, rate = _sphere(content, name) if content.startswith(_SPHERE) else _riff(content, name)
    if samples.ndim > 1 and samples.shape[1] > 1:
        raise DataError(f"{name} has {samples.shape[1]} channels, and speech must have one. Mix them to mono.")
    if not _RATES[0] <= rate <= _RATES[1]:
        raise DataError(f"{name} has {rate:,} samples a second; from 8,000 to 96,000 can be used. Resample it.")
    return samples.reshape(-1), rate


def _riff(content: bytes, name: str) -> tuple[np.ndarray, int]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)  # chunks of notes, which say nothing of the sound
            rate, samples = wavfile.read(io.BytesIO(content))
    except Exception:  # what SciPy raises for other content is of any kind
        raise DataError(f"{name} is no sound that can be read: it is neither RIFF WAV of PCM nor SPHERE.") from None
    if samples.dtype.kind == "f":
        return samples.astype(np.float32), int(rate)
    middle, scale = (128, 128) if samples.dtype == np.uint8 else (0, np.iinfo(samples.dtype).max + 1)
    return ((samples.astype(np.float64) - middle) / scale).astype(np.float32), int(rate)


def _sphere(content: bytes, name: str) -> tuple[np.ndarray, int]:
    """Read the header of 1024 bytes, a field a line: name, type, value."""
    fields: dict[bytes, bytes] = {}
    for line in content[len(_SPHERE) : _HEADER].split(b"\n"):
        parts = line.split(None, 2)
        if len(parts) == 3:
            fields[parts[0]] = parts[2].strip()
    coding = fields.get(b"sample_coding", b"pcm")
    if coding != b"pcm":
        written = coding.decode("ascii", "replace")
        raise DataError(f"{name} is compressed ({written}). Unpack it first: sph2pipe -p -f wav, or sox.")
    try:
        rate, channels = int(fields[b"sample_rate"]), int(fields.get(b"channel_count", b"1"))
        width, count = int(fields.get(b"sample_n_bytes", b"2")), int(fields[b"sample_count"])
        order = _ORDERS[fields.get(b"sample_byte_format", b"01")]
    except (KeyError, ValueError):
        raise DataError(f"{name} has a SPHERE header that cannot be read. Get the file again.") from None
    if width != 2 or channels < 1 or count < 0:
        raise DataError(f"{name} has {8 * width} bits a sample; only 16 bits can be read. Convert it to 16-bit PCM.")
    size = count * channels * width
    body = content[_HEADER : _HEADER + size]
    if len(body) < size:
        raise DataError(f"{name} ends after {len(body):,} of {size:,} bytes of sound. Get the file again.")
    return (np.frombuffer(body, order).astype(np.float32) / 32768).reshape(-1, channels), rate


def resampled(samples: np.ndarray, rate: int) -> np.ndarray:
    """Return sound of another rate with :data:`~rfviz.datasets.speech.corpus.RATE` samples a second."""
    if rate == RATE:
        return samples
    common = gcd(rate, RATE)
    return resample_poly(samples, RATE // common, rate // common).astype(np.float32)
