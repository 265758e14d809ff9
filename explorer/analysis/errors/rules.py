"""All rules in order: those that need the graph first, those about Python itself last.

A new file of rules is a line here.
"""

from explorer.analysis.errors.gradients import (
    backward,
    functions,
    gradient_requests,
    history,
    missing_gradients,
    starting_gradients,
)
from explorer.analysis.errors.language import arguments, attributes, frames, libraries, names, syntax, values
from explorer.analysis.errors.modules import (
    classes,
    linear_algebra,
    optimizers,
    several,
    wrappers,
)
from explorer.analysis.errors.rule import Rule
from explorer.analysis.errors.tensors import (
    arranging,
    devices,
    joining,
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
    *starting_gradients.RULES,
    *history.RULES,
    *gradient_requests.RULES,
    *missing_gradients.RULES,
    *wrappers.RULES,
    *functions.RULES,
    *optimizers.RULES,
    *several.RULES,
    *classes.RULES,
    *linear_algebra.RULES,
    *devices.RULES,
    *shapes.RULES,
    *layer_sizes.RULES,
    *losses.RULES,
    *reshaping.RULES,
    *arranging.RULES,
    *joining.RULES,
    *positions.RULES,
    *single_numbers.RULES,
    *kinds.RULES,
    *making.RULES,
    *libraries.RULES,
    *syntax.RULES,
    *names.RULES,
    *attributes.RULES,
    *arguments.RULES,
    *values.RULES,
    *frames.RULES,
)
