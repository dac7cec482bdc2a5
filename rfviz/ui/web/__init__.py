"""The web server around Streamlit: routes, headers, caches and start-up."""
