"""A quick inspection of a table: what is odd in it, what repeats, and what can be learnt from it."""
