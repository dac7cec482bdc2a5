"""Your machine: how fast the feature maps are here."""
