"""Explanations of errors: the cause with the program's own names and numbers, and a repair.

Belongs here: finding the cause of a Failure from its Trace (the id of a sentence and its values) and, if it is
certain, the repaired text of the cell. torch's own message stays in the Failure. Does not belong here: sentences
(explorer.text: `error-<kind>`, with `.cause` and `.repair`), HTML (drawing, ui), running the repaired program
(workers). One folder per subject: gradients, tensors, modules, language. `rules` lists all rules in order.
"""

from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation
from explorer.analysis.errors.rule_choice import explain
from explorer.analysis.errors.text_edits import ChangedLine, changed_lines

__all__ = ["ChangedLine", "Explanation", "Stopped", "changed_lines", "explain"]
