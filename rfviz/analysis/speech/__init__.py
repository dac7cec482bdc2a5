"""Recognition of phones: frames, hidden Markov models of phones, and the error by edit distance."""

from rfviz.analysis.speech.decoding import PhoneModel, edit_distance, learn_phone_model, runs_of_phones, viterbi
from rfviz.analysis.speech.frames import CONTEXT, N_BANDS, STATES, SpeechFrames, log_mel, mel_matrix, prepare_frames
from rfviz.analysis.speech.recognition import RAW, Decoded, Recognition, difference, recognise, recognise_raw

__all__ = [
    "CONTEXT",
    "N_BANDS",
    "RAW",
    "STATES",
    "Decoded",
    "PhoneModel",
    "Recognition",
    "SpeechFrames",
    "difference",
    "edit_distance",
    "learn_phone_model",
    "log_mel",
    "mel_matrix",
    "prepare_frames",
    "recognise",
    "recognise_raw",
    "runs_of_phones",
    "viterbi",
]
