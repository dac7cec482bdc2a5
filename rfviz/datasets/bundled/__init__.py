"""Data sets that come with rfviz or with scikit-learn, each in a module with a ``SPEC``; they need no network."""
