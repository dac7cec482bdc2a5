"""Widgets that Streamlit does not have, and pictures for them."""
