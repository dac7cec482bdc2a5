"""The laboratory as a folder of web pages that need neither a server nor an installation."""

from rfviz.site.build import Built, write_site

__all__ = ["Built", "write_site"]
