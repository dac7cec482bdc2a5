"""Texts of the page on speech."""

from __future__ import annotations

from rfviz.datasets.speech import Corpus

__all__ = ["METHOD", "NUMBERS", "PAPER", "SYNTHETIC", "provenance"]

SYNTHETIC = "**This speech is synthetic**: a computer speaks it. Its errors are not those of TIMIT."
NUMBERS = (
    "Phone error: substitutions, deletions and insertions over true phones, in per cent. Frame error: share of frames "
    "whose most likely phone is wrong. Projections: the random ones that m features are made of, m·q of maxout, all of "
    "a shared pool that has fewer, one for a cosine and a sine. Of several draws: mean and standard deviation (s.d.)."
)

METHOD = r"""
**Frames.** Every 10 ms a frame has the logarithms of the energy in 40 mel bands, from a window of 25 ms. They have mean
0 and variance 1 for each speaker and band. Five frames before and after are added: $d=11\times40=440$.

**Learning.** Each phone has three states, which divide its time equally. Multinomial logistic regression on random
features $\Phi(x)$ learns the state of each frame by stochastic gradient descent (AdaGrad). All $m$ share the features:
fewer are the first of more. The raw features are learnt in the same way.

**Decoding.** The likelihood of a frame in a state is its posterior over the state’s share of all frames (Bayes). A
phone goes through its three states from left to right; which phone follows which is a bigram, counted in the training
utterances. Viterbi’s algorithm finds the most likely path.

**Error.** True and decoded phones are folded to 39 (Lee and Hon, 1989): closures and pauses are one silence, and the
glottal stop is left out. The phone error is the edit distance over the number of true phones. Speakers of test
utterances are in no training utterance.

**What differs from the paper.** It has fMLLR features, which adapt to each speaker, where this page has log-mel bands;
147 states aligned by another recogniser, where here time is divided equally; some 2 million frames of TIMIT. Synthetic
speech has other sentences and voices, so that its errors are compared with each other and not with the paper’s.

**TIMIT** appears in the menu where the data folder (`RFVIZ_DATA`) has a folder whose name begins with `timit`: the full
corpus, or the sample of 160 utterances that NLTK distributes.
"""

PAPER = """
Phone error on TIMIT’s core test set, in per cent (Mroueh, Rennie, Goel 2015, Table 2: mean ± standard deviation of five
seeds). The raw features have an error of 33.1 ± 0.1%. q = 4 is best for every m.

| m | q = 2 | q = 4 | q = 8 | q = 16 |
|---:|---:|---:|---:|---:|
| 1,250 | 24.7 ± 0.2 | 24.4 ± 0.2 | 25.6 ± 0.2 | 26.0 ± 0.2 |
| 2,500 | 24.0 ± 0.2 | 23.3 ± 0.3 | 24.7 ± 0.2 | 25.3 ± 0.3 |
| 5,000 | 23.5 ± 0.1 | 22.9 ± 0.2 | 24.7 ± 0.2 | 24.7 ± 0.4 |
| 10,000 | 23.2 ± 0.1 | 22.5 ± 0.2 | 24.5 ± 0.2 | 24.7 ± 0.4 |
| 20,000 | 23.1 ± 0.1 | 22.3 ± 0.2 | 24.3 ± 0.2 | 24.5 ± 0.2 |

Table 3: features that share projections.

| features | m | projections | phone error |
|---|---:|---:|---:|
| maxout, q = 4 | 15,000 | 15,000 | 23.1 |
| maxout, q = 4 | 60,000 | 15,000 | 22.7 |
| maxout, q = 4 | 60,000 | 60,000 | 22.8 |
| maxout, q = 4 | 400,000 | 15,000 | 22.4 |
| maxout, q = 4 | 300,000 | 300,000 | 22.1 |
| Fourier | 400,000 | 400,000 | 21.3 |
| ReLU network | | | 22.7 |
| ReLU network, dropout | | | 19.7 |
"""


def provenance(corpus: Corpus) -> str:
    """Return where the speech comes from, and that it is synthetic where it is."""
    return f"{SYNTHETIC} {corpus.provenance}" if corpus.is_synthetic else corpus.provenance
