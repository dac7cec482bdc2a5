"""The page on errors in the papers: without Streamlit, but for its views."""
