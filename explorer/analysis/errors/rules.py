"""All rules in order: graph rules first, rules that only read the message last.

A new file of rules needs a line here.
"""

from explorer.analysis.errors import files
from explorer.analysis.errors.gradients import backward, functions, gradient_requests, history, missing_gradients
from explorer.analysis.errors.modules import classes, optimizers, several
from explorer.analysis.errors.rule import Rule, rows
from explorer.analysis.errors.tensors import (
    calls,
    kinds,
    layer_sizes,
    losses,
    making,
    positions,
    reshaping,
    shapes,
    single_numbers,
)

RULES: tuple[Rule, ...] = (
    *backward.RULES,
    *history.RULES,
    *gradient_requests.RULES,
    *missing_gradients.RULES,
    *functions.RULES,
    *optimizers.RULES,
    *several.RULES,
    *classes.RULES,
    *shapes.RULES,
    *layer_sizes.RULES,
    *losses.RULES,
    *reshaping.RULES,
    *positions.RULES,
    *single_numbers.RULES,
    *kinds.RULES,
    *making.RULES,
    *rows(),
    *calls.RULES,
    *files.RULES,
)
