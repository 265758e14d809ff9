"""The style sheets of drawings: the tokens, and one file per subject. Rules and colours only, no pictures."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def sheet(name: str) -> str:
    """The text of one sheet, such as "tokens"."""
    return (FOLDER / f"{name}.css").read_text(encoding="utf-8")
