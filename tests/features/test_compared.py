"""What a class says of itself for pages: which values are compared, and what images bound."""

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.features import FeatureMap, RandomConvolution, RandomFourier, RandomMaxout, RandomProjection, registry
from rfviz.params import parameter


@pytest.mark.parametrize("cls", registry().values(), ids=registry())
def test_values_that_are_compared_are_legal(cls):
    compared = cls.compared()
    if compared is None:
        return
    assert len(set(compared.compared)) > 1 and compared.sign
    for value in compared.compared:
        assert compared.validate(value) == value


def test_which_parameter_is_compared():
    assert RandomMaxout.compared().name == "pool_size" and RandomMaxout.compared().sign == "q"
    assert RandomFourier.compared().name == "gamma" and RandomFourier.compared().sign == "γ"
    assert RandomProjection.compared() is None


def test_a_map_says_itself_what_is_compared():
    class Another(FeatureMap):
        depth: int = parameter(default=2, kind="int", low=1, symbol="t", compared=(1, 2, 3))

    assert Another.compared() is Another.param("depth") and Another.compared().sign == "t"


@pytest.mark.parametrize(("side", "patch_size", "ends"), [(8, 3, (5, 8, 6)), (4, 4, (4, 4, 1)), (28, 5, (5, 28, 24))])
def test_patches_and_regions_fit_into_the_images(side, patch_size, ends):
    shape, values = (side + 1, side, 3), {"patch_size": patch_size}
    patch, grid = (
        RandomConvolution.for_images(RandomConvolution.param(name), shape, values) for name in ("patch_size", "grid")
    )
    assert (patch.default, patch.high, grid.high) == ends
    X = np.random.default_rng(0).random((3, side * (side + 1) * 3))
    RandomConvolution(2, patch_size=patch_size, grid=grid.high, image_shape=shape).fit(X)
    with pytest.raises(ParameterError, match="grid"):
        RandomConvolution(2, patch_size=patch_size, grid=grid.high + 1, image_shape=shape).fit(X)
    threshold = RandomConvolution.param("threshold")
    assert RandomConvolution.for_images(threshold, shape, values) is threshold
