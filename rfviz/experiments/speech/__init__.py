"""Phones of speakers that were never heard, from random features: Tables 2 and 3 of the random maxout paper."""

from rfviz.experiments.speech.compute import SpeechSource
from rfviz.experiments.speech.experiment import Speech

__all__ = ["Speech", "SpeechSource"]
