"""Theme colours for plotly, which draws on a canvas without style sheets."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Paints:
    """The tokens a plot needs.

    Attributes:
        ink, quiet, line, grid: text and first curve, labels, axes, grid.
        curves: of curves whose colour the program leaves open; the gradient's hues are not among them.
        named: for colours that the program names.
        scale: of matrices and heights, from low to high.
    """

    ink: str
    quiet: str
    line: str
    grid: str
    curves: tuple[str, ...]
    named: dict[str, str]
    scale: tuple[tuple[float, str], ...]


_LIGHT = Paints(
    ink="#1a212b",
    quiet="#545f6e",
    line="#7f8b9a",
    grid="#e8ecf0",
    curves=("#1a212b", "#6b3fa0", "#2c6e49", "#8a5a00", "#647080"),
    named={
        **{"blue": "#1f66ad", "green": "#2c6e49", "red": "#b42318", "cyan": "#0a7568", "magenta": "#b0179f"},
        **{"yellow": "#8a5a00", "black": "#1a212b", "white": "#ffffff", "orange": "#ab5509", "purple": "#6b3fa0"},
        **{"gray": "#647080", "grey": "#647080"},
    },
    scale=((0.0, "#f5f7f9"), (1.0, "#1a212b")),
)
_DARK = Paints(
    ink="#e9edf2",
    quiet="#a3aebb",
    line="#667282",
    grid="#222a34",
    curves=("#e9edf2", "#c4a1f5", "#8fd3ac", "#e7b75a", "#8a95a3"),
    named={
        **{"blue": "#7db6f0", "green": "#8fd3ac", "red": "#ff8a7a", "cyan": "#45c8b4", "magenta": "#f08be0"},
        **{"yellow": "#e7b75a", "black": "#e9edf2", "white": "#0e1217", "orange": "#f0a155", "purple": "#c4a1f5"},
        **{"gray": "#8a95a3", "grey": "#8a95a3"},
    },
    scale=((0.0, "#151a21"), (1.0, "#e9edf2")),
)


def paints(dark: bool) -> Paints:
    """The tokens of a theme."""
    return _DARK if dark else _LIGHT
