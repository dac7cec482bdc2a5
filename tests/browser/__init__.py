"""Tests that drive a real browser against a running app."""
