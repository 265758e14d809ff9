"""Errors that learners meet, explained: the cause with the program's own names and numbers, and a change that mends it.

Here belongs what reads a Failure and its Trace and says why it happened (an id of a sentence and its values) and, where
it is sure, the text of the cell with the mistake mended. torch's own words stay with the Failure. Not here: sentences
(explorer.text: `error-<kind>`, with `.cause` and `.repair`), HTML (drawing, ui), running the mended program (sandbox).
One room per subject: gradients, tensors, modules, language; `rules` lists what they know in its order, and beside them
stands what they share.
"""

from explorer.explain.editing import ChangedLine, changed_lines
from explorer.explain.explaining import explain
from explorer.explain.rule import Explanation
from explorer.explain.stopped import Stopped

__all__ = ["ChangedLine", "Explanation", "Stopped", "changed_lines", "explain"]
