"""Data that a user brings: the dialog, the menu entry, and their life within a session."""
