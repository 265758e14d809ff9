# The inspector: local derivatives in words, and what is said of one card.

formula-where = { $then } where { $condition }, else { $otherwise }
formula-larger = 1 where { $to } is the larger one, ½ where both are equal, else 0
formula-smaller = 1 where { $to } is the smaller one, ½ where both are equal, else 0
formula-largest = 1 for the largest entry, shared where several are equal; 0 for the others
formula-smallest = 1 for the smallest entry, shared where several are equal; 0 for the others
formula-elu = 1 where { $self } > 0, else the slope of the exponential
formula-gelu = Φ(x) + x · φ(x), with x = { $self } and the normal distribution Φ, φ
formula-nll = −1 / n at each label, 0 elsewhere
formula-smooth = the difference where it is small, its sign where it is large
formula-normalised = the gradient, minus its mean and minus its share along { $input }, divided by the deviation
formula-scale = gradient · normalised input, summed over the examples
formula-bias = the gradient, summed over the examples
formula-convolution = the gradient, slid over the turned kernel { $weight }
formula-kernel = the gradient, slid over the input { $input }
formula-pool = an equal share to every entry of the window
formula-embedding = every row of { $to } gets the sum over the places that looked it up
formula-dropout = 1 / (1 − p) where the entry was kept, 0 where it was dropped
formula-cumulative = every entry gets the sum of the gradients from its place on
formula-stretched = summed over the axes along which { $to } was stretched
formula-slices = the gradient of what was written over is cut out; what was written gets that part
formula-shape = the same numbers in the shape of { $to }
formula-axes = the same numbers, moved back to their places in { $to }
formula-taken = to the entries that were taken, 0 to the others
formula-looked-up = to the entries that were taken, summed where one was taken several times; 0 to the others
formula-part = { $to } gets its own part
formula-joined = the parts, put together again
formula-own = your own backward computes it
formula-torch = torch's formula

inspect-refused = Backward did not begin at { $card }. Choose a card to see its numbers.
inspect-root = Backward starts at { $card }. Choose a card to see its numbers.
inspect-plain = Nothing was differentiated. Choose a card to see its numbers.
inspect-arrived = Gradient: what arrived, and the sum
inspect-from = from
inspect-from-round = round { $round }
inspect-from-execution = execution { $round }
inspect-from-line = line { $line }
inspect-choose = Choose an entry to follow it through the sum.
inspect-start = starting gradient v
inspect-sum = sum
inspect-hooked = after a hook
inspect-sum-entry = sum at { $entry }
inspect-passes = What it passes on: gradient × local derivative
inspect-passes-through = through { $node }
inspect-value-inside = The value of this is not known: { $call } makes it inside, returns something else, and it was not made again from what was kept for backward.
inspect-value-light = The value of this was not kept: at light detail only what { $call } returns is.
inspect-saved = Saved in the forward pass
inspect-freed = Saved, then freed by line { $line }
inspect-freed-later = Saved, then freed by the backward
inspect-version = version { $version }
inspect-changed = version { $version }, now { $now }: written over since
inspect-stored-from = { $leaf }.grad: { $before } before, { $after } after
inspect-memory = Memory
inspect-bytes = { $bytes } bytes
inspect-storage = storage { $storage }, stride { $stride }, offset { $offset }
inspect-shared = shares its storage with { $names }
inspect-versions = { $count ->
    [one] never written over
   *[other] written over { $times }
}
inspect-module = Module { $module }
inspect-parameters = parameters
inspect-kept = kept for backward: { $bytes } bytes
inspect-rounds = Rounds
inspect-round = Round { $round } of { $count }
inspect-execution = Execution { $round } of { $count }
inspect-range = { $low } … { $high }, mean { $mean }, ‖·‖ { $norm }
inspect-sample = a sample of { $count } entries
inspect-nonfinite = { $count ->
    [one] 1 entry is not finite
   *[other] { $count } entries are not finite
}

# The bar above the graph.
graph-search = Find a card
graph-turn = Turn the graph
graph-unfold = Unfold
graph-fold = Fold
graph-contributions = Contributions
graph-more = { $seen } of { $all } cards in view
graph-made-by = by backward { $number }
legend-layer = made by a backward (create_graph)

# Terms, explained in two lines where they first stand.

term-leaf = Leaf: a tensor you made yourself with requires_grad=True. Only leaves keep what arrives, in .grad.
term-operation = Operation: one call that autograd recorded. torch's name for it, its grad_fn, stands small below.
term-output = Output: what was differentiated. The gradient starts here and runs backwards along the wires.
term-data = Takes part in the computation and asks for no gradient, so nothing is passed back to it.
term-saved = Saved tensor: kept in the forward pass because the derivative needs it, and freed after backward.
term-gradient = Gradient: how much the output changes per unit of this entry. Orange is positive, blue is negative.
term-cut = Cut: detach, .data, .item() or no_grad ends the graph here; no gradient passes.
term-implicit = The program never calls backward(): these are the gradients it would give. No .grad was written.
term-layer = With create_graph=True the backward is recorded too, so that it can be differentiated again.
term-nan = NaN: not a number, such as 0 · ∞ or ∞ − ∞. It spreads to all that depends on it.
term-arrived = Upstream gradient: each consumer sends one contribution; where several arrive they are added.
term-passes = Local derivative: of this operation alone. Gradient times local derivative is the vector-Jacobian product.
inspect-memory-words = Storage: the memory that holds the entries. Stride: how far to go for the next entry along an axis. Offset: where the first one lies.
