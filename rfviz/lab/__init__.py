"""The laboratory without its browser: the framework of the pages, and a folder for each page.

A page (:class:`rfviz.lab.page.Page`) asks a panel for its settings. In the browser the panel draws widgets; a
:class:`~rfviz.lab.preset.Preset` answers from names and values, those of the page's address. One set of declarations
says what is legal, wherever the values come from.
"""
