"""What tests read from the charts that a page sends to the browser."""

import base64
import io

import numpy as np
from PIL import Image


def opacity(image):
    """Return the opacity of each cell of a density, the lowest row first."""
    pixels = Image.open(io.BytesIO(base64.b64decode(image["source"].partition(",")[2]))).convert("RGBA")
    return np.asarray(pixels)[::-1, :, 3]
