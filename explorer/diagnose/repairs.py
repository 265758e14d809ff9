"""Changes worth running, by kind: text out of the places that the Trace names. Whether one mends, running it shows.

Each function is given a diagnosis and gives whole texts of its cell, the best first; nothing where no change is near.
"""

from collections.abc import Callable, Iterator

from explorer.diagnose import functions, training, ways
from explorer.diagnose.facts import Facts
from explorer.diagnose.finding import Finding, Repair

MOST = 3  # changes of one diagnosis that are worth running
LONGEST = 100_000  # characters of a cell that is changed

Change = Callable[[Facts, Finding], Iterator[str | None]]
CHANGES: dict[str, Change] = {**training.CHANGES, **ways.CHANGES, **functions.CHANGES}


def repairs(facts: Facts, found: Finding) -> tuple[Repair, ...]:
    """Changes of the cell that a diagnosis names, each another text, none of them known to mend."""
    source = facts.trace.cells[found.place.cell].source
    change = CHANGES.get(found.kind)
    if change is None or len(source) > LONGEST:
        return ()
    texts: dict[str, None] = {}
    for text in change(facts, found):
        if text is not None and text != source:
            texts[text] = None
        if len(texts) == MOST:
            break
    return tuple(Repair(found.place.cell, text) for text in texts)
