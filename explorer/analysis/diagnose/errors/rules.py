"""All rules in order: graph rules first, rules that only read the message last.

A new file of rules needs a line here.
"""

from explorer.analysis.diagnose.errors import files, missing_names, misspelt_members
from explorer.analysis.diagnose.errors.gradients import (
    backward,
    functions,
    gradient_requests,
    history,
    missing_gradients,
)
from explorer.analysis.diagnose.errors.modules import classes, optimizers, several
from explorer.analysis.diagnose.errors.rule import Rule, rows
from explorer.analysis.diagnose.errors.tensors import (
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
    *missing_names.RULES,
    *misspelt_members.RULES,
)
