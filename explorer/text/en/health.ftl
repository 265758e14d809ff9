# The report of a run.

verdict-faults = { $count ->
    [0] no fault found
    [one] 1 fault
   *[other] { $count } faults
}{ $places ->
    [none] {""}
   *[other] : { $places }
}
    .badge = { $count ->
        [one] 1 fault
       *[other] { $count } faults
    }
verdict-notes = { $count ->
    [one] 1 note
   *[other] { $count } notes
}
verdict-checked =
    .agrees = gradients match finite differences
    .meant = gradients match finite differences, except where the program leaves the graph on purpose
    .intended = gradients differ from finite differences only where the program asks for it
    .differs = a gradient differs from finite differences
    .depends = a gradient is missing
    .padding = the result depends on padding
    .target = scores depend on their own targets
    .unchecked = the gradients could not be compared with finite differences
list-of-clauses = ;_
report-status =
    .error = the code stopped with an error
    .refused = something in the code was not allowed and did not run
    .limited = the run was stopped by a limit
report-unfinished = Not searched for in time: { $names }.
report-undiagnosed = the search for bugs did not finish in time
report-gradients = { $count ->
    [one] { $name } { $finite ->
        [0] { $implicit ->
            [yes] would have
           *[no] has
        } no finite gradient
       *[other] { $implicit ->
            [yes] would have
           *[no] has
        } a finite gradient
    }
   *[other] { $finite } of { $count } parameters { $implicit ->
        [yes] would have
       *[no] have
    } finite gradients
}{ $least ->
    [none] {""}
   *[other] {" "}({ $one ->
        [yes] norm { $most }
       *[no] norms { $least } to { $most }
    })
}{ $frozen ->
    [0] {""}
    [one] , 1 is frozen
   *[other] , { $frozen } are frozen
}
report-idle = { $name } ({ $kind }{ $line ->
    [0] {""}
   *[other] , line { $line }
}) took no step.
report-losses-more = { $count ->
    [one] 1 more backward call
   *[other] { $count } more lines with backward calls
}
finding-head = { $level }, { $place }: { $title } [{ $kind }]
finding-advice = Fix: { $text }
finding-fix = Fix, which was run{ $proof ->
    [none] {""}
   *[other] {" "}({ $proof })
}:
finding-follows = It causes: { $text }
finding-starts = { $when ->
    [before] Before that:
    [after] Then:
   *[also] Non-finite values start here:
} { $places }
finding-rows =
    .none = Without a gradient too ({ $count }): { $names }
    .zero = All zero too ({ $count }): { $names }
    .nonfinite = NaN or infinity in the gradients of: { $names }
    .unread = Not readable too ({ $count }): { $names }
finding-unplaced = { $level ->
    [fault] Fault
   *[note] Note
}: { $text }
finding-more = docs/faults.md explains each [kind].{ $noted ->
    [yes] {" "}If a note is intended, write # fine: and its kind on the line.
   *[no] {""}
}
origin-short = { $what } in { $phase ->
    [backward] the backward of { $code }
    [hook] the hook of { $code }
   *[other] { $code }
}{ $line ->
    [0] {""}
   *[other] {" "}(line { $line })
}
warning-head = Warning{ $place ->
    [none] {""}
   *[other] , { $place }
}: { $text }
report-root-inside = a result inside { $code }
report-loss = { $name } = { $value }{ $line ->
    [0] {""}
   *[other] {" "}(backward on line { $line })
}
report-losses = { $name }: { $first } → { $value } { $ended ->
    [no] in the last recorded of
   *[yes] over
} { $count } backward calls{ $line ->
    [0] {""}
   *[other] {" "}on line { $line }
}
report-losses-apart = { $name }: { $parts } { $ended ->
    [no] at the first and last recorded of
   *[yes] over
} { $count } backward calls{ $line ->
    [0] {""}
   *[other] {" "}on line { $line }
}, { $of ->
    [models] of models that share no parameter
   *[leaves] each for its own leaves
}
report-implicit-failed = No backward ran, and a backward of { $of } fails: tensors that it needs were freed or changed in place.
report-no-backward = { $limited ->
    [yes] No backward was recorded.
   *[no] No backward ran.
}
report-no-parameters = No recorded tensor requires grad.
report-twice = { $name } holds { COUNTED($count, "parameter", "parameters") }, { $twice } of them twice: { $names }
report-optimizer = { $alone ->
    [yes] {""}
   *[no] { $name }:{" "}
}{ $kind }{ $line ->
        [0] {""}
       *[other] {" "}(line { $line })
    }, learning rate { $rate }, holds { COUNTED($count, "parameter", "parameters") }{ $twice ->
        [0] {""}
       *[other] , { $twice } of them twice
    }{ $did ->
        [nothing] , took no step
        [still] , its steps changed none
       *[moved] {""}
    }{ $frozen ->
        [none] {""}
       *[other] ; frozen: { $frozen }
    }{ $idle ->
        [none] {""}
       *[other] ; without a gradient: { $idle }
    }{ $unknown ->
        [0] {""}
       *[other] ; { $unknown } unknown: { $unknown ->
            [one] its
           *[other] their
        } rounds were only counted
    }{ $times ->
        [1] {""}
       *[other] {" "}(the last of { $times } created there)
    }
report-mode = Mode at { $count ->
    [one] the backward
   *[other] { $count } backward calls
}{ $line ->
    [0] {""}
   *[other] {" "}on line { $line }
}: { $modes }
report-modes-more = { $count } more rows of modes are omitted.
report-in-none = In no optimizer, despite a gradient ({ $count }): { $names }
report-in-several = In several optimizers ({ $count }): { $names }
report-frozen = frozen: requires_grad is False
report-moved = ; { $count ->
    [one] 1 step has
   *[other] { $count } steps have
} changed it since
report-zero = every entry is 0
report-since = , because { $why }
gradient-zero-since = { $kind ->
    [underflow] { $code } passes on a number too small for { $dtype }
    [infinite] { $code } is not finite there
    [factor] { $code } multiplies it by { $factor }{ $of ->
        [number] {""}
        [one] {" "}= 0
       *[several] , all zeros
    }
    [slope] { $code } has slope 0 there
    [empty] { $code } got a batch without entries
    [hook] { $code ->
        [none] a hook made it 0
       *[other] the hook { $code } made it 0
    }
    [own] the backward of { $code } returns 0
    [drawn] { $code } draws its result at random, and torch passes 0 to its arguments
    [summed] the gradients that arrive at { $code } cancel when summed
   *[cancelled] the gradients that arrive at { $code } on its paths cancel
}
report-subnormal = ; { $dtype } keeps only a few digits of such small numbers
report-unread = it arrived, but its entries can't be read
report-bad = { $nans ->
    [0] {""}
   *[other] { $nans } NaN
}{ $both ->
    [yes] {" "}and{" "}
   *[no] {""}
}{ $infinite ->
    [0] {""}
    [one] 1 infinite entry
   *[other] { $infinite } infinite entries
}
report-flows = norm { $norm }, largest { $largest }
report-likewise = ; the same for { $count } more of { $module }
report-last-of = {" "}(the last of { $count } of this name)
report-held = ; added to an existing .grad of norm { $norm }
report-altered = ; .grad now has norm { $norm }, { $how ->
    [later] from a later call that was not recorded
    [again] since the backward on line { $line }
    [clipped] clipped on line { $line }
   *[changed] changed after backward
}
report-counted = , from .grad at the end, because its backward was only counted
report-reduced = ; .grad had norm { $norm } when backward returned, after a reduction such as DistributedDataParallel's or a hook
report-inside = {" "}(called at { $place })
report-unreached = ; it reaches no loss
report-limit = { $kind ->
    [threads] { $count ->
        [one] A thread was started; what torch did in it was not recorded.
       *[other] { $count } threads were started; what torch did in them was not recorded.
    }
    [elsewhere] Torch ran backward in another thread, which was not recorded. Whether it is sound is unknown.
    [operations] The middle of the run was only counted: { $about ->
        [yes] about{" "}
       *[no] {""}
    }{ $count } of { $all } operations.
    [backwards] { $all ->
        [1] The only backward call was not recorded.
       *[other] Of { $all } backward calls { $count ->
            [one] 1 was only counted.
           *[other] { $count } were only counted.
        }
    }
    [steps] { $count } of { $all } loop steps were left out, evenly spaced.
    [calls] { $count } later calls of backward, optimizers, schedulers, hooks and clipping were left out.
    [full] { $count ->
        [one] One whole tensor did not fit into the recording.
       *[other] { $count } whole tensors did not fit into the recording.
    }
    [files] { $count ->
        [one] One file of the program is too long: its lines are not shown.
       *[other] { $count } files of the program are too long or too many: their lines are not shown.
    }
   *[other] { $count ->
        [one] One thing could not be recorded.
       *[other] { $count } things could not be recorded.
    }
}
report-stop-at = {" "}(line { $line })
report-stop-in = {" "}(line { $line }, { $code })
start-forward = { $what } starts in { $code }
start-unsure = { $what } is first seen in { $code }
start-backward = { $what } starts in the backward of { $code }
start-given = { $what } was already in { $code } when it was first recorded
start-gradient = { $what } entered through { $code }
start-hook = { $hook ->
    [none] A hook
   *[other] The hook { $hook }
} makes the gradient of { $code } { $what }
start-unnamed = a tensor without a name
start-place = , at { $place }
start-why = { $kind ->
    [zero] : a gradient of 0 is multiplied by a derivative that is infinite or NaN
    [overflow] : the product is too large for its dtype
    [slope] : its derivative there is not finite
    [tied] : two singular values or eigenvalues are equal
    [gradient] , from an earlier backward call
    [forward] { $what ->
        [NaN] : none of its inputs was NaN
       *[other] : all of its inputs were finite
    }
   *[other] : the incoming gradient was finite
}
report-at-line = , line { $line }
report-in-module = , in { $module }
report-entries = : { $count } of { COUNTED($entries, "entry", "entries") }
report-first-at = , first at { $index }
report-divides = . This derivative divides by { $code }, which is 0 there. Differentiate its square instead, or add a small number under the root.

# The table of modules.

summary-module = module
summary-output = output
summary-parameters = parameters
summary-gradient = gradient norm
summary-parts = { $norm } ({ $before } before, { $added } added)
summary-clipped = after clipping
summary-update = update / weight
summary-forward = forward
summary-backward = backward
summary-flops = FLOPs forward
summary-memory = memory held
summary-cost-gone = { $module } cannot be called again: it, or an argument of its last call, no longer exists. Keep both until summary(cost=True).
summary-cost-failed = { $module } could not be called again: { $error }
summary-cost-none = No module ran.
summary-cost-ranks = In a distributed training, one process alone cannot call the model again.
summary-cost-elsewhere = Only a recording of explorer.record() can be measured, in the same process: the modules of any other run are gone.
summary-tied = (tied to { $names })
summary-total = Parameters: { $parameters }, of which { $trained } require grad. Shared parameters count once.
summary-empty = No module ran, and nothing requires grad.

# Differences between two runs.

compare-same = The runs agree: { COUNTED($operations, "operation", "operations") }, { COUNTED($gradients, "gradient", "gradients") }.
compare-codes = { $left } in A, { $right } in B.
compare-origin = { $name } is assigned differently: { $left } on line { $line }, { $right } on line { $other } of B.
compare-stored = The last gradients agree, but .grad at the end differs for { $count } { $count ->
    [one] parameter
   *[other] parameters
}. The norm of { $name }.grad is { $left } in A and { $right } in B.
compare-gradient-only = Only { $side } has a gradient for: { $names }
compare-only = Only in { $side } ({ $count }): { $texts }
compare-calls = A calls backward { $left ->
    [one] once
   *[other] { $left } times
}, B { $right ->
    [one] once
   *[other] { $right } times
}.
compare-module = { $module }: { $values ->
    [one] 1 value
   *[other] { $values } values
} and { $gradients ->
    [one] 1 gradient
   *[other] { $gradients } gradients
} differ

# Failures of a test of a model.

flow-wrong = { $count } of { COUNTED($all, "parameter", "parameters") } get no usable gradient:
flow-none = none: the loss does not depend on it
flow-function = To find the line that stops a gradient, pass a function: assert_gradients_flow(model, lambda: …)
gold-pair = { $name }: norm { $left } → { $right }
gold-apart = , an entry differs by { $apart }
gold-missing = { $path } does not exist. Create it with pytest --update-gold.
gold-differs = { $all ->
    [0] No parameter got a gradient, so nothing can be compared with { $path }.
   *[other] { $count } of { COUNTED($all, "gradient", "gradients") } differ from { $path } (expected → now):
}

# Warnings of record(), and recordings that have only a sample.

allow-idle = allow contains { $patterns }, which matches no kind of finding and no name here. Is it misspelt?
full-idle = full contains { $patterns }, which matches no recorded tensor, so nothing is kept for it. Is it misspelt? Use the program's names, such as { $names }.
full-not-kept = Only a sample of { COUNTED($count, "entry", "entries") } of { $name } (shape { $shape }) was recorded. { $left_out ->
    [0] record(full=["{ $name }"]) keeps them all.
   *[other] There was no room for more full tensors (1 GB): name fewer in record(full=[…]).
}
full-unreadable = The entries of { $name } could not be read ({ $dtype }).

record-threads = { $count ->
    [one] A thread was
   *[other] { $count } threads were
} started inside record(), which records only its own thread. { $empty ->
    [yes] Nothing was recorded.
   *[no] Torch operations in the other threads are missing.
} Call record() inside the function that the thread runs.
