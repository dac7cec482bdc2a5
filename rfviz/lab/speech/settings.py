"""Controls and presets of the page on speech."""

from __future__ import annotations

from rfviz.datasets.speech import MOST_SENTENCES, MOST_SPEAKERS, find_timit
from rfviz.experiments.speech.compute import SpeechSource, grid_of, labels_of
from rfviz.experiments.speech.experiment import AGAINST, DRAWS, EPOCHS, MEASURE, Speech
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout, SharedPoolMaxout
from rfviz.lab.page import Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import RANDOM_MAXOUT
from rfviz.params import Param

__all__ = ["PRESETS", "choose_settings", "choose_source"]

_SPEECH = {"spoken": "Synthetic speech", "timit": "TIMIT (data folder)"}
_SPEAKERS = Param(
    "speakers",
    16,
    "int",
    4,
    MOST_SPEAKERS,
    step=4,
    marks=(4, 8, 12, 16, 20, 24, 28, 32),
    log=True,
    label="Voices",
    help="Synthetic voices. Every fourth is held out for testing.",
)
_SENTENCES = Param(
    "sentences",
    3,
    "int",
    1,
    MOST_SENTENCES,
    label="Sentences of each",
    help="More sentences give more to learn from, and take more time.",
)
_UTTERANCES = Param(
    "utterances",
    400,
    "int",
    10,
    3696,
    log=True,
    marks=(10, 50, 100, 200, 400, 800, 1600, 3696),
    label="Utterances to learn from",
    help="Spread evenly over TIMIT.",
)
_FAMILIES: dict[type[FeatureMap], str] = {
    RandomMaxout: "Random maxout", SharedPoolMaxout: "Maxout, shared pool", RandomFourier: "Random Fourier",
}  # fmt: skip
_POOLS = (2, 4, 8, 16)
_M_MAX = Param(
    "m_max",
    800,
    "int",
    160,
    48_000,
    log=True,
    marks=(160, 320, 800, 1600, 3200, 8000, 20_000, 48_000),
    label="Largest m",
    help="Five numbers of features, each twice the one before, up to this one.",
)
_SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")
_PROJECTIONS = SharedPoolMaxout.param("n_projections")

# 144 utterances to learn from, of 24 voices, and 48 of 8 others to test on; five draws, as in the paper.
_TABLES = {"speakers": MOST_SPEAKERS, "sentences": 6, "m_max": 1600, "draws": 5, "measure": "phone error %"}
PRESETS: Presets = {
    "Table 2": (
        f"{RANDOM_MAXOUT}, Table 2: random maxout of four pool sizes, five draws of each, 48 test utterances. "
        "Press Start: 3 minutes of processor time for each draw of the synthetic speech.",
        {"families": ["RandomMaxout"], "pools": list(_POOLS), **_TABLES},
    ),
    "Table 3": (
        f"{RANDOM_MAXOUT}, Table 3: maxout features that share 400 projections, next to independent ones "
        "and to random Fourier features, by the number of projections. Press Start: a minute of processor time for "
        "each of five draws of the synthetic speech.",
        {
            "families": [cls.__name__ for cls in _FAMILIES],
            "pools": [4],
            "n_projections": 400,
            "against": "projections",
            **_TABLES,
        },
    ),
}


def choose_source(panel: Panel) -> SpeechSource:
    """Ask for the speech: TIMIT is offered where the data folder holds it."""
    folder = find_timit()
    offered = list(_SPEECH) if folder is not None else ["spoken"]
    speech = panel.choice("speech", offered, "spoken", "Speech", "A computer speaks, or people of TIMIT do.", _SPEECH)
    if speech == "timit" and folder is not None:
        return SpeechSource(folder=str(folder), utterances=panel.control(_UTTERANCES))
    return SpeechSource(panel.control(_SPEAKERS), panel.control(_SENTENCES))


def choose_settings(panel: Panel, speech: SpeechSource) -> Speech:
    """Ask for all settings but the speech."""
    with panel.section("controls", ["m", "utterance", "families"]):
        names = {cls.__name__: label for cls, label in _FAMILIES.items()}
        help = "Random features that the phones are learnt from. The raw features are always compared."
        chosen = panel.several("families", list(names), ["RandomMaxout"], "Features", help, names)
        pools: tuple[int, ...] = ()
        if {"RandomMaxout", "SharedPoolMaxout"} & set(chosen):
            help = "A maxout feature is the largest of q projections."
            pools = panel.several("pools", list(_POOLS), [4], "Pool sizes q", help)
        grid = grid_of(panel.control(_M_MAX))
        n_projections = panel.control(_PROJECTIONS) if "SharedPoolMaxout" in chosen else 0
        epochs, seed, draws = panel.control(EPOCHS), panel.control(_SEED), panel.control(DRAWS)
        specs = _specs(chosen, pools, n_projections, seed)
        shown = Param(
            "m",
            grid[-1],
            "int",
            1,
            1_000_000,
            log=True,
            marks=grid,
            symbol="m",
            label="Features",
            help="How many features give the phones shown. A smaller m uses the first of them.",
        )
        m = panel.control(shown)
        number = Param(
            "utterance",
            1,
            "int",
            1,
            max(speech.n_test, 1),
            label="Utterance",
            help="Which of the held-out utterances is shown.",
        )
        utterance = panel.control(number)
        labels = labels_of(specs)
        of = panel.choice("of", labels, labels[0], "Phones of", "The map whose phones are shown.") if labels[1:] else ""
        measure, against = panel.control(MEASURE), panel.control(AGAINST)
    return Speech(
        maps=specs,
        speech=speech,
        m_grid=grid,
        epochs=epochs,
        shown=of,
        m=m,
        utterance=utterance - 1,
        measure=measure,
        draws=draws,
        against=against,
    )


def _specs(chosen: tuple[str, ...], pools: tuple[int, ...], n_projections: int, seed: int) -> list[MapSpec[FeatureMap]]:
    found: list[MapSpec[FeatureMap]] = []
    for cls in _FAMILIES:
        if cls.__name__ not in chosen:
            continue
        spec = MapSpec(cls, random_state=seed)
        if cls is SharedPoolMaxout:
            spec = spec.replace(n_projections=n_projections)
        found += [spec] if cls is RandomFourier else [spec.replace(pool_size=q) for q in pools]
    return found
