"""The computations of pages: pure functions of data and settings, without a user interface."""
