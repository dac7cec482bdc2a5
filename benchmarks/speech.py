"""Phone error of held-out voices against m and q, and with shared pools: Tables 2 and 3 of the maxout paper.

    python benchmarks/speech.py                    # synthetic speech
    python benchmarks/speech.py --timit FOLDER --m-max 20000 --epochs 10    # TIMIT, if you have it

Writes ``benchmarks/results/speech-cpu.json``, or ``speech-timit.json``, after each curve, and goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from _report import machine

from rfviz.analysis.speech import Recognition, difference, prepare_frames, recognise, recognise_raw
from rfviz.datasets import speech
from rfviz.features import MapSpec, RandomFourier, RandomMaxout, SharedPoolMaxout

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Measure what is missing and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--timit", help="a folder with TIMIT; synthetic speech without")
    parser.add_argument("--utterances", type=int, help="of TIMIT, to learn from; all by default")
    parser.add_argument("--speakers", type=int, default=speech.MOST_SPEAKERS)
    parser.add_argument("--sentences", type=int, default=6)
    parser.add_argument("--m-max", type=int, default=1600)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    corpus = (
        speech.read_timit(asked.timit, asked.utterances)
        if asked.timit
        else speech.speak(asked.speakers, asked.sentences)
    )
    path = RESULTS / f"speech-{'timit' if asked.timit else 'cpu'}.json"
    frames = prepare_frames(corpus)
    what = {
        "speech": corpus.provenance,
        "frames": len(frames.X),
        "test frames": len(frames.X_test),
        "states": frames.n_states,
        "epochs": asked.epochs,
        "seeds": asked.seeds,
        "m_max": asked.m_max,
    }
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    # More seeds add curves to those that are there; anything else begins anew.
    goes_on = {name: known.get(name) for name in what if name != "seeds"} == {k: what[k] for k in what if k != "seeds"}
    results: dict[str, Any] = known | what if goes_on else {**what, "machine": machine(), "curves": {}}
    raw: Recognition | None = None
    grid = tuple(asked.m_max >> k for k in range(4, -1, -1))
    for label, spec in curves_of(asked.m_max, asked.seeds).items():
        if label in results["curves"]:
            continue
        raw = raw or recognise_raw(frames, epochs=asked.epochs)
        begun = time.process_time()
        found = raw if spec is None else recognise(frames, spec, grid, epochs=asked.epochs)
        seconds = time.process_time() - begun if spec is not None else raw.seconds
        results["curves"][label] = described(found, raw) | {"cpu_seconds": round(seconds, 1)}
        path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        last = found.decoded[-1]
        print(f"{label}: {100 * last.phone_error:.1f}% at m = {found.m_grid[-1]:,}, {seconds:.0f} CPU s", flush=True)


def curves_of(m_max: int, seeds: int) -> dict[str, MapSpec | None]:
    """Return what is measured, by name: the raw features, Table 2, then Table 3 with pools of m/4 and m projections."""
    found: dict[str, MapSpec | None] = {"raw features": None}
    for seed in range(seeds):
        for q in (2, 4, 8, 16):
            found[f"maxout, q = {q}, seed {seed}"] = MapSpec(RandomMaxout, pool_size=q, random_state=seed)
        for size in (m_max // 4, m_max):
            spec = MapSpec(SharedPoolMaxout, pool_size=4, n_projections=size, random_state=seed)
            found[f"maxout, q = 4, {size} shared projections, seed {seed}"] = spec
        found[f"Fourier, seed {seed}"] = MapSpec(RandomFourier, random_state=seed)
    return found


def described(found: Recognition, raw: Recognition) -> dict[str, object]:
    """Return errors in per cent for each m, and how many standard errors they are from the raw features."""
    return {
        "m": list(found.m_grid),
        "phone error %": [round(100 * one.phone_error, 2) for one in found.decoded],
        "frame error %": [round(100 * one.frame_error, 2) for one in found.decoded],
        "standard errors from raw": [round(difference(one, raw.decoded[0])[1], 1) for one in found.decoded],
    }


if __name__ == "__main__":
    main()
