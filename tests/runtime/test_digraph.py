"""graphviz objects of a program: echoed as data to be laid out and drawn, never rendered by the program."""

from explorer.trace import Figure, Refusal
from tests.traces import trace_of

GRAPH = 'import graphviz\ng = graphviz.Digraph()\ng.node("a", "x*2")\ng.edge("a", "b")\n'


def test_a_digraph_is_echoed_as_its_source():
    figure = next(output for output in trace_of(GRAPH + "g").cells[0].outputs if isinstance(output, Figure))
    assert figure.series[0]["kind"] == "dot"
    assert "a -> b" in figure.series[0]["source"]


def test_rendering_it_is_refused():
    refusals = [output for output in trace_of(GRAPH + 'g.render("x")').cells[0].outputs if isinstance(output, Refusal)]
    assert [refusal.what for refusal in refusals] == ["Digraph.render"]
