"""Notebooks and pages that tests read: those beside the tests, and those that a folder beside the project holds."""

from pathlib import Path

OWN = Path(__file__).parent / "data"
SHARED = Path(__file__).parents[2] / "shared"

OWN_NOTEBOOKS = sorted(OWN.glob("*.ipynb"))
NOTEBOOKS = [*OWN_NOTEBOOKS, *sorted(SHARED.glob("seeds/*.ipynb"))]
PAGES = [*sorted(OWN.glob("*.txt")), *sorted(SHARED.glob("seeds/raw/*.txt"))]
PROGRAMS = [*NOTEBOOKS, *sorted(SHARED.glob("benign/*.py"))]


def notebook_of(page: Path) -> Path:
    """The notebook that a page shows."""
    return next(path for path in NOTEBOOKS if path.stem == page.stem)
