nav-compare = Compare
comparing-copy = Copy A to B
comparing-copied = B is a copy of A. Change a line of B to see the first value and the first gradient that differ.
comparing-file = Open B from a file
comparing-upload = A program or a saved run (.py, .ipynb, .md or .trace, up to { $file } MB)
comparing-refused = { $name } was not opened: { $reason }
comparing-side = { $side } · { $name }
comparing-b-made = { $kind ->
    [copy] B · copy of { $name }
   *[other] B · changed copy of { $name }
}
comparing-edit = Open { $side } as program
comparing-saved = Saved run. Edit it to run it. The address contains its text, not its numbers.
comparing-not-run = These programs are from a link. Open them on the Program page to read and run them.
comparing-asleep = The program has not run yet. Run it on the Program page first.
comparing-one-missing = One of the two programs did not run, so there is nothing to compare yet.
comparing-stopped = { $side } stopped early: only the part before that is compared.
comparing-limits = Parts of { $side } were only counted and are not compared.
comparing-same = Identical to the last bit
comparing-same-recorded = Identical in all recorded numbers
comparing-same-all = { $operations } { $operations ->
    [one] operation
   *[other] operations
  } and { $gradients } { $gradients ->
    [one] gradient
   *[other] gradients
  } agree.
comparing-sampled = For tensors with more than 64 entries, a sample, the minimum, the maximum and the norm are compared.
comparing-nothing = Nothing to compare: neither run has a torch operation
comparing-rounding = The same up to rounding
comparing-rounding-all = All differences are within the rounding of the dtypes. The first bitwise difference is shown below.
comparing-programs = The programs differ, but the parts they share agree
comparing-alone = Its inputs agree in both runs.
comparing-given = Different before any operation ran: { $names }{ $count ->
    [one] .
   *[other] {" "}({ $count } tensors).
  }
comparing-made = After that { $count } of { COUNTED($all, "operation", "operations") } differ.
comparing-no-gradients = Neither run has a gradient.
comparing-gradients-same = { $count ->
    [one] The only gradient agrees.
   *[other] All { $count } gradients agree.
  }
comparing-backward = In backward { $number }.
comparing-module = In module { $module }: { $code }.
comparing-dtype = dtype: { $left } in A, { $right } in B
comparing-parameters = Gradients of the parameters
column-name = parameter
column-shape = shape
comparing-column =
    .norm-a = gradient norm in A
    .norm-b = gradient norm in B
    .cosine = cosine
    .apart = largest difference
    .stored-a = norm of .grad in A
    .stored-b = norm of .grad in B
comparing-parameters-sampled = ≈: computed from a sample of the entries.
comparing-unequal = differs
comparing-nonfinite = NaN or ∞ in { $count } { $count ->
    [one] entry
   *[other] entries
  }
comparing-losses = The losses of both
comparing-only = only in { $side }'s graph
comparing-none = none
comparing-row = { $kind ->
    [gradient] gradient
   *[value] value
}{ $what ->
    [entry] {" "}{ $entry }
    [norm] {" "}(norm)
    [shape] {" "}(shape)
    [dtype] {" "}(dtype)
   *[other] {""}
}
comparing-inside = { $values ->
    [0] {""}
   *[other] { COUNTED($values, "value", "values") }{ $gradients ->
        [0] {""}
       *[other] ,{" "}
    }
}{ $gradients ->
    [0] {""}
   *[other] { COUNTED($gradients, "gradient", "gradients") }
} differ
comparing-count = { $what ->
    [both] { $count ->
        [one] 1 differs
       *[other] { $count } differ
    }
   *[side] { $count } only in { $what }'s graph
}
comparing-no-picture = No picture: no operation was recorded.
comparing-first = { $kind ->
    [gradient] All values agree. The gradient of { $name } differs first
    [later] The gradient of { $name } differs too
    [alone] { $name } is the first to differ although its inputs agree
   *[value] { $name } differs first
}{ $what ->
    [entry] : entry { $entry } is { $left } in A and { $right } in B
   *[number] : { $left } in A, { $right } in B
    [norm] : its minimum, maximum or norm is { $left } in A and { $right } in B
    [shape] : its shape is { $left } in A and { $right } in B
    [dtype] : its dtype is { $left } in A and { $right } in B
    [only-a] : { $left } in A, none in B
    [only-b] : none in A, { $right } in B
}{ $kind ->
    [later] .
    [alone] { $lines }.
   *[other] { $lines }
}
comparing-pairs = Two programs
comparing-own = Your program ({ $name }) and a copy
comparing-pair-relu = ReLU and leaky ReLU
    .see = ReLU turns the negative entry of z into 0, and no gradient passes there: w[1] never learns. Leaky ReLU lets a tenth of it through.
comparing-pair-detach = With and without detach()
    .see = detach() changes no value, but b no longer gets a gradient, so w loses its contribution.
comparing-pair-sum = mean() and sum() of a loss
    .see = The sum of four errors is four times their mean, and so is every gradient. The same learning rate doesn't suit both.
comparing-pair-zero-grad = With and without zeroing gradients
    .see = Without w.grad = None, the second backward adds to the first gradient, and the second step is too long.
comparing-pair-broadcast = With and without broadcasting
    .see = A target of shape (3,) is stretched against (3, 1): nine errors instead of three, and wrong gradients without an error message.
comparing-pair-overflow = logsumexp and log of exp
    .see = exp(100) overflows float32 to ∞, and its gradient is NaN. logsumexp computes the same formula without overflow.
comparing-some = a gradient
comparing-two-names = { $name } (in B: { $other })

# Processes of one distributed training, side by side. $what: gradient, value, or unread (a value whose gradient is unknown).
ranks-title = Ranks { $ranks }
ranks-agree = Replicas agree: { COUNTED($parameters, "parameter", "parameters") }{ $gradients ->
    [0] {" have"}
   *[other] {" "}and their gradients have
} equal bits after each of { COUNTED($steps, "step", "steps") }.{ $gradients ->
    [0] {" "}Their gradients were not recorded.
   *[other] {""}
}{ $sampled ->
    [yes] {" "}Of large tensors a sample and the statistics of all entries are equal.
   *[no] {""}
}
ranks-left-out = Not compared: { COUNTED($count, "parameter", "parameters") }, because not every rank holds all entries, as under fully_shard.
ranks-differ = { $step ->
    [0] Rank { $rank } begins with other parameters than rank { $first }: { $name }
   *[other] { $what ->
        [gradient] Rank { $rank } differs from rank { $first } first at step { $step }, in the gradient of { $name }, before the optimizer's step
        [unread] Rank { $rank } differs from rank { $first } first after step { $step }, in { $name }. Its gradient at that step was not recorded, so it may differ too
       *[value] Rank { $rank } differs from rank { $first } first after step { $step }, in { $name }, although all recorded gradients were equal
    }
}{ $missing ->
    [yes] {" "}(only one of them has it).
   *[no] {" "}(norms { $left } and { $right }).
}
ranks-steps = Rank { $rank } took { COUNTED($steps, "step", "steps") }, rank { $first } { $all }.
ranks-batches = Ranks { $one } and { $other } read the same batch in { COUNTED($count, "step", "steps") }: { $steps }.
