"""A place on the page to draw into: the type of Streamlit's containers."""

from streamlit.delta_generator import DeltaGenerator as Place

__all__ = ["Place"]
