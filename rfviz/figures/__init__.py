"""What pages draw: Plotly figures of results that are computed, in one style."""
