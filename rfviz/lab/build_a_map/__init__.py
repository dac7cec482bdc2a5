"""Build a map: the kernel of one's own function, density or kernel."""
