# The inspector: local derivatives in words, and what is said of one card.

formula-where = { $then } where { $condition }, else { $otherwise }
formula-larger = 1 where { $to } is larger, ½ where both are equal, else 0
formula-smaller = 1 where { $to } is smaller, ½ where both are equal, else 0
formula-largest = 1 for the largest entry (shared if several are equal), 0 for the others
formula-smallest = 1 for the smallest entry (shared if several are equal), 0 for the others
formula-median = 1 for the median (shared if several entries equal it), 0 for the others
formula-chosen = 1 for the entry that the call returned (only that one, even if others are equal), 0 for the others
formula-chosen-often = to the entries that the call returned, summed if one was returned several times; 0 to the others
formula-sorted = the gradients, moved back to the places of the entries before sorting
formula-winner = each window sends its gradient to its largest entry (only one if several are equal) and 0 to the others
formula-farthest = the sign of the entry with the largest magnitude (shared if several are equal), 0 for the others
formula-nearest = the sign of the entry with the smallest magnitude (shared if several are equal), 0 for the others
formula-others = the product of the other entries
formula-running-product = every entry gets the sum of gradient · product of the other factors over its own and all later positions
formula-gelu = Φ(x) + x · φ(x), with x = { $self } and the normal distribution Φ, φ
formula-gelu-tanh = (1 + tanh u) / 2 + x · (1 − tanh² u) · u′ / 2, with x = { $self }, u = √(2/π) · (x + 0.044715 · x³)
formula-hardswish = 0 for x ≤ −3, x / 3 + ½ between −3 and 3, 1 for x ≥ 3, with x = { $self }
formula-nll = { $weighted ->
    [yes] { $reduction ->
        [mean] −weight[label] / (sum of the weights of the labels)
       *[other] −weight[label]
    }
   *[no] { $reduction ->
        [mean] −1 / (number of labels)
       *[other] −1
    }
} at each label, 0 elsewhere{ $ignored ->
    [no] {""}
   *[other] ; label { $ignored } is ignored: it gets 0 and does not count
}
formula-normalised-layer = (g − mean(g) − x̂ · mean(g · x̂)) / σ, with g = gradient{ $weighted ->
    [yes] {" "}· { $weight }
   *[no] {""}
}, x̂ = (x − mean(x)) / σ, x = { $input }; means and σ are those of the normalized axes
formula-normalised-batch = (g − mean(g) − x̂ · mean(g · x̂)) / σ, with g = gradient{ $weighted ->
    [yes] {" "}· { $weight }
   *[no] {""}
}, x̂ = (x − mean(x)) / σ, x = { $input }; means and σ are those of each channel over the batch
formula-normalised-group = (g − mean(g) − x̂ · mean(g · x̂)) / σ, with g = gradient{ $weighted ->
    [yes] {" "}· { $weight }
   *[no] {""}
}, x̂ = (x − mean(x)) / σ, x = { $input }; means and σ are those of each group
formula-normalised-eval = gradient{ $weighted ->
    [yes] {" "}· { $weight }
   *[no] {""}
} / √(running_var + eps): in eval mode mean and variance are constants
formula-scale = gradient · normalized input x̂, summed over every axis that { $to } does not have
formula-scale-eval = gradient · (x − running_mean) / √(running_var + eps), with x = { $input }, summed over every axis that { $to } does not have
formula-bias = the gradient, summed over every axis that { $to } does not have
formula-convolution = the transposed convolution of the gradient with { $weight }
formula-turned-convolution = the convolution of the gradient with { $weight }
formula-kernel = each entry of the kernel gets the sum of input · gradient over all positions where it was used
formula-pool = every window splits its gradient equally among its entries
formula-embedding = every row of { $to } gets the gradients summed over all positions that looked it up{ $counted ->
    [yes] , divided by their number
   *[no] {""}
}; row { $padding } (padding_idx) gets 0
formula-embedding-all = every row of { $to } gets the gradients summed over all positions that looked it up{ $counted ->
    [yes] , divided by their number
   *[no] {""}
}
formula-attention = S · (dP − sum(dP · S)) as the gradient of the scores, with S = softmax of the scores and dP = gradient @ valueᵀ; then @ the other matrix, times the scale
formula-attention-value = Sᵀ @ gradient, with S = softmax of the scores
formula-dropout = 1 / (1 − p) where the entry was kept, 0 where it was dropped
formula-cumulative = every entry gets the sum of the gradients from its position onward{ $axis ->
    [no] {""}
   *[other] {" "}along axis { $axis }
}
formula-summed = summed over axis { $axes }
formula-stretched = summed over the axes along which { $to } was stretched
formula-slices = overwritten entries get no gradient; it goes to the values written over them
formula-shape = the same numbers in the shape of { $to }
formula-axes = the same numbers, moved back to their places in { $to }
formula-taken = to the entries that were taken, 0 to the others
formula-looked-up = to the entries that were taken, summed if one was taken several times; 0 to the others
formula-part = { $to } gets its own part
formula-joined = the parts, joined again
formula-own = your own backward computes it
formula-torch = torch's formula
formula-torch-alone = torch's own backward computes it
formula-changed = this call alone would pass on { $amount ->
    [none] something else
   *[other] { $amount }
}; a hook or a later write to a saved tensor changed it

inspect-choose-card = Choose a card to see its numbers.
inspect-value-of = value of { $name }
inspect-gradient-of = gradient of { $name }
inspect-root-implicit = A { $call } would start at { $card }.
inspect-root-stopped = Backward started at { $card } and stopped before its end.
inspect-root = Backward starts at { $card }.
inspect-forward-mode = Forward mode: tangents instead of gradients.
inspect-plain = Nothing was differentiated.
inspect-arrived = Gradient: contributions and sum
inspect-from = from
inspect-from-round = { $kind ->
    [loop] round
    [chain] operation
   *[calls] execution
} { $round }
inspect-choose = Choose an entry to see its contributions.
inspect-start = starting gradient v
inspect-sum = sum
inspect-hooked = after a hook
inspect-sum-entry = sum at { $entry }
inspect-passes = Passed on: gradient × local derivative
inspect-conjugated = Complex: torch multiplies by the conjugate of the derivative (Wirtinger). For a real result r of z it multiplies by 2·∂r/∂z̄.
inspect-passes-through = through { $node }
inspect-value-inside = Values not recorded: { $names }. { $call } computes them inside and does not return them.
inspect-value-light = Values not recorded: { $names }. At detail light, only the values that { $call } returns are recorded.
inspect-saved = Saved in the forward pass
inspect-freed = Saved, then freed on line { $line }
inspect-freed-later = Saved, then freed by the backward
inspect-packed = { $name }: packed by a hook
inspect-recomputed = { $name }: recomputed in backward
inspect-version = version { $version }
inspect-changed = version { $version }, now { $now }: overwritten since
inspect-module = Module { $module }
inspect-kept = kept for backward: { COUNTED($bytes, "byte", "bytes") }
inspect-rounds = Rounds
inspect-round = { $kind ->
    [loop] { $kept ->
        [some] Recorded round
       *[all] Round
    }
    [chain] Operation
    [leaves] Leaf
   *[calls] Execution
} { $round } of { $count }
inspect-equal = every entry is { $entry }, ‖·‖ { $norm }
inspect-range = { $low } … { $high }, mean { $mean }, ‖·‖ { $norm }
inspect-sample = sample: { $shown } of { COUNTED($count, "entry", "entries") }
inspect-nonfinite = { $count ->
    [one] 1 entry is not finite
   *[other] { $count } entries are not finite
}

# The bar above the graph.
graph-search = Find a card
graph-fit-word = Fit
graph-search-word = Find
graph-full = Full screen
graph-full-hint = Full screen (F)
graph-inspect = Details
graph-inspect-hint = The story of the program and the numbers of the chosen card
inspector-close = Close the details (Escape)
pane-split = Move the divider between program and graph: drag it, or press ← and →; Enter resets it
graph-unfold = Unfold
graph-fold = Fold
graph-leaves = Leaves
graph-more = { $seen } of { $all } cards
graph-made-by = by backward { $number }

legend-layer = made by a backward (create_graph)

# Terms, explained in two lines where they first stand.

term-leaf = Leaf: a tensor you created with requires_grad=True. Only leaves store the gradient that arrives in .grad.
term-operation = Operation: one call that autograd recorded. Its grad_fn, torch's name for it, is in small print below.
term-output = Output: the tensor that was differentiated. The gradient starts here and flows backward along the edges.
term-data = Takes part in the computation with requires_grad=False, so it gets no gradient.
term-saved = Saved tensor: kept in the forward pass because the derivative needs it, and freed after backward.
term-gradient = Gradient: how much the output changes per unit of this entry. Orange is positive, blue is negative.
term-cut = Cut: detach, .data, .item() or no_grad ends the graph here; no gradient passes.
term-implicit = No backward() ran: these are the gradients that it would compute.
term-layer = With create_graph=True, the backward is recorded too and can be differentiated again.
term-nan = NaN: not a number, such as 0 · ∞ or ∞ − ∞. It spreads to everything that depends on it.
term-arrived = Upstream gradient: each consumer sends one contribution; several contributions are added.
term-passes = Local derivative: the derivative of this operation alone. Gradient times local derivative is the vector-Jacobian product.
