"""The command as a process of its own."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "rfviz"]


def environment(**given):
    """Return this process's, with this checkout first, and none of the developer's settings of the laboratory."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RFVIZ_", "STREAMLIT_"))}
    return clean | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **given}
