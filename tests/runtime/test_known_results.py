"""Programs whose result is a known fact, as a learner writes them: what their Trace says is that fact."""

from tests.corpus import facts_beside
from tests.programs import entries, leaf_node


def contributions(trace):
    call = trace.backwards[-1]
    return list(zip(call.contribution_from, call.contribution_edge, call.contribution_value, strict=True))


def into(trace, leaf: str) -> list[float]:
    """What each edge into a leaf brought."""
    found = [
        given for node, edge, given in contributions(trace) if trace.nodes.edges[node][edge] == leaf_node(trace, leaf)
    ]
    return sorted(float(entries(trace, given)) for given in found)


test_facts = facts_beside(__file__, globals())
