"""Cases of a parametrized test of which the default command leaves out some: `-m thorough` runs those."""

from collections.abc import Iterable

import pytest


def with_thorough(cases: Iterable, heavy: Iterable[str]) -> list:
    """Return the cases, heavy ones marked thorough. The first line of a case is its name."""
    heavy = frozenset(heavy)
    named = [(case, case.partition("\n")[0]) for case in cases]
    return [pytest.param(case, id=name, marks=[pytest.mark.thorough] if name in heavy else ()) for case, name in named]
