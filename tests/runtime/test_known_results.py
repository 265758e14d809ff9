"""Learners' programs with known results: their Traces contain these facts."""

from tests.corpus import facts_beside
from tests.programs import entries, leaf_node


def contributions(trace):
    call = trace.backwards[-1]
    return list(zip(call.contribution_from, call.contribution_edge, call.contribution_value, strict=True))


def into(trace, leaf: str) -> list[float]:
    """Return the contributions of the edges into a leaf."""
    found = [
        given for node, edge, given in contributions(trace) if trace.nodes.edges[node][edge] == leaf_node(trace, leaf)
    ]
    return sorted(float(entries(trace, given)) for given in found)


test_facts = facts_beside(__file__, globals())
