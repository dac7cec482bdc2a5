"""TIMIT's trees and sound files, and what is wrong with those that cannot be used."""

import re

import numpy as np
import pytest
from scipy.io import wavfile

from rfviz import datasets
from rfviz.datasets import speech
from rfviz.errors import DataError

PHN = "0 2000 h#\n2000 4000 sh\n4000 4800 q\n4800 8000 iy\n"
SOUND = (np.sin(np.arange(8000) / 20) * 8000).astype(np.int16)


def sphere(samples, rate=16000, coding="pcm", channels=1, order="01"):
    fields = {
        "sample_count -i": len(samples) // channels,
        "sample_n_bytes -i": 2,
        "channel_count -i": channels,
        f"sample_byte_format -s{len(order)}": order,
        "sample_rate -i": rate,
        f"sample_coding -s{len(coding)}": coding,
    }
    head = "NIST_1A\n   1024\n" + "".join(f"{name} {value}\n" for name, value in fields.items()) + "end_head\n"
    return head.encode().ljust(1024) + samples.astype("<i2" if order == "01" else ">i2").tobytes()


def put(root, name, sound=SOUND, phn=PHN, rate=16000, capitals=False):
    """Write an utterance: sound as RIFF where it is an array, else these bytes."""
    path = root / (name.upper() if capitals else name)
    path.parent.mkdir(parents=True, exist_ok=True)
    ending = str.upper if capitals else str
    if isinstance(sound, bytes):
        path.with_suffix(ending(".wav")).write_bytes(sound)
    else:
        wavfile.write(path.with_suffix(ending(".wav")), rate, sound)
    if phn is not None:
        path.with_suffix(ending(".phn")).write_text(phn)


def sample(root, **one):
    """Write a tree like NLTK's, of two speakers; the first utterance as it is described."""
    put(root, "dr1-fvmh0/si1", **one)
    put(root, "dr2-mpgr0/sx2")
    return root


def test_the_sample_of_nltk_holds_out_every_fourth_speaker(tmp_path):
    for number in range(8):
        for sentence in ("sa1", "si1", "sx2"):
            put(tmp_path, f"dr{number + 1}-f{'abcdefgh'[number]}aa0/{sentence}")
    corpus = speech.read_timit(tmp_path)
    assert [{one.speaker for one in part} for part in (corpus.train, corpus.test)] == [
        {f"f{letter}aa0" for letter in "abcefg"},
        {"fdaa0", "fhaa0"},
    ]
    assert len(corpus.train) == 12  # without the sentence that everybody reads
    one = corpus.train[0]
    assert one.phones == ("h#", "sh", "q", "iy") and one.ends.tolist() == [2000, 4000, 4800, 8000]
    np.testing.assert_allclose(one.samples, SOUND / 32768, atol=1e-6)
    few = speech.read_timit(tmp_path, max_train=4)
    assert [one.speaker for one in few.train] == ["faaa0", "fbaa0", "feaa0", "fgaa0"] and len(few.test) == 4
    assert not corpus.is_synthetic and "12 utterances of 6 speakers" in corpus.provenance


def test_the_full_corpus_has_its_core_test_set(tmp_path):
    for place in ("train/dr1/fcjf0", "test/dr1/felc0", "test/dr1/faks0"):
        put(tmp_path, f"{place}/si1", sound=sphere(SOUND), capitals=True)
    corpus = speech.read_timit(tmp_path)
    assert [one.speaker for one in corpus.train] == ["fcjf0"]
    assert [one.speaker for one in corpus.test] == ["felc0"]  # the other one is not in the core set
    assert len(speech.CORE_TEST) == 24 and "the full corpus" in corpus.provenance


def test_without_the_core_set_all_of_test_is_held_out(tmp_path):
    put(tmp_path, "TRAIN/DR1/FCJF0/si1")
    put(tmp_path, "TEST/DR1/FAKS0/si1")
    assert [one.speaker for one in speech.read_timit(tmp_path).test] == ["faks0"]


@pytest.mark.parametrize("order", ["01", "10"])
def test_sphere_and_riff_hold_the_same_sound(tmp_path, order):
    corpus = speech.read_timit(sample(tmp_path, sound=sphere(SOUND, order=order)))
    np.testing.assert_array_equal(corpus.train[0].samples, corpus.test[0].samples)


def test_another_rate_is_resampled_with_its_phones(tmp_path):
    tone = (np.sin(2 * np.pi * 300 * np.arange(4000) / 8000) * 8000).astype(np.int16)
    one = speech.read_timit(sample(tmp_path, sound=tone, rate=8000, phn="0 1000 h#\n1000 4000 iy\n")).train[0]
    assert len(one.samples) == 8000 and one.starts.tolist() == [0, 2000] and one.ends.tolist() == [2000, 8000]
    expected = np.sin(2 * np.pi * 300 * np.arange(8000) / 16000) * 8000 / 32768
    np.testing.assert_allclose(one.samples[500:-500], expected[500:-500], atol=2e-3)


def test_bytes_and_fractions_are_sound_too(tmp_path):
    for number, sound in enumerate([(SOUND / 256 + 128).astype(np.uint8), (SOUND / 32768).astype(np.float32)]):
        corpus = speech.read_timit(sample(tmp_path / str(number), sound=sound))
        np.testing.assert_allclose(corpus.train[0].samples, corpus.test[0].samples, atol=1 / 128)


STEREO = np.stack([SOUND, SOUND], axis=1)
BAD = {
    "no labels": ({"phn": None}, "dr1-fvmh0/si1.wav has no phones: si1.phn is missing next to it. Add it"),
    "empty labels": ({"phn": "\n"}, "has no phones: its labels are empty"),
    "unknown phone": ({"phn": "0 9 xyz\n"}, "has the phone 'xyz', which is none of TIMIT's 61"),
    "not a line": ({"phn": "0 2000\n"}, "line 1, is '0 2000'; it must hold first sample, last sample, phone"),
    "no number": ({"phn": "0 x h#\n"}, "line 1, is '0 x h#'"),
    "overlap": ({"phn": "0 2000 h#\n1000 3000 iy\n"}, "phone 2, iy, lasts from 1000 to 3000. Each must begin where"),
    "backwards": ({"phn": "2000 1000 h#\n"}, "phone 1, h#, lasts from 2000 to 1000"),
    "beyond the end": ({"phn": "0 8000 h#\n9000 9100 iy\n"}, "phone 2, iy, lasts from 8000 to 8000"),
    "stereo": ({"sound": STEREO}, "has 2 channels, and speech must have one. Mix them to mono"),
    "stereo SPHERE": ({"sound": sphere(STEREO.reshape(-1), channels=2)}, "has 2 channels"),
    "slow": ({"rate": 4000}, "has 4,000 samples a second; from 8,000 to 96,000 can be used"),
    "empty": ({"sound": SOUND[:0]}, "holds 0 samples of sound; the shortest utterance has 480"),
    "short": ({"sound": SOUND[:99], "phn": "0 99 h#"}, "holds 99 samples of sound"),
    "no sound": ({"sound": b"<html>"}, "is no sound that can be read: it is neither RIFF WAV of PCM nor SPHERE"),
    "nothing": ({"sound": b""}, "is no sound that can be read"),
    "shorten": ({"sound": sphere(SOUND, coding="pcm,embedded-shorten-v2.00")}, "is compressed (pcm,embedded-shorten"),
    "cut off": ({"sound": sphere(SOUND)[:-10]}, "ends after 15,990 of 16,000 bytes of sound"),
    "torn header": ({"sound": b"NIST_1A\n   1024\n"}, "has a SPHERE header that cannot be read"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used_is_refused_in_a_sentence(tmp_path, case):
    written, words = BAD[case]
    with pytest.raises(DataError, match=re.escape(words)) as error:
        speech.read_timit(sample(tmp_path, **written))
    assert str(error.value).startswith("dr1-fvmh0/si1") and str(tmp_path) not in str(error.value)


def test_a_tree_without_utterances_or_of_one_speaker_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"holds no utterances of TIMIT\. It needs \.wav files"):
        speech.read_timit(tmp_path)
    put(tmp_path, "dr1-fvmh0/si1")
    with pytest.raises(DataError, match=r"TIMIT has no utterances to test on\. It needs two speakers or more"):
        speech.read_timit(tmp_path)


def test_timit_is_found_in_the_data_folder(tmp_path):
    try:
        datasets.set_folder(tmp_path)
        assert speech.find_timit() is None
        sample(tmp_path / "TIMIT_sample")
        assert speech.find_timit() == (tmp_path / "TIMIT_sample").resolve()
    finally:
        datasets.set_folder(None)


def test_phones_are_folded_as_lee_and_hon_do():
    assert speech.fold(["h#", "sh", "q", "ix", "kcl", "k", "ax-h", "zh", "ao", "epi", "nx", "el", "ux", "eng"]) == [
        "sil",
        "sh",
        "ih",
        "sil",
        "k",
        "ah",
        "sh",
        "aa",
        "sil",
        "n",
        "l",
        "uw",
        "ng",
    ]
    folded = [speech.fold_48(phone) for phone in speech.TIMIT_PHONES]
    assert folded.count(None) == 1 and {phone for phone in folded if phone} == set(speech.PHONES_48)
    assert speech.fold(speech.PHONES_39) == list(speech.PHONES_39)  # folded once is folded
