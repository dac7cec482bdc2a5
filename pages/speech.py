"""Speech: which phones a voice says that was never heard before, from random features of its sound."""

from rfviz.lab.speech.page import PAGE
from rfviz.lab.speech.views import SpeechView
from rfviz.ui.page import show

show(PAGE, SpeechView)
