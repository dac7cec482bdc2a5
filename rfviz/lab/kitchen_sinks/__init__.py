"""Kitchen sinks: random features compared with AdaBoost, which chooses each of its own."""
