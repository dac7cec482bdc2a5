"""Seeded faults: each is put into a copy of the code, and the tests named next to it must fail."""
