# What a report of a run says of its gradients.

report-status-ok = The code ran to its end.
report-status-error = The code was ended by an error.
report-status-refused = Something in the code was not allowed and did not run.
report-status-limited = The run was ended by a limit.
report-root-inside = a result inside { $code }
report-loss = { $name } = { $value }{ $line ->
    [0] {""}
   *[other] {" "}(backward in line { $line })
}
report-losses = { $name }: { $first } → { $value } { $ended ->
    [no] in the last recorded of
   *[yes] over
} { $count } backward calls{ $line ->
    [0] {""}
   *[other] {" "}in line { $line }
}
report-losses-apart = { $name }: { $parts } { $ended ->
    [no] at the first and last recorded of
   *[yes] over
} { $count } backward calls{ $line ->
    [0] {""}
   *[other] {" "}in line { $line }
}, { $of ->
    [models] of models that share no parameter
   *[leaves] each for leaves of its own
}
report-implicit = No backward ran. A backward of the last result would give these gradients.
report-implicit-failed = No backward ran. One of { $of } fails: what it needs was freed or changed in place.
report-no-backward = { $limited ->
    [yes] No backward was recorded.
   *[no] No backward ran.
}
report-no-parameters = No recorded tensor requires a gradient.
report-parameters = Gradients of { $count ->
    [one] 1 parameter
   *[other] { $count } parameters
}{ $others ->
    [0] {""}
    [one] {" "}and 1 other tensor
   *[other] {" "}and { $others } other tensors
}{ $implicit ->
    [yes] {" "}would be
   *[no] {""}
}: { $told }
report-count-flows = { $count } with a gradient
report-count-frozen = { $count } frozen
report-count-zero = { $count } all zero
report-count-none = { $count } without one
report-count-nonfinite = { $count } with NaN or infinity
report-count-unread = { $count } not readable
report-more = { $count } more with a gradient between these, or frozen
report-optimizer = { $alone ->
    [yes] {""}
   *[no] { $name }:{" "}
}{ $kind }{ $line ->
        [0] {""}
       *[other] {" "}(line { $line })
    }, learning rate { $rate }, trains { $trains } of { $count }{ $frozen ->
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
       *[other] {" "}(the last of { $times } made there)
    }
report-mode = Mode at { $count ->
    [one] the backward
   *[other] { $count } backward calls
}{ $line ->
    [0] {""}
   *[other] {" "}in line { $line }
}: { $modes }
report-modes-more = { $count } more modes at backward calls are not listed.
report-in-none = In no optimizer although a gradient arrived ({ $count }): { $names }
report-in-several = In several optimizers ({ $count }): { $names }
report-frozen = frozen: requires_grad is False
report-moved = ; { $count ->
    [one] 1 step has
   *[other] { $count } steps have
} changed it since
report-zero = zero: every entry is 0
report-since = , since { $why }
gradient-zero-since = { $kind ->
    [underflow] { $dtype } holds nothing as small as what { $code } passes on
    [infinite] { $code } is not finite there
    [factor] { $code } multiplies it by { $factor }{ $of ->
        [number] {""}
        [one] {" "}= 0
       *[several] , all zeros
    }
    [slope] { $code } has the slope 0 there
    [hook] { $code ->
        [none] a hook made it 0
       *[other] the hook { $code } made it 0
    }
    [own] the backward of { $code } gives 0
    [drawn] { $code } draws its result, and torch passes 0 to what it is drawn from
    [summed] what arrives at { $code } cancels when it is summed
   *[cancelled] what arrives at { $code } over its paths cancels
}
report-subnormal = ; { $dtype } keeps only a few digits of numbers so small
report-unread = it arrived; its entries cannot be read
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
report-likewise = ; likewise { $count } more of { $module }
report-last-of = {" "}(the last of { $count } of this name)
report-held = ; added to a .grad of norm { $norm }
report-later = ; .grad holds norm { $norm }, of a later call that was only counted
report-counted = , in .grad at the end: its backward was only counted
report-reduced = ; .grad had norm { $norm } when backward returned, after a reduction such as DistributedDataParallel's or a hook
report-again = ; since the backward in line { $line } .grad has norm { $norm }
report-clipped = ; clipped in line { $line }, .grad has norm { $norm }
report-changed = ; .grad was changed afterwards, to norm { $norm }
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
    [values] { $count } values of repeated lines were left out.
    [steps] Of { $all } steps of loops { $count } were left out, evenly.
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
report-undiagnosed = What else may be wrong was not worked out in time.
report-sound = { $got ->
    [nothing] {""}
    [unfrozen] Every parameter that is not frozen got a finite gradient.{" "}
   *[every] Every parameter got a finite gradient.{" "}
}Nothing is known to be wrong.
report-no-fault = No fault is known.{ $noted ->
    [yes] {" "}Notes may be meant.
   *[no] {""}
}
report-stop-at = {" "}(line { $line })
report-stop-in = {" "}(line { $line }, { $code })
report-origin-forward = { $what } starts in { $code }
report-origin-unsure = { $what } is first seen in { $code }
report-origin-backward = A gradient becomes { $what } in { $node } of { $code }
report-origin-hook = { $hook ->
    [none] A hook
   *[other] The hook { $hook }
} makes the gradient of { $name } { $what }
report-origin-hooked = { $hook ->
    [none] A hook
   *[other] The hook { $hook }
} makes the gradient of { $code } { $what }
report-origin-given = { $what } was already in { $name } when the recording first saw it
report-origin-unnamed = { $what } was already in a tensor without a name when the recording first saw it
report-at-line = , line { $line }
report-in-module = , in { $module }
report-entries = : { $count } of { COUNTED($entries, "entry", "entries") }
report-first-at = , first at { $index }
report-between = ,{" "}

# The table of modules.

summary-module = module
summary-output = output
summary-parameters = parameters
summary-gradient = gradient norm
summary-update = update / weight
summary-tied = (tied to { $names })
summary-total = Parameters: { $parameters }, of which { $trained } require a gradient. Shared ones count once.
summary-empty = No module ran, and nothing requires a gradient.

# What differs between two runs.

compare-same = The runs agree: { COUNTED($operations, "operation", "operations") }, { COUNTED($gradients, "gradient", "gradients") }.
compare-codes = { $left } in A, { $right } in B.
compare-origin = { $name } is assigned differently: { $left } on line { $line }, { $right } on line { $other } of B.
compare-stored = The last gradients agree, but .grad at the end differs for { $count } { $count ->
    [one] parameter
   *[other] parameters
}. The norm of { $name }.grad is { $left } and { $right }.
compare-gradient-only-1 = A gradient arrives in A alone at: { $names }
compare-gradient-only-2 = A gradient arrives in B alone at: { $names }
compare-only-1 = In A alone ({ $count }): { $texts }
compare-only-2 = In B alone ({ $count }): { $texts }
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

# What a test of a model says.

flow-wrong = { $count } of { COUNTED($all, "parameter", "parameters") } get no usable gradient:
flow-none = none: the loss does not depend on it
flow-function = To see which line takes a gradient away, give a function: assert_gradients_flow(model, lambda: …)

# What record() warns of, and what a recording says where it has only a sample.

allow-idle = allow names { $patterns }, which is no kind of finding and fits no name here. Is it misspelt?
full-idle = full names { $patterns }, which fits no tensor that was recorded, so nothing is kept for it. Is it misspelt? Names are those of the program, such as { $names }.
full-not-kept = Of { $name }, shape { $shape }, a sample of { COUNTED($count, "entry", "entries") } was recorded. { $left_out ->
    [0] record(full=["{ $name }"]) keeps them all.
   *[other] There was no room for more full tensors (1 GB): name fewer in record(full=[…]).
}
full-unreadable = The entries of { $name } could not be read ({ $dtype }).

record-threads = { $count ->
    [one] A thread was
   *[other] { $count } threads were
} started inside record(), which records only the thread that it begins in. { $empty ->
    [yes] Nothing was recorded.
   *[no] What torch did in the other threads is missing.
} Call record() inside the function that the thread runs.
