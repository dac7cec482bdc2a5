"""What plays on the page of pixel co-occurrence."""

from __future__ import annotations

from collections.abc import Sequence

from rfviz.analysis.cooccurrence import FeatureSample, PixelMap, sample_features
from rfviz.analysis.frames_cooccurrence import cooccurrence_over_features
from rfviz.analysis.progress import Progress
from rfviz.figures.cooccurrence import plot_maps
from rfviz.lab.animation import spread_words
from rfviz.ui.films import SEEDS, one_by_one, reel_of
from rfviz.ui.play import Film, Reel
from rfviz.ui.state import PageState

__all__ = ["cooccurrence_reels"]


# --- pixel co-occurrence ----------------------------------------------------------------------------------------------


def cooccurrence_reels(state: PageState, sample: FeatureSample, result: PixelMap, side: int) -> list[Reel]:
    """The number of features, and the seed."""
    on = (sample.skeleton.to_json(), result.pixel)

    def over_features(options: Sequence[int], now: int, progress: Progress) -> Film:
        values = [value for value in options if value <= sample.n_features]
        maps = cooccurrence_over_features(sample, result.pixel, values, result.exact, progress)
        note = "" if values[-1] == options[-1] else f"up to {values[-1]:,}: more have not been drawn"
        return _maps_film(values, maps, side, note)

    def over_seeds(options: Sequence[int], now: int, progress: Progress) -> Film:
        def run(seed: int) -> PixelMap:
            drawn = sample_features(sample.skeleton, result.n_features, seed)
            (found,) = cooccurrence_over_features(drawn, result.pixel, [result.n_features], result.exact)
            return found

        values, maps = one_by_one(sorted({*options[:SEEDS], now}), now, run, progress)
        film = _maps_film(values, maps, side)
        average = spread_words([found.rms[-1] for found in maps], ".2g")
        return Film(values, [f"{words} · {average}" for words in film.captions], film.frames)

    return [reel_of(state, "m", "features", over_features, *on), reel_of(state, "seed", "seed", over_seeds, *on)]


def _maps_film(values: Sequence[int], maps: Sequence[PixelMap], side: int, note: str = "") -> Film:
    captions = [
        f"RMS error {found.rms[-1]:.2g} · 1/√m predicts {found.predicted[-1]:.2g}" if found.occurs
        else "no feature reaches the pixel yet"
        for found in maps
    ]  # fmt: skip
    return Film(list(values), captions, [{"maps": plot_maps(found, side)} for found in maps], note)
