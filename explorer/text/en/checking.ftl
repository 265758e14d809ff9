# Gradients compared with quotients: results for a leaf, reasons for no result, effects of an entry that grows.

check-numbers = Check with numbers
check-hint = Moves all leaves a little along a random direction, runs the program again and compares the slope with the gradients
check-agrees = The gradient matches finite differences.
    .badge = checked with numbers: agrees
check-none = No gradient arrived, and rightly so: the result does not depend on it here.
check-kink = No derivative at a kink: the slope is { $left } on the left and { $right } on the right. The gradient { $gradient } is one of several valid answers.
    .badge = checked with numbers: a kink
check-differs = { $side ->
        [along] Along a random direction the
       *[other] The
    } gradient is { $gradient }, but the program's slope is { $side ->
        [kink] { $left } on the left and { $right } on the right
       *[other] { $slope }
    }.
    .badge = checked with numbers: differs
check-depends = No gradient arrived, but the result depends on it: the slope is { $slope }.
    .badge = checked with numbers: no gradient, but the result depends on it
check-running = Checking with numbers …
check-nonfinite = Not finite: slopes mean nothing here.
check-unchecked = Not checked: { $why ->
        [counted] the run is too long, so its middle was not kept.
        [dtype] its dtype is not checked.
        [changed] it changed between its uses.
        [late] it was used before it required grad, and those uses are constants for backward.
        [drawn] it sets a draw from a Gamma or Dirichlet distribution, and repeated draws cannot measure the gradient that torch derives for it.
        [unread] no recorded operation reads it.
        [kept] its entries were not kept.
        [inside] this backward ran inside another backward.
        [work] running the program again would take too long.
        [time] the additional runs reached their time limit.
        [branch] the program takes a different path when the leaf is changed.
        [undefined] after a small change of the leaf the result is NaN or infinite.
        [unsteady] there is a kink or jump here, or the slope depends on the step size.
        [elsewhere] the program's result differs in float64.
        [rounding] the slope is lost in the result's rounding.
        [tied] several entries are equally large, and any of them may get the gradient. Changing a single entry cannot show which.
        [shared] another tensor shares its memory and changes with it.
       *[path] two runs of the program differ.
    }
check-reason =
    .cut = { $code } leaves the graph, so the gradient ignores this path.
    .derivative = { $code } leaves the graph, so the gradient ignores this path. To include it, write { $repair }.
    .no-grad = { $code } runs without recording, so the gradient ignores this path.
    .function = Check the custom backward of { $code }.
    .hook = A hook changes the gradient.
    .overwritten = Values that backward needed were overwritten.
    .surrogate = { $code } rounds or compares, so its slope is 0. Its custom backward returns a surrogate gradient.
    .padding = Small changes of these entries change it. Unless this is intended, exclude them: by a mask, lengths or ignore_index.
    .target = Each target is the next input, and the scores at a position change with it. Unless this is intended, hide later positions from earlier ones, for example by a causal mask.
    .identity = { $code } returns its input, and its custom backward changes the gradient.
    .straight = { $code } returns hard samples with the gradient of soft samples.
    .recomputed = { $code } is computed again in backward, possibly with other random numbers or changed values. Keep preserve_rng_state=True.
    .number = { $code } takes numbers out of torch, and the gradient ignores values computed from them. If this is intended, write .detach() to show it. Otherwise compute them with torch.
    .made = { $code } creates a new tensor from its entries, which is not part of the graph. Use the tensor itself, or torch.stack.
checked-verified = Gradients match finite differences{ $of ->
        [one] {""}
       *[other] { $calls ->
            [one] {" "}at one backward call
           *[other] {" "}at the first and last backward call
        }
    }.
checked-left-out = { $some ->
        [yes] Some gradients were not checked
       *[no] Gradients not checked
    }: { $why ->
        [work] running the program again would take too long.
       *[time] the additional runs reached their time limit.
    }
checked-meant = The result also depends on { $names } outside the graph.
checked-differs = The gradients of { $names } differ from finite differences.
checked-depends = The result depends on { $names }, but no gradient arrives there.
checked-padding = The result depends on the padding in { $names }.
checked-target = The scores depend on their own targets, through { $names }.
checked-mark = gradients checked
    .left-out = gradients not checked
    .meant = gradients checked, except for { $names }
    .differs = { $place ->
        [none] { "" }
       *[other] { $place }:{" "}
    }gradient of { $names } differs from finite differences
    .depends = { $place ->
        [none] { "" }
       *[other] { $place }:{" "}
    }no gradient reaches { $names }
    .padding = { $place }: the result depends on padding
    .target = { $place }: the scores depend on their own targets
check-at = { $name }, backward { $backward }: { $what }
plot-slope = slope
plot-gradient = torch’s gradient
plot-no-tangent = The line with torch’s gradient { $gradient } is not a tangent.
plot-computed = { $finite ->
        [yes] The slope of this line is the gradient of { $name }.
       *[no] The gradient here is { $gradient }, so there is no line to draw.
    }{ $drags ->
        [yes] { " " }Drag the point to change the number in the code.
       *[no] { "" }
    }
plot-title = { $root } over { $name }. At { $name } = { $at } { $finite ->
        [yes] a line with the slope { $gradient }
       *[no] the gradient is { $gradient }
    }.
plot-sum = the sum of { $root }
