"""Facts of pages that have no folder yet."""
