# The graph: words on cards, the legend, captions, and the sentence that says why a gradient is what it is.

graph-label = Graph of { $cards ->
    [one] 1 card
   *[other] { $cards } cards
}, values run forward
graph-value = value
graph-gradient = gradient
graph-leaf-gradient = .grad
graph-gradient-short = grad
graph-no-gradient = no gradient
graph-nothing-arrived = no gradient has arrived
graph-line = line { $line }
graph-times = ×{ $count }
graph-times-loop = ×{ $count } loop
graph-uses = ×{ $count } uses
graph-kind-op = operation
graph-kind-leaf = leaf
graph-kind-data = data
graph-kind-out = output
graph-starts = { $what } starts here{ $at ->
    [yes] : { $place }
   *[no] { "" }
}
graph-starts-product = { $what } starts here: 0 · ∞{ $at ->
    [yes] { " " }at { $place }
   *[no] { "" }
}

graph-implicit = No backward() ran in this program. Hatched: the gradient it would give.
graph-asked = Asked for: the gradient of { $of }. The program's own .grad stay as they are.
graph-left-out = { $count ->
    [one] 1 card is not shown.
   *[other] { $count } cards are not shown.
}
graph-dropped = { $count ->
    [one] 1 node was counted, not kept.
   *[other] { $count } nodes were counted, not kept.
}
graph-lost = { $count ->
    [one] 1 step could not be recorded: a fault of the recorder, not of the program.
   *[other] { $count } steps could not be recorded: a fault of the recorder, not of the program.
}
graph-by-rank = Placed by rank: the layout took too long.
graph-empty = Nothing to draw: no operation on a tensor.

legend = legend
legend-leaf = leaf
legend-operation = operation
legend-output = output
legend-data = no gradient
legend-saved = saved for backward
legend-gradient = gradient
legend-cut = gradient cut off
legend-implicit = no backward() ran

table-node = operation
table-leaf = leaf
table-line = line
table-shape = shape

# Why a tensor has no gradient, on a card and in a table.
reason-not-on-path = none: the output does not depend on it
reason-not-taken = none: no backward ran
reason-no-grad = none: it asks for no gradient
reason-cut = none: cut off on the way
reason-pruned-by-inputs = none: inputs= names others
reason-capped = not kept: the recording is full
reason-stopped = none: the operation raised an error
reason-failed = none: backward stopped before it

graph-added = added to .grad

# Why a gradient is what it is: one sentence under the picture.
list-separator = ,_
why-gradient = The gradient of { $leaf }
why-several = { $of } = { $total }: { $parts }.
why-first = { $part } arrives through { $through }
why-next = { $part } through { $through }
why-input = the { $role } of { $card }
why-one = { $of } = { $total }: all of it arrives through { $through }.
why-many = { $of } = { $total }: the sum of { $count } contributions.
why-total = { $of } = { $total }.
why-large = { $of } has the shape { $shape } and arrives through { $through }.
why-large-many = { $of } has the shape { $shape }: the sum of { $count } contributions.
why-product = { $what } starts in the backward of { $card }: a gradient of 0 meets an infinite derivative{ $at ->
    [yes] { " " }at { $place }
   *[no] { "" }
}.
why-starts-backward = { $what } starts in the backward of { $card }{ $at ->
    [yes] , at { $place }
   *[no] { "" }
}: the gradient that came in was finite.
why-starts-forward = { $what } starts in { $card }{ $at ->
    [yes] , at { $place }
   *[no] { "" }
}: { $what ->
    [NaN] nothing that went in was NaN
   *[other] everything that went in was finite
}.
why-implicit = No backward() ran in this program. Shown: the gradient of { $root }.
why-failed-at = backward() stopped at { $card }.
why-refused = Backward did not begin at { $card }: no gradient was taken.
why-stopped = The program stopped at { $card }: no gradient was taken.
why-failed = backward() stopped before any gradient arrived.
why-no-graph = No tensor here has requires_grad=True, so autograd records nothing.
why-not-recorded = A tensor has requires_grad=True, but no operation on it was recorded.
why-no-backward = Nothing was differentiated: the nodes are there, no gradient has arrived.
why-no-leaf = No leaf got a gradient.
why-not-on-path = { $leaf } gets no gradient: { $root } does not depend on it.
why-no-grad = { $leaf } gets no gradient: what leads from it to { $root } ran with gradients off.
why-cut = { $leaf } gets no gradient: it is cut off on the way to { $root }.
why-pruned-by-inputs = { $leaf } gets no gradient: inputs= names other tensors.
why-capped = The gradient of { $leaf } was not kept: the recording is full.
why-failed-leaf = { $leaf } gets no gradient: backward stopped before it.
why-added = { $leaf }.grad = { $after }: { $before } was there before, this backward adds { $added }.

# One word for several values, and one tensor in several places of a call.
apart-before = { $word } before
apart-after = { $word } after
apart-round = { $word } of round { $round }
apart-outside = { $word } before the loop
apart-line = { $word } of line { $line }
apart-place = { $word } no. { $place }
role-factor = { $place ->
    [1] first factor
    [2] second factor
   *[other] factor no. { $place }
}
role-summand = { $place ->
    [1] first summand
    [2] second summand
   *[other] summand no. { $place }
}
role-minuend = minuend
role-subtrahend = subtrahend
role-numerator = numerator
role-denominator = denominator
role-base = base
role-exponent = exponent
role-input = { $place ->
    [1] first input
    [2] second input
    [3] third input
   *[other] input no. { $place }
}
role-of = { $role } { $word }
