"""The style sheets of drawings: the tokens, and one file per subject.

Belongs here: rules and colours of what `drawing` makes. Does not belong here: sheets of Streamlit's widgets and of
pages (ui), pictures.
"""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def sheet(name: str) -> str:
    """Return the text of one sheet, such as "tokens"."""
    return (FOLDER / f"{name}.css").read_text(encoding="utf-8")


def themes() -> tuple[str, str, str]:
    """Return the token sheet in three parts: light theme, dark declarations, and the rest."""
    light, dark = sheet("tokens").split('[data-theme="dark"] {')
    return light, *dark.split("}", 1)  # type: ignore[return-value]
