"""Recovering the order of points along a curve."""

import numpy as np
import pytest

from rfviz.analysis.order import compare_orders, order_along_curve


def horseshoe(n, noise=0.0, seed=0):
    angle = np.linspace(0.0, 1.5 * np.pi, n)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) + noise * np.random.default_rng(seed).standard_normal(
        (n, 2)
    )


def test_a_horseshoe_that_its_first_component_folds_over():
    order = np.random.default_rng(1).permutation(40)
    Z = horseshoe(40)[order]
    recovered = order_along_curve(Z)
    assert (recovered == order).all() or (recovered == 39 - order).all()
    component = Z @ np.linalg.svd(Z - Z.mean(axis=0))[2][0]
    assert abs(np.corrcoef(np.argsort(np.argsort(component)), order)[0, 1]) < 0.95


def test_noise_costs_little():
    assert compare_orders(horseshoe(60, noise=0.03), np.arange(60)).spearman > 0.99


def test_direction_follows_the_given_order():
    result = compare_orders(horseshoe(20), np.arange(20)[::-1])
    assert result.spearman == pytest.approx(1.0)
    assert (result.recovered == np.arange(20)[::-1]).all()
    assert len(result.disagreements()) == 0


def test_swapped_labels_are_found():
    given = np.arange(20.0)
    given[[4, 5]] = given[[5, 4]]
    given[[11, 14]] = given[[14, 11]]
    worst = compare_orders(horseshoe(20), given).disagreements()
    assert set(worst["row"]) == {4, 5, 11, 14}
    assert set(worst["row"][:2]) == {11, 14}


def test_far_groups_and_duplicates_do_not_break_it():
    Z = np.concatenate([np.zeros((5, 2)), 1e6 + np.arange(8.0).reshape(4, 2)])
    assert sorted(order_along_curve(Z)) == list(range(9))
    assert sorted(order_along_curve(np.zeros((6, 2)))) == list(range(6))


def test_two_points_and_a_constant_order():
    assert sorted(order_along_curve(np.array([[1.0, 0.0], [0.0, 0.0]]))) == [0, 1]
    assert np.isnan(compare_orders(horseshoe(5), np.zeros(5)).spearman)
