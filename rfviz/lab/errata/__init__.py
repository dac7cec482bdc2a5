"""The page on what is wrong in the papers: without Streamlit, but for its views."""
