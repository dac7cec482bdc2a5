"""The page on learning curves: without Streamlit, but for its views."""
