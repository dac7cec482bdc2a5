"""Data sets that are generated, each in a module with a ``SPEC``."""
