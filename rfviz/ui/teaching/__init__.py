"""What a lecturer needs on every page: the presenter’s view, hidden parts, lessons, and links for students."""
