"""Streamlit's command in a process that writes down every half second what it remembers and computes, as JSON.

RFVIZ_WATCH=file python -m benchmarks._watched run app.py
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil


def _computed() -> list[str]:
    """Return the functions that threads compute now, each the innermost of the cache's."""
    found = []
    for frame in sys._current_frames().values():
        while frame is not None:
            function = frame.f_locals.get("function") if frame.f_code.co_name in ("_compute", "compute") else None
            if function is not None:
                found.append(f"{function.__module__.removeprefix('rfviz.')}.{function.__qualname__}")
                break
            frame = frame.f_back
    return sorted(found)


def _watch(path: Path) -> None:
    while "rfviz.ui.cache" not in sys.modules or not hasattr(sys.modules["rfviz.ui.cache"], "STORE"):
        time.sleep(0.2)
    from rfviz.cache import size_of
    from rfviz.ui.cache import STORE

    process, began, told = psutil.Process(), time.monotonic(), -math.inf
    with path.open("w") as file:
        while True:
            line: dict[str, Any] = {"s": round(time.monotonic() - began, 1), "cache_mb": STORE.n_bytes / 1e6}
            line |= {"resident_mb": process.memory_info().rss / 1e6, "computes": _computed()}
            if time.monotonic() - told > 30:  # what takes the most, by function
                sizes: Counter[str] = Counter()
                for key, entry in STORE.entries():
                    function = key[0] if isinstance(key, tuple) else key
                    sizes[getattr(function, "__qualname__", str(function))] += size_of(entry.result)
                line["largest_mb"] = {name: round(size / 1e6) for name, size in sizes.most_common(8)}
                told = time.monotonic()
            file.write(json.dumps(line) + "\n")
            file.flush()
            time.sleep(0.5)


if __name__ == "__main__":
    threading.Thread(target=_watch, args=(Path(os.environ["RFVIZ_WATCH"]),), daemon=True).start()
    from streamlit.web.cli import main

    main()
