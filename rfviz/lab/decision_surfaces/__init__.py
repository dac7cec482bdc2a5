"""Decision surfaces: the classes that a linear classifier on random features predicts, everywhere in a plane."""
