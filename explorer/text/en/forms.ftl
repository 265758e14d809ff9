forms-equal = The same gradients, bit for bit: { COUNTED($count, "gradient", "gradients") } in each of 2 steps.
    .word = equal bits
forms-rounding = The same gradients up to rounding: { $differing } of { $count } differ only within rounding error.
    .word = up to rounding
forms-different = { $differing } of { COUNTED($count, "gradient", "gradients") } differ.
    .word = different
forms-unsteady = { $unsteady ->
    [A] The first module
   *[B] In step 1 all gradients agree, but the second module
} gets different gradients from the same state and random numbers, so no comparison is possible.
    .word = does not repeat
forms-raised = The second module raised { $error }
    .word = raised
forms-first = First gradient that differs: { $name }{ $place }{ $step ->
    [1] {""}
   *[other] , in step { $step }
}: { $kind ->
    [entry] at { $index } { $left } in A, { $right } in B.
    [norm] norm { $left } in A, { $right } in B.
   *[number] { $left } in A, { $right } in B.
}
forms-unknown = No single Function, hook, mode or constant explains it.
forms-or = The cause is one of these, but the gradients don't show which: { $causes }
forms-cause =
    .hook = The { $kind ->
            [backward-hook] backward hook of { $name } (line { $line })
            [forward-hook] forward hook of { $name } (line { $line })
            [parameter-hook] hook on { $name } (line { $line })
           *[tensor-hook] hook from line { $line }
        } does not run in B.
    .function = The backward of { $name } (line { $line }) is not in B: autograd differentiates its forward instead.
    .function-cut = { $name } (line { $line }) passes no gradient on in B: its forward runs there without a graph.
    .graph-off = B runs under no_grad from the { $name } on line { $line } onward.
    .mode = Line { $line } runs under { $kind } in A only.
    .training = { $name } is in { $kind ->
            [eval] train mode in A and runs as in eval
           *[train] eval mode in A and runs as in train
        } mode in B.
    .frozen = { $name } has requires_grad=False in B.
    .missing = B has no parameter { $name }.
    .constant = { $name } is a constant in B and keeps the values written in the previous step. A creates a new tensor in each forward{ $placed ->
        [no] {""}
       *[yes] {" "}(line { $line })
    }.
    .random = A draws random numbers{ $placed ->
        [no] {""}
       *[yes] {" "}(line { $line })
    }, but they are constant in B.
    .dtype = The result of line { $line } has a different dtype in B: { $name }.
