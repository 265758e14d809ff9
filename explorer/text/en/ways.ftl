ways-equal = The same gradients, bit for bit: { COUNTED($count, "gradient", "gradients") } in each of 2 steps.
ways-rounding = The same gradients up to rounding: { $differing } of { $count } differ by no more than rounding makes of them.
ways-different = { $differing } of { COUNTED($count, "gradient", "gradients") } differ.
ways-unsteady = { $unsteady ->
    [A] The first module
   *[B] In step 1 all gradients agree, but the second module
} does not repeat its own gradients from the same state and random numbers: no comparison is possible.
ways-raised = The second module raised { $error }
ways-word-equal = equal bits
ways-word-rounding = up to rounding
ways-word-different = different
ways-word-unsteady = does not repeat
ways-word-raised = raised
ways-first = The first gradient that differs: { $name }{ $place }{ $step ->
    [1] {""}
   *[other] , in step { $step }
}: { $kind ->
    [entry] at { $index } { $left } in A, { $right } in B.
    [norm] norm { $left } in A, { $right } in B.
   *[number] { $left } in A, { $right } in B.
}
ways-unknown = No single Function, hook, mode or constant explains it.
ways-or = One of these is the cause, and the gradients do not tell which: { $causes }
ways-cause-tensor-hook = The hook of line { $line } does not run in B.
ways-cause-parameter-hook = The hook on { $name } (line { $line }) is missing in B.
ways-cause-backward-hook = The backward hook of { $name } (line { $line }) does not run in B.
ways-cause-forward-hook = The forward hook of { $name } (line { $line }) does not run in B.
ways-cause-function = The backward of { $name } (line { $line }) is not in B: autograd differentiates its forward instead.
ways-cause-function-cut = { $name } (line { $line }) passes no gradient on in B: its forward runs there without a graph.
ways-cause-graph-off = From the { $name } of line { $line } on, B runs under no_grad.
ways-cause-no-grad = Line { $line } runs under no_grad in A only.
ways-cause-autocast = Line { $line } runs under autocast in A only.
ways-cause-eval = { $name } is in train mode in A and runs as in eval mode in B.
ways-cause-train = { $name } is in eval mode in A and runs as in train mode in B.
ways-cause-frozen = { $name } has requires_grad=False in B.
ways-cause-missing = B has no parameter { $name }.
ways-cause-constant = { $name } is a constant in B and keeps what the step before wrote to it; A makes a new tensor in each forward{ $placed ->
    [no] {""}
   *[yes] {" "}(line { $line })
}.
ways-cause-random = A draws random numbers{ $placed ->
    [no] {""}
   *[yes] {" "}(line { $line })
}, B draws none: they are constant in B.
ways-cause-dtype = The result of line { $line } has another dtype in B: { $name }.
