"""Streamlit's command in a process that writes down every second what it remembers, as a line of JSON.

RFVIZ_WATCH=file python -m benchmarks._watched run app.py
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path


def _watch(path: Path) -> None:
    while "rfviz.ui.cache" not in sys.modules or not hasattr(sys.modules["rfviz.ui.cache"], "STORE"):
        time.sleep(0.2)
    from rfviz.cache import size_of
    from rfviz.ui.cache import STORE

    began, told = time.monotonic(), -1.0
    with path.open("w") as file:
        while True:
            line = {"s": round(time.monotonic() - began, 1), "cache_mb": STORE.n_bytes / 1e6, "results": len(STORE)}
            if time.monotonic() - told > 30:  # what takes the most, by function
                sizes: Counter[str] = Counter()
                for key, entry in STORE.entries():
                    function = key[0] if isinstance(key, tuple) else key
                    sizes[getattr(function, "__qualname__", str(function))] += size_of(entry.result)
                line["largest_mb"] = {name: round(size / 1e6) for name, size in sizes.most_common(8)}
                told = time.monotonic()
            file.write(json.dumps(line) + "\n")
            file.flush()
            time.sleep(1.0)


if __name__ == "__main__":
    threading.Thread(target=_watch, args=(Path(os.environ["RFVIZ_WATCH"]),), daemon=True).start()
    from streamlit.web.cli import main

    main()
