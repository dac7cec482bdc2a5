"""Guarantees: bounds on kernel estimates and on learning, compared with measurements."""
