"""What a Trace says about gradients: which arrived where and why, the graph as a picture has it, one sentence.

Belongs here: pure functions from a Trace to plain records. Does not belong here: sizes, colours and positions
(drawing), torch (runtime), errors and their repairs (explain).
"""

from explorer.autograd.blame import stopped_backward, stopped_cards, stopped_operation
from explorer.autograd.folding import NOTHING_OPENED, Opened
from explorer.autograd.gradients import (
    contributions,
    node_gradients,
    numbered_backward,
    selected_backward,
    tensor_gradient,
    tensor_gradients,
)
from explorer.autograd.graph import graph_view
from explorer.autograd.roots import Root, possible_roots
from explorer.autograd.sentences import sentence
from explorer.autograd.view import Card, Fold, GraphView, NonfiniteNote, SavedTag, Wire

__all__ = [
    "NOTHING_OPENED",
    "Card",
    "Fold",
    "GraphView",
    "NonfiniteNote",
    "Opened",
    "Root",
    "SavedTag",
    "Wire",
    "contributions",
    "graph_view",
    "node_gradients",
    "numbered_backward",
    "possible_roots",
    "selected_backward",
    "sentence",
    "stopped_backward",
    "stopped_cards",
    "stopped_operation",
    "tensor_gradient",
    "tensor_gradients",
]
