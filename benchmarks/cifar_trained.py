"""Collect what the laboratory shows of the networks and features of Table 1 that were trained beforehand.

python benchmarks/cifar_trained.py

The accuracy page draws their test errors after each epoch. This writes the accuracies to
rfviz/experiments/accuracy/trained.json, from what benchmarks/cifar_networks.py and benchmarks/cifar_features.py wrote
to benchmarks/results/; run it after them.
"""

import json
from pathlib import Path
from typing import Any

__all__ = ["STORED", "collected"]

ROOT = Path(__file__).parents[1]
STORED = ROOT / "rfviz/experiments/accuracy/trained.json"


def collected() -> dict[str, Any]:
    """Return accuracies in per cent by architecture: by epoch, and after the epochs that all have by m."""
    networks, features, many = (
        json.loads((ROOT / "benchmarks/results" / name).read_text(encoding="utf-8"))
        for name in ("cifar-networks-cpu.json", "cifar-features-cpu.json", "cifar-features-gpu.json")
    )
    epochs = min(len(result["by_epoch"]) for result in many["results"].values())
    return {
        "networks": {name: result["accuracy"] for name, result in networks["results"].items()},
        "m": features["setting"]["m"][-1],
        "features": {name: [by_m[-1] for by_m in run["by_epoch"]] for name, run in features["results"].items()},
        "augmented": {
            "epochs": epochs,
            "m": many["setting"]["m"],
            "accuracy": {name: result["by_epoch"][epochs - 1] for name, result in many["results"].items()},
        },
    }


if __name__ == "__main__":
    STORED.write_text(json.dumps(collected(), separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"Written to {STORED}")
