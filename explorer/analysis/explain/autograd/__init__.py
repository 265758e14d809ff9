"""Gradients of a Trace: values at each node, reasons, and the graph view.

Belongs here: pure functions from a Trace to plain records. Does not belong here: sizes, colours and positions
(drawing), torch (runtime), errors and their repairs (errors).
"""

from explorer.analysis.explain.autograd.cells import (
    Root,
    ending_operation,
    possible_roots,
    stopped_cards,
    stopped_operation,
)
from explorer.analysis.explain.autograd.folds import NOTHING_OPENED, Opened
from explorer.analysis.explain.autograd.gradients import (
    contributions,
    node_gradients,
    numbered_backward,
    selected_backward,
    stopped_backward,
)
from explorer.analysis.explain.autograd.graph import graph_view
from explorer.analysis.explain.autograd.node_sentences import sentence
from explorer.analysis.explain.autograd.reasons import tensor_gradient
from explorer.analysis.explain.autograd.view_records import Card, DrawnEdge, Fold, GraphView, NonfiniteStart, SavedTag
