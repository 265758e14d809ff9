# The graph: words on cards, the legend, captions, and the sentence that says why a gradient is what it is.

graph-label = Graph of { $cards ->
    [one] 1 card
   *[other] { $cards } cards
}, values run forward
graph-value = value
graph-sample = sample
graph-gradient = gradient
graph-leaf-gradient = .grad
gradient-exact-zero = 0 in exact arithmetic: { $code } { $kind ->
    [norm] subtracts the mean, which cancels this term
   *[softmax] is unaffected by a constant added to all its entries
}{ $rest ->
    [none] {"."}
   *[other] {". "}The norm { $rest } is rounding error.
}
gradient-zero = The gradient is 0 because { $why }.
graph-gradient-short = grad
graph-no-gradient = no gradient
graph-nothing-arrived = no gradient has arrived
graph-hidden = gradient hidden
graph-times = { $kind ->
    [loop] ×{ $count } loop
    [chain] { $count } operations
   *[calls] ×{ $count }
}
graph-uses = ×{ $count } uses
graph-kind-op = operation
graph-kind-leaf = leaf
graph-kind-data = data
graph-kind-out = output
graph-starts = { $what } starts here{ $at ->
    [yes] : { $place }
   *[no] { "" }
}

graph-asked = Showing the gradient of { $of }. The program's own .grad values are unchanged.
graph-left-out = { $count ->
    [one] 1 card is not shown.
   *[other] { $count } cards are not shown.
}
graph-dropped = { $count ->
    [one] 1 node was counted, not kept.
   *[other] { $count } nodes were counted, not kept.
}
graph-lost = { $count ->
    [one] 1 step could not be recorded. That is a bug in the recorder, not in the program.
   *[other] { $count } steps could not be recorded. That is a bug in the recorder, not in the program.
}
graph-by-rank = Placed by rank because the layout took too long.
graph-empty = Nothing to draw: the program ran no tensor operation.

legend = legend
legend-leaf = leaf
legend-operation = operation
legend-output = output
legend-data = no gradient
legend-saved = saved for backward
legend-cut = gradient cut off
legend-implicit = no backward() ran

# Why a tensor has no gradient, on a card, in a table, in a sentence and in a derivation.
reason = { $kind ->
    [capped] { $why }
    [not_kept] { $why }
   *[other] none: { $why }
}
reason-not-on-path = { $to ->
    [output] backward does not reach it
   *[root] { $root } does not depend on it
}
reason-not-taken = no backward ran
reason-no-grad = requires_grad=False
reason-cut = it is cut off on the way to { $to ->
    [output] the output
   *[root] { $root }
}
reason-left = it reaches { $to ->
    [output] the output
   *[root] { $root }
} only as plain numbers, if at all{ $line ->
    [0] {""}
   *[other] , through { $code } on line { $line }
}
reason-gradient-taken = { $code } on line { $line } ran without create_graph
reason-detach-at = { $code } on line { $line } cuts it off
reason-no-grad-at = line { $line } ran with gradients off
reason-number-at = { $code } on line { $line } turns it into numbers
reason-made-at = line { $line } builds a new tensor from its entries
reason-derivative-at = { $code } on line { $line } has no derivative
reason-unasked-at = its requires_grad was still False when line { $line } used it
reason-switched-off-at = line { $line } set requires_grad to False
reason-backward-at = the backward of { $code } on line { $line } sends it no gradient
reason-passed-none = backward sent it no gradient
reason-pruned-by-inputs = inputs= does not list it
reason-capped = not kept: the recording is full
reason-empty = its .grad is empty at the end
reason-returned = torch.autograd.grad returned the gradient without storing it
reason-emptied = a gradient arrived, and it was cleared before backward() returned
reason-stopped = the operation raised an error
reason-failed = backward stopped before it
reason-unknown = no gradient arrived

graph-added = added to .grad

# One sentence under the picture that explains a gradient.
list-separator = ,_
why-gradient = The gradient of { $leaf }
why-input = the { $role } of { $card }
why-large = { $of } has shape { $shape } ({ $about }).
why-rows = torch.func computed { $count } gradients of { $leaf } at once, each with shape { $shape } ({ $about }).
why-inner = This is an inner step of { $code }, which differentiates it once more. That second derivative is not drawn.
why-call = Showing backward call { $call } of { $calls }. Later calls were not recorded.
why-implicit = This program ran no backward(). Showing the gradient of { $root }.
why-failed-at = backward() stopped at { $card }.
why-refused = Backward did not start at { $card }, so no gradient was computed.
why-stopped = The program stopped at { $card }, so no gradient was computed.
why-failed = backward() stopped before any gradient arrived.
why-no-graph = No tensor here has requires_grad=True, so autograd records nothing.
why-limited = The program reached a limit before any operation was recorded.
why-not-recorded = A tensor has requires_grad=True, but no operation on it was recorded.
why-not-recorded-here = This program has tensors with requires_grad=True, but no operation on them was recorded here.
why-forward-mode = Forward mode: each value carries its tangent, and no graph is recorded. The cards show the values.
why-no-backward = backward() did not run, so no gradient has arrived.
why-no-leaf = No leaf got a gradient.
why-none = { $kind ->
    [capped] The gradient of { $leaf } was not kept: the recording is full.
   *[other] { $leaf } gets no gradient: { $why }.
}
why-altered = { $by ->
    [function] The program defines part of this backward itself
    [hook] A hook changed a gradient
   *[write] A tensor that backward reads was overwritten without torch noticing
}, so the gradient may differ from the derivative.
why-partial = This is not the whole derivative: { $root } also depends on { $leaf } through { $code } on line { $line }{ $earlier ->
    [yes] {" "}of an earlier round
   *[no] {""}
}, which is treated as a constant.
why-held = At the end { $leaf } = { $held }.

# One word for several values, and one tensor in several places of a call.
apart =
    .before = old { $word }
    .after = new { $word }
    .round = { $word } of round { $round }
    .round-within = { $word } of round { $round } (outer round { $outer })
    .written = { $word } after line { $line }
    .read = { $word } read on line { $line }
    .inside = { $word } inside { $call }
    .outside = { $word } before the loop
    .line = { $word } of line { $line }
    .place = the { $place ->
        [1] first
        [2] second
        [3] third
       *[other] { ORDINAL($place) }
    } { $word }
role =
    .factor = { $place ->
        [1] first factor
        [2] second factor
       *[other] factor no. { $place }
    }
    .summand = { $place ->
        [1] first summand
        [2] second summand
       *[other] summand no. { $place }
    }
    .minuend = minuend
    .subtrahend = subtrahend
    .numerator = numerator
    .denominator = denominator
    .base = base
    .exponent = exponent
    .input = { $place ->
        [1] first input
        [2] second input
        [3] third input
       *[other] input no. { $place }
    }
    .of = { $role } { $word }

# Closed modules
graph-module-parameters = { NUMBER($count) ->
    [one] { NUMBER($count) } parameter
   *[other] { NUMBER($count) } parameters
}{ $gradients ->
    [yes] , gradient norm
   *[no] {""}
}
graph-module-open = Open { $module } (o)
graph-module-close = Close { $module }
graph-modules-close-all = Close all modules
legend-module = module
term-module = One card for everything that ran inside a module. Press + to open it. It shows the gradient of the module's output and, below it, the norm of all its parameters' gradients.
legend-logarithmic = log scale, faintest ±{ $least }
term-logarithmic = Most gradients here are far below the largest. Each power of ten is a step fainter, so small ones stay visible. Zero has no colour.
graph-module-missing = This file doesn't contain the inside of { $module }. Draw it with open="{ $module }".
why-modules = { $count ->
    [one] The gradient of the parameters of { $most } has norm { $largest }. Open a module to see what is inside.
   *[other] Among the closed modules, { $most } has the largest gradient norm ({ $largest }) and { $least } the smallest ({ $smallest }).
}
why-modules-missed = { $count ->
    [one] Some parameters in { $card } got no gradient.
   *[other] Some parameters in { NUMBER($count) } modules got no gradient, starting with { $card }.
}

# Above the derivations of the leaf gradients of a small graph.
story = The story of this program

layers-title = Gradient of each layer
layers-summary = Root mean square, logarithmic scale. Smallest: { $least } ({ $small }). Largest: { $most } ({ $large }).
layers-none = No layer has a gradient.
layers-no-gradient = no gradient
layers-nonfinite = NaN or infinite
