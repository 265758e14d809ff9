"""Programs whose result is a known fact, as a learner writes them: what their Trace says is that fact."""

import pytest

from tests.programs import entries, leaf_node
from tests.runtime.corpus import check_facts, read


def contributions(trace):
    call = trace.backwards[-1]
    return list(zip(call.contribution_from, call.contribution_edge, call.contribution_value, strict=True))


def into(trace, leaf: str) -> list[float]:
    """What each edge into a leaf brought."""
    found = [
        given for node, edge, given in contributions(trace) if trace.nodes.edges[node][edge] == leaf_node(trace, leaf)
    ]
    return sorted(float(entries(trace, given)) for given in found)


@pytest.mark.parametrize("program", read("known_results").values(), ids=read("known_results"))
def test_a_program_has_the_facts_below_it(program):
    check_facts(program, globals())
