"""Severity of what is found."""

from typing import Literal

Level = Literal["fault", "note", "info"]

# A fault is certain: a requested effect cannot happen. A note is unusual and may be intended. Info is worth knowing.
ORDER: tuple[Level, ...] = ("fault", "note", "info")
