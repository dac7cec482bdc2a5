"""Quick inspection: what random features say about a table."""
