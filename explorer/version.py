"""The version of this package. `pyproject.toml` and the command line read it here."""

__version__ = "0.7.0.dev0"
