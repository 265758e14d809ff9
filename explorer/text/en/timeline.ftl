# The timeline: each moment of a run. Texts and numbers of the program are between backticks.

timeline-and = { $some } and { $last }
timeline-separator = ,_
timeline-more = { $some } and { $count } more
timeline-object = { $name } is an object of class { $kind }.
timeline-continue = `continue`: the rest of this round is skipped.
timeline-break = `break`: the loop ends here.
timeline-pass = `pass` does nothing.
timeline-class = The class { $name } is defined.
timeline-ran = { $what } runs.
timeline-imported = { $what }: the program can use it from now on.
timeline-defined = { $name } is defined. It runs when it is called.
timeline-gone = { $name } no longer exists.

timeline-remembers = PyTorch remembers { $nodes }{ $count ->
    [0] {" "}for backward.
    [one] , because { $names } requires grad.
   *[other] , because { $names } require grad.
}
timeline-keeps = It saves { $names } for backward.
timeline-parameters = { $what } creates parameters: { $names }.
timeline-leaf = { $name } is a leaf: backward will store its gradient in { $gradient }.
timeline-no-grad = Not recorded: gradients are off.
timeline-detached = { $what } has the same numbers without their history, so no gradient flows back from here.

timeline-at-entry = { $value } at { $index }
timeline-written = { $what }: { $before } becomes { $after }, in place{ $seen ->
    [yes] ; version { $version }.
    [no] . The version stays { $version }: autograd does not notice.
   *[unknown] .
}
timeline-written-large = { $what } changes { $name } in place; version { $version }.
timeline-written-hidden = { $name } changes with it, but its version stays { $version }: autograd does not notice.
timeline-written-same = { $what } writes the same numbers to { $name } in place; version { $version }.
timeline-written-also = { $names } { $count ->
    [one] shares the memory and changes too.
   *[other] share the memory and change too.
}
timeline-found = { $name } changed through shared memory: { $before } becomes { $after }.

timeline-update = { $kind } updates{ $rate ->
    [none] {""}
   *[other] {" "}with learning rate { $rate }
}
timeline-cleared-all = { $names } are now None.
timeline-cleared-empty = { $what }: there is no gradient to clear.

timeline-backward = { $what } runs back through the graph
timeline-backward-failed = { $what } fails: backward stops.

timeline-round = { $what }: next round with { $values }.
timeline-round-first = { $what }: first round, { $values }.
timeline-truth = { $what } is { $truth ->
    [yes] true
   *[no] false
}{ $values ->
    [none] {""}
   *[other] {" "}({ $values })
}
timeline-another-round = another round
timeline-loop-ends = the loop ends
timeline-skipped = its block is skipped
timeline-no-grad-begins = { $what }: until this block ends, PyTorch records nothing.
timeline-with = { $what }: the block begins.
timeline-with-ends = { $what }: the block ends.
timeline-enter = { $name } is called
timeline-goes-on = { $name } continues after its yield.
timeline-leave = { $name } ends.
timeline-leave-with = { $name } returns { $value }.
timeline-yield = { $name } yields { $value } and waits.
timeline-raise = { $what } raises { $type }.
timeline-shows = { $name } prints { $value }.
timeline-shown = { $name } is shown below the cell.
