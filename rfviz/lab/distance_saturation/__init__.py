"""Distance saturation: Figure 1 of the random maxout paper."""
