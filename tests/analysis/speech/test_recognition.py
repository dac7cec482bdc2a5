"""Phones of held-out voices: errors that follow from what was decoded, nested maps, and the baseline."""

import numpy as np
import pytest

from rfviz.analysis.speech import edit_distance, prepare_frames, recognise, recognise_raw
from rfviz.analysis.speech.decoding import runs_of_phones
from rfviz.datasets import speech
from rfviz.features import MapSpec, RandomMaxout, SharedPoolMaxout


@pytest.fixture(scope="module")
def frames():
    pytest.importorskip("espeakng_loader")
    return prepare_frames(speech.speak(8, 2))


@pytest.fixture(scope="module")
def maxout(frames):
    return recognise(frames, MapSpec(RandomMaxout, pool_size=2, random_state=0), (30, 200), epochs=5)


def test_errors_follow_from_the_decoded_paths(frames, maxout):
    one = maxout.decoded[1]
    wrong, total = 0, 0
    for path, utterance in zip(one.paths, frames.corpus.test, strict=True):
        true = speech.fold(utterance.phones)
        found = speech.fold(frames.phones[k] for k in runs_of_phones(path)[0])
        wrong, total = wrong + edit_distance(found, true), total + len(true)
    assert one.phone_error == wrong / total
    assert maxout.to_frame()["phone error %"].tolist()[1] == pytest.approx(100 * wrong / total)
    assert sum(map(len, one.paths)) == len(frames.X_test) == len(one.phone_posteriors)
    np.testing.assert_allclose(one.phone_posteriors.sum(axis=1), 1.0, atol=1e-4)


def test_more_features_make_fewer_errors_and_far_fewer_than_guessing(frames, maxout):
    few, many = maxout.decoded
    assert many.frame_error < few.frame_error < 0.75 and many.phone_error < 0.6
    shuffled = np.random.default_rng(0).permutation(frames.y_test)
    assert (shuffled // 3 != frames.y_test // 3).mean() > 0.85


def test_few_features_are_the_first_of_many(frames, maxout):
    alone = recognise(frames, MapSpec(RandomMaxout, pool_size=2, random_state=0), (30,), epochs=5)
    assert alone.decoded[0].frame_error == pytest.approx(maxout.decoded[0].frame_error, abs=0.005)


def test_raw_features_and_shared_pools_are_decoded_alike(frames):
    raw = recognise_raw(frames, epochs=5)
    spec = MapSpec(SharedPoolMaxout, pool_size=2, n_projections=100, random_state=0)
    shared = recognise(frames, spec, (100,), epochs=5)
    assert raw.m_grid == (440,) and raw.decoded[0].phone_error < 0.6 and shared.decoded[0].phone_error < 0.7
    assert raw.decoded[0].lengths.tolist() == shared.decoded[0].lengths.tolist()
