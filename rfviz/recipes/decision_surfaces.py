"""Decision surfaces: what a classifier on m random features would say, everywhere in a plane."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from rfviz import datasets
from rfviz.analysis.accuracy import LOSS
from rfviz.analysis.creases import scheme_creases
from rfviz.analysis.decision_surface import (
    SchemeSurfaces,
    Surface,
    grid_of,
    scheme_surfaces,
    takes_constant,
    with_constant,
)
from rfviz.analysis.mapping import settled
from rfviz.analysis.plane import plane_of
from rfviz.analysis.progress import Progress
from rfviz.analysis.splits import make_split
from rfviz.analysis.svm_surface import svm_surface
from rfviz.errors import DataError
from rfviz.features import RandomFourier, map_class, registry
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param
from rfviz.recipes import surface_text as text
from rfviz.recipes.base import Bench, Chart, Keeper, MapOn, Recipe
from rfviz.recipes.own_points import CLASS, OWN_PLANE, POINTS, own_split
from rfviz.recipes.surface_pictures import PANELS, Ground, Picture, picture_chart
from rfviz.recipes.surface_script import script_of

__all__ = ["RECIPE", "Outcome", "Settings", "Source", "map_picture", "words"]

FEATURES = "The map’s first m features. Every m is ready: drag, and watch the surface settle."
CREASES = Param("creases", 0, "int", 0, 20, log=True, marks=(0, 1, 2, 3, 5, 8, 12, 20), label="Creases of",
                help="Draw where the first features bend, jump or change their sign; 0 draws none.")  # fmt: skip
CONSTANT = Param("constant", True, "bool", label="Constant input",
                 help="Put a 1 beside the inputs, so that projections have an offset.")  # fmt: skip
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")
PENALTY = Param("C", 10.0, "float", 0.001, 1e6, log=True, marks=(0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
                label="C of SVMs",
                help="The price of an error for both SVMs: larger fits the training points better.")  # fmt: skip
SVM_GAMMA = Param("svm_gamma", "scale", "float", 0.0, 1e6, open_low=True, choices=("scale",), log=True, ui_low=0.01,
                  ui_high=100.0, symbol=r"\gamma", label="SVM’s gamma",
                  help="Of the exact RBF-SVM, whose kernel these features do not estimate.")  # fmt: skip
SCALING = Param("normalise", "none", "choice", choices=("none", "standardise"), label="Normalise",
                help="Standardise gives each column mean 0 and variance 1.")  # fmt: skip
POINTS_FROM = {"data": "Data set", "own": "My own"}
UNLABELLED = ("circle", "sphere", "turning_head", "photo_patches")
COMMON = {"points_from": "data", "loss": "ridge", "C": 10.0, "normalise": "none", "seed": 0, "creases": 0}
FOURIER = COMMON | {"scheme": "RandomFourier", "gamma": "scale"}
SPIRALS = FOURIER | {"data": "spirals", "n_components": 50, "data.n_samples": 600, "data.n_classes": 2,
                     "data.rotations": 1.5, "data.noise": 0.04, "data.random_state": 0}  # fmt: skip
DIGITS = FOURIER | {"data": "digits", "n_components": 500}
RINGS = COMMON | {"data": "circles", "scheme": "RandomProjection", "n_components": 1000, "data.n_samples": 400,
                  "data.n_classes": 2, "data.noise": 0.08, "data.random_state": 0, "constant": True}  # fmt: skip
FACETS = COMMON | {"data": "moons", "scheme": "RandomMaxout", "pool_size": 4, "n_components": 50, "creases": 3,
                   "data.n_samples": 400, "data.noise": 0.15, "data.random_state": 0, "constant": True}  # fmt: skip
# Parameters without a control here: the first has one of its own, the others show in no picture of a plane.
_LEFT_OUT = ("n_components", "dtype", "receptive_field", "image_shape")


@dataclass(frozen=True, eq=False)
class Source(ScaledData):
    """The data and how their columns are scaled, the loss, and C of the support vector machines."""

    loss: str
    penalty: float


@dataclass(frozen=True, eq=False)
class Settings:
    """The map whose surface is drawn.

    Attributes
    ----------
    scheme : str
        Class name.
    setting : dict
        Its keyword arguments but for the number of features.
    m : int
        Of its first features.
    constant : bool
        Whether a 1 stands beside the inputs.
    gamma : float or "scale"
        Of the exact RBF-SVM, where the features do not say it.
    creases : int
        Of how many features.
    points : list of str or None
        The reader's own, as ``x/y/class``; None for those of the data.
    """

    scheme: str
    setting: dict[str, Any]
    m: int
    constant: bool
    gamma: float | str
    creases: int
    points: list[str] | None = None

    @property
    def label(self) -> str:
        return registry()[self.scheme].label

    @property
    def shares_gamma(self) -> bool:
        """Whether the features estimate the very kernel of the RBF-SVM."""
        return map_class(self.scheme)(**self.setting).estimates_gaussian


@dataclass(frozen=True, eq=False)
class Outcome:
    """The surfaces of the map for every m, those of both support vector machines, and what all of them learnt from."""

    ground: Ground
    own: SchemeSurfaces
    pictures: tuple[Picture, Picture, Picture] = field(repr=False)

    @property
    def rbf(self) -> Surface:
        """What the exact RBF-SVM says."""
        return self.pictures[1].surface


class DecisionSurfaces(Recipe[Source, Settings, Outcome]):
    """A classifier on random features beside two support vector machines, in one plane."""

    slug = "decision-surfaces"
    presets: ClassVar = {
        "Two spirals": ("600 points on two arms, 50 Fourier features.", SPIRALS),
        "The digits’ plane": ("A slice through the space of digits, along two principal components.", DIGITS),
        "Linear features cannot": ("1000 linear features of two rings.", RINGS),
        "Facets of maxout": ("Two moons, and the creases of three features.", FACETS),
    }

    def source(self, panel: Panel) -> Source:
        data = panel.data("spirals", [name for name in datasets.names() if name not in UNLABELLED])
        return Source(data, panel.control(SCALING), panel.control(LOSS), panel.control(PENALTY))

    def settings(self, panel: Panel, source: Source) -> Settings:
        with panel.section("controls"):
            own = panel.choice("points_from", list(POINTS_FROM), "data", "Points", "Those of the data set in the "
                               "sidebar, or points that you click into the plane.", POINTS_FROM) == "own"  # fmt: skip
            scheme, setting = _choose_scheme(panel)
            grid = grid_of(scheme)
            m = panel.control(Param("n_components", 50, "int", grid[0], grid[-1], log=True, marks=grid, symbol="m",
                                    label="Features", help=FEATURES))  # fmt: skip
            setting["random_state"] = panel.control(SEED)
            constant = takes_constant(scheme) and panel.control(CONSTANT)
            found = Settings(scheme, setting, m, constant, "scale", 0)
            gamma = "scale" if found.shares_gamma else panel.control(SVM_GAMMA)
            creases = panel.control(CREASES)
        points = panel.ask(POINTS) if own else None
        if own:
            panel.ask(CLASS)
        return replace(found, gamma=gamma, creases=creases, points=points)

    def ground(self, source: Source, settings: Settings, keeper: Keeper) -> Ground:
        """What is learnt from, and where it is asked."""
        if settings.points is not None:
            key = ("own", tuple(settings.points))
            return Ground(own_split(settings.points), OWN_PLANE, key, ("x", "y"), True)
        dataset, key = source.data.dataset, (source.data.key, source.normalise)

        def make() -> Ground:
            split = make_split(dataset, source.normalise)
            plane = plane_of(split.X_train)
            names = dataset.feature_names if len(dataset.feature_names) == 2 else ("x", "y")
            axes = ("first principal component", "second principal component") if plane.is_slice else tuple(names)
            return Ground(split, plane, key, axes, False)

        return keeper.kept("surface bench", key, make, most=6)

    def run(self, source: Source, settings: Settings, keeper: Keeper) -> Outcome:
        ground = self.ground(source, settings, keeper)
        if not ground.is_ready:
            raise DataError(text.TOO_FEW)
        split, plane, scheme, setting = ground.split, ground.plane, settings.scheme, settings.setting
        key = (ground.key, _chosen(source, settings))
        own = keeper.watched(
            "surfaces", key,
            lambda progress: scheme_surfaces(split, plane, scheme, setting, loss=source.loss,
                                             constant=settings.constant, progress=progress),
            most=10,
        )  # fmt: skip
        svms = _machines(source, settings, ground, own, keeper)
        first = map_picture(source, settings, ground, own.at(settings.m), keeper)
        return Outcome(ground, own, (first, *svms))

    def charts(self, source: Source, settings: Settings, result: Outcome) -> tuple[Chart, ...]:
        first, *others = (picture_chart(result.ground, picture) for picture in result.pictures)
        return (replace(first, words=words(source, settings, result)), *others)

    def script(self, source: Source, settings: Settings) -> str:
        trained = {"scheme": settings.scheme, "setting": settings.setting, "m": settings.m, "loss": source.loss,
                   "constant": settings.constant, "penalty": source.penalty, "creases": settings.creases,
                   "gamma": None if settings.shares_gamma else settings.gamma}  # fmt: skip
        axes = self.ground(source, settings, Bench()).axes
        return script_of(source.data, source.normalise, settings.points, trained, axes)

    def maps(self, source: Source, settings: Settings) -> tuple[MapOn, ...]:
        ground = self.ground(source, settings, Bench())
        if not ground.is_ready:
            return ()
        X, cls = ground.split.X_train, registry()[settings.scheme]
        setting = settled(cls, settings.setting, X) | {"n_components": settings.m}
        return (MapOn(settings.label, cls(**setting), with_constant(X) if settings.constant else X),)


def map_picture(source: Source, settings: Settings, ground: Ground, surface: Surface, keeper: Keeper) -> Picture:
    """The first panel: a surface of the map, with its creases."""
    chosen, count, creases = _chosen(source, settings), settings.creases, None
    if count:
        compute = lambda: scheme_creases(  # noqa: E731
            ground.split, ground.plane, settings.scheme, settings.setting, count, constant=settings.constant
        )
        creases = keeper.kept("creases", (ground.key, chosen, count), compute, most=24)
    key = (ground.key, chosen, settings.m, count)
    return Picture(PANELS[0], settings.label, surface, key, f"m = {settings.m:,}", creases)


def _chosen(source: Source, settings: Settings) -> tuple:
    """What the surfaces of the map depend on beside the points."""
    return settings.scheme, tuple(sorted(settings.setting.items())), source.loss, settings.constant


def _choose_scheme(panel: Panel) -> tuple[str, dict[str, Any]]:
    """Scheme and settings, but for the number of features, which has a slider of its own."""
    schemes = registry()
    titles = {name: scheme.label for name, scheme in schemes.items()}
    scheme = panel.choice("scheme", list(schemes), "RandomFourier", "Map", "Which feature map.", titles)
    setting: dict[str, Any] = {}
    for param in schemes[scheme].params:
        if param.name not in _LEFT_OUT and param.applies(setting):
            setting[param.name] = panel.control(param)
    return scheme, setting


def _machines(source: Source, settings: Settings, ground: Ground, own: SchemeSurfaces, keeper: Keeper) -> list[Picture]:
    """The two support vector machines; the first has the scheme's gamma where the kernel is the same."""
    if settings.shares_gamma:
        width = float(own.gamma or 1.0)
    else:
        X, gamma = ground.split.X_train, settings.gamma
        width = keeper.kept(
            "surface width", (ground.key, gamma), lambda: settled(RandomFourier, {"gamma": gamma}, X)["gamma"]
        )
    pictures = []
    for name, kernel, title in zip(PANELS[1:], ("rbf", "linear"), ("Exact RBF-SVM", "Linear SVM"), strict=True):
        key = (ground.key, kernel, source.penalty, width if kernel == "rbf" else 0.0)

        def make(progress: Progress, kernel: str = kernel) -> Surface:
            return svm_surface(ground.split, ground.plane, kernel, source.penalty, width, progress=progress)

        surface = keeper.watched("svm surface", key, make, most=24)
        pictures.append(Picture(name, title, surface, key, f"γ = {width:.3g}" if kernel == "rbf" else ""))
    return pictures


def words(source: Source, settings: Settings, result: Outcome) -> str:
    """What one sees in the three pictures together."""
    split, plane = result.ground.split, result.ground.plane
    _, rbf, linear = (picture.surface for picture in result.pictures)
    sizes = len(split.X_train), len(split.X_test)
    parts = [
        text.explanation(result.own, settings.m, source.loss, rbf, linear, *sizes),
        text.slice_text(plane) if plane.is_slice else "",
        text.crease_words(settings.scheme, settings.setting, settings.creases),
    ]
    return "\n\n".join(part for part in parts if part)


RECIPE = DecisionSurfaces()
