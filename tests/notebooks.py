"""Notebooks and pages that tests read."""

from pathlib import Path

OWN = Path(__file__).parent / "data"

NOTEBOOKS = sorted(OWN.glob("*.ipynb"))
PAGES = sorted(OWN.glob("*.txt"))


def notebook_of(page: Path) -> Path:
    """The notebook that a page shows."""
    return next(path for path in NOTEBOOKS if path.stem == page.stem)
