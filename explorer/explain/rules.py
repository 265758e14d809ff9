"""All rules in the order in which they are asked: what needs the graph first, what Python itself refuses last.

A new file of rules is a line here.
"""

from explorer.explain.gradients import backward, functions, history, missing, unrecorded
from explorer.explain.language import arguments, attributes, frames, libraries, names, syntax, values
from explorer.explain.modules import classes, linear_algebra, optimizers, recurrent
from explorer.explain.rule import Rule
from explorer.explain.tensors import (
    arranging,
    devices,
    joining,
    kinds,
    layer_sizes,
    layouts,
    losses,
    making,
    positions,
    shapes,
    single,
)

RULES: tuple[Rule, ...] = (
    *backward.RULES,
    *history.RULES,
    *unrecorded.RULES,
    *missing.RULES,
    *functions.RULES,
    *optimizers.RULES,
    *recurrent.RULES,
    *classes.RULES,
    *linear_algebra.RULES,
    *layouts.RULES,
    *shapes.RULES,
    *layer_sizes.RULES,
    *losses.RULES,
    *arranging.RULES,
    *joining.RULES,
    *positions.RULES,
    *single.RULES,
    *kinds.RULES,
    *making.RULES,
    *devices.RULES,
    *libraries.RULES,
    *syntax.RULES,
    *names.RULES,
    *attributes.RULES,
    *arguments.RULES,
    *values.RULES,
    *frames.RULES,
)
