"""A quick inspection of a table: its oddities, its repetitions, and how well its label can be predicted."""
