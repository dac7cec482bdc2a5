"""The zoo: every feature map on the same plane."""
