"""graphviz objects of a program: echoed as data to be laid out and drawn, never rendered by the program."""

from explorer.trace import Figure
from tests.traces import trace_of

GRAPH = 'import graphviz\ng = graphviz.Digraph()\ng.node("a", "x*2")\ng.edge("a", "b")\n'


def test_a_digraph_is_echoed_as_its_source():
    figure = next(output for output in trace_of(GRAPH + "g").cells[0].outputs if isinstance(output, Figure))
    assert figure.format == "dot" and b"a -> b" in figure.data
