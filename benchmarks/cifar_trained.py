"""Collect what the laboratory shows of the networks and features of Table 1 that were trained beforehand.

python benchmarks/cifar_trained.py

The accuracy page draws their test errors after each epoch. This writes the accuracies to
rfviz/lab/accuracy/trained.json, from what benchmarks/cifar_networks.py and benchmarks/cifar_features.py wrote to
benchmarks/results/; run it after them.
"""

import json
from pathlib import Path
from typing import Any

__all__ = ["STORED", "collected"]

ROOT = Path(__file__).parents[1]
STORED = ROOT / "rfviz/lab/accuracy/trained.json"


def collected() -> dict[str, Any]:
    """Return accuracies in per cent by architecture and epoch, of the features also by m."""
    networks, features = (
        json.loads((ROOT / "benchmarks/results" / name).read_text(encoding="utf-8"))
        for name in ("cifar-networks-cpu.json", "cifar-features-gpu.json")
    )
    return {
        "networks": {name: result["accuracy"] for name, result in networks["results"].items()},
        "m": features["setting"]["m"],
        "features": {name: result["by_epoch"] for name, result in features["results"].items()},
    }


if __name__ == "__main__":
    STORED.write_text(json.dumps(collected(), separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"Written to {STORED}")
