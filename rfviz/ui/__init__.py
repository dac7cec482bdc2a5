"""The laboratory in the browser: controls, charts and pages on Streamlit."""
