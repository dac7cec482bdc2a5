"""What pages compute: pure functions of data and settings, without a user interface."""
