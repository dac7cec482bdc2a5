"""Speech as an experiment: which phones new voices say, learnt from random features of frames of sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import partial

from rfviz.analysis.speech import RAW
from rfviz.cache import Cache
from rfviz.errors import ParameterError
from rfviz.experiments.base import (
    Chart,
    ExperimentInParts,
    ExperimentWithoutData,
    Maps,
    Result,
    experiment,
    revision,
    specs_of,
)
from rfviz.experiments.candidate import Candidate
from rfviz.experiments.data import NO_DATA, Data
from rfviz.experiments.speech.compute import (
    Curve,
    SpeechResult,
    SpeechSource,
    confusions,
    errors_frame,
    frames_of,
    grid_of,
    hear,
    labels_of,
    learn_curve,
    projections,
)
from rfviz.experiments.speech.describe import confusion_alt, errors_alt, errors_words, explanation, heard_alt
from rfviz.experiments.speech.figures import plot_confusions, plot_errors, plot_heard
from rfviz.experiments.work import Part, Work
from rfviz.params import Param
from rfviz.progress import Progress

__all__ = ["AGAINST", "DRAWS", "EPOCHS", "MEASURE", "Speech"]

EPOCHS = Param(
    "epochs",
    5,
    "int",
    1,
    50,
    log=True,
    marks=(1, 2, 3, 5, 10, 20, 50),
    label="Passes",
    help="Passes of stochastic gradient descent over the frames.",
)
MEASURE = Param(
    "measure",
    "phone error %",
    "choice",
    choices=("phone error %", "frame error %"),
    titles=("Phone error", "Frame error"),
    label="Error",
)
DRAWS = Param(
    "draws",
    1,
    "int",
    1,
    20,
    ui_high=10,
    label="Draws",
    help="Independent draws of each map; the chart shows mean and standard deviation. The paper has five.",
)
AGAINST = Param(
    "against",
    "features",
    "choice",
    choices=("features", "projections"),
    titles=("Features", "Projections"),
    label="Against",
    help="A maxout feature takes q projections of a frame, or draws them from a shared pool. Against projections, "
    "curves are compared at equal cost.",
)
_M = Param("m_grid", 800, "int", 1, 1_000_000)


@experiment
class Speech(ExperimentInParts[SpeechResult], ExperimentWithoutData[SpeechResult]):
    """Recognise the phones of held-out speakers from random features of their speech, next to the raw features.

    Parameters
    ----------
    maps : sequence of feature maps, or of MapSpec
        Their numbers of features are those of `m_grid`.
    speech : SpeechSource
        Synthetic speech, or a folder with TIMIT.
    m_grid : sequence of int
        Numbers of features, rising.
    epochs : int
        Passes of stochastic gradient descent over the frames.
    shown : str
        Label of the map whose phones are shown; by default the first.
    m : int, optional
        Its number of features; by default the largest.
    utterance : int
        The test utterance that is shown, from 0; the last if there are fewer.
    measure : {"phone error %", "frame error %"}
        The error that is drawn.
    draws : int
        Independent draws of each map, with its seed and those that follow. The phones shown are those of the first.
    against : {"features", "projections"}
        What the error is drawn against: the number of features, or of the random projections that they are made of.

    Examples
    --------
    >>> from rfviz.experiments.speech import Speech, SpeechSource
    >>> from rfviz.features import RandomMaxout
    >>> Speech(maps=[RandomMaxout(pool_size=4)], speech=SpeechSource(speakers=8), m_grid=[100, 200]).labels
    ('Random maxout, q = 4',)
    """

    maps: Maps
    speech: SpeechSource = field(default_factory=SpeechSource)
    m_grid: Sequence[int] = grid_of(_M.default)
    epochs: int = EPOCHS.default
    shown: str = ""
    m: int | None = None
    utterance: int = 0
    measure: str = MEASURE.default
    draws: int = DRAWS.default
    against: str = AGAINST.default

    params = (EPOCHS, Param("utterance", 0, "int", 0), MEASURE, DRAWS, AGAINST)
    question = "Which phones does a new voice say?"

    def __post_init__(self) -> None:
        """Check the values; see :class:`rfviz.experiments.base.Experiment`.

        Raises
        ------
        ParameterError
            For a value that breaks its rule.
        """
        super().__post_init__()
        grid = [_M.validate(m) for m in self.m_grid]
        if not grid or sorted(set(grid)) != grid:
            raise ParameterError("m_grid", "must be rising numbers of features", self.m_grid)
        if self.m is not None and self.m not in grid:
            raise ParameterError("m", f"must be one of m_grid, {grid}", self.m)
        if self.shown and self.shown not in (*self.labels, RAW):
            raise ParameterError("shown", f"must be one of {', '.join(map(repr, (*self.labels, RAW)))}", self.shown)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The maps with their labels."""
        specs = [spec.without("n_components") for spec in specs_of(self.maps)]
        return tuple(Candidate(label, spec) for label, spec in zip(labels_of(specs), specs, strict=True))

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each map."""
        return tuple(candidate.label for candidate in self.candidates)

    @property
    def grid(self) -> tuple[int, ...]:
        """The numbers of features."""
        return tuple(self.m_grid)

    @property
    def shown_m(self) -> int:
        """The number of features whose phones are shown."""
        return self.grid[-1] if self.m is None else self.m

    def parts(
        self, data: None = None, *, cache: Cache | None = None, progress: Progress | None = None
    ) -> Iterator[Result[SpeechResult]]:
        """Run the experiment and yield a result after each map; see :meth:`ExperimentInParts.parts`.

        Raises
        ------
        ParameterError
            If data are given.
        """
        if data is not None:
            raise ParameterError("data", "must be left out: `speech` says what is recognised", data)
        return super().parts(NO_DATA, cache=cache, progress=progress)

    def work(self, data: Data, cache: Cache) -> Work:
        frames = cache.call(frames_of, self.speech)
        n, d = frames.X.shape
        grid, epochs = self.grid, self.epochs
        steps = 2.0 * n * frames.n_states * epochs
        parts = [Part(RAW, learn_curve, (self.speech, None, (d,), epochs), steps * d)]
        for draw in range(self.draws):
            for candidate in self.candidates:
                label, spec = candidate.label, candidate.spec
                if draw:
                    spec = spec.replace(random_state=(spec.get("random_state") or 0) + draw)
                cost = float(n * d * candidate.products(grid[-1]) * epochs) + steps * sum(grid)
                title = f"{label}, draw {draw + 1}" if self.draws > 1 else label
                parts.append(Part(label, learn_curve, (self.speech, spec, grid, epochs), cost, title))
        return Work(tuple(parts), cache)

    def collect(self, data: Data, work: Work, cache: Cache) -> SpeechResult:
        curves = [Curve(RAW, None, tuple(raw))] if (raw := work.results(RAW)) else []
        for label, spec in ((one.label, one.spec) for one in self.candidates):
            if found := work.results(label):
                curves.append(Curve(label, spec.cls, tuple(found), tuple(projections(spec, m) for m in self.grid)))
        return SpeechResult(cache.call(frames_of, self.speech), tuple(curves))

    def charts(self, data: Data, numbers: SpeechResult, cache: Cache) -> tuple[Chart, ...]:
        """Return the charts, or none before the first map is known."""
        curve = numbers.curve(self.shown or next(iter(self.labels), RAW))
        if curve is None:
            return ()
        m, measure = self.shown_m, self.measure
        decoded, frames = curve.at(m), numbers.frames
        heard = hear(frames, decoded, self.utterance)
        same, is_timit = revision(self.speech, self.utterance + 1), not frames.corpus.is_synthetic
        errors = partial(
            plot_errors,
            numbers.curves,
            measure,
            m,
            against=self.against,
            is_timit=is_timit,
            revision=revision(self.speech, measure, *([self.against] if self.against != AGAINST.default else [])),
        )
        confused = partial(confusions, frames, decoded)
        return (
            Chart(
                "speech-heard",
                partial(plot_heard, heard, revision=same),
                heard.to_frame,
                heard_alt(heard),
                explanation(numbers, curve, m, heard),
            ),
            Chart(
                "speech-errors",
                errors,
                partial(errors_frame, numbers.curves),
                errors_alt(numbers, measure, self.against),
                errors_words(numbers, measure, self.against),
            ),
            Chart(
                "speech-confusions",
                lambda: plot_confusions(confused(), revision=same),
                lambda: confused().reset_index(),
                confusion_alt(curve.label, m),
            ),
        )
