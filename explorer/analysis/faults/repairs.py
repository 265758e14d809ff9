"""Changes worth running, by kind, built from the places that the Trace names. Running shows whether one helps.

Each function takes a diagnosis and yields whole texts of its cell, the best first; none if no change is likely.
"""

from collections.abc import Callable, Iterator

from explorer.analysis.faults import function_repairs, graph_repairs, training_repairs
from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding, Repair

MOST = 3  # changes of one diagnosis that are run
LONGEST = 100_000  # characters of a cell that is changed

Change = Callable[[Facts, Finding], Iterator[str | None]]
CHANGES: dict[str, Change] = {**training_repairs.CHANGES, **graph_repairs.CHANGES, **function_repairs.CHANGES}


def repairs(facts: Facts, found: Finding) -> tuple[Repair, ...]:
    """Changes of the cell of a diagnosis, each another text; none is known to help."""
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
