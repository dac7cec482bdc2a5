"""The charts of pages: Plotly figures of computed results, in one style."""
