# Gradients held against quotients: what is said of a leaf, why nothing is, and what an entry that grows does.

check-numbers = Check with numbers
check-hint = Moves all leaves a little along a random direction, runs the program again and compares the slope with the gradients
check-agrees = The gradient is the slope of the program.
check-none = No gradient arrived, and none is missing: the result does not depend on it here.
check-kink = A kink has no derivative: to the left the slope is { $left }, to the right { $right }. The gradient { $gradient } is one answer among several.
check-differs = The gradient says { $gradient }, but the program has the slope { $slope } there.
check-differs-along = Along a random direction the gradient says { $gradient }, but the program has the slope { $slope }.
check-differs-kink = The gradient says { $gradient }, but the program has the slope { $left } to the left and { $right } to the right.
check-depends = No gradient arrived, but the result depends on it: the slope is { $slope }.
check-running = Checking with numbers …
check-nonfinite = Not finite: slopes say nothing here.
check-unchecked = Not checked: { $why ->
        [counted] the run is so long that its middle was not kept.
        [dtype] only what is computed in float32 and float64 is checked.
        [changed] it changed between its uses.
        [unread] no recorded operation reads it.
        [kept] its entries were not kept.
        [inside] backward ran within a backward.
        [time] no time was left, or the program takes another path when it is moved.
        [undefined] with it moved a little, the result is NaN or infinite.
        [unsteady] there is a kink or a jump here, or the slope depends on the length of the step.
        [elsewhere] in float64 the program gives another result.
        [rounding] the slope is lost in the rounding of the result.
        [tied] several entries are equally large, and torch may give any of them the gradient: moving one alone cannot tell.
        [shared] another tensor lies in the same memory and moves with it.
       *[path] two runs of the program differ.
    }
check-reason-cut = { $code } leaves the graph: what goes through it does not count in the gradient.
check-reason-no-grad = { $code } runs without gradients: what goes through it does not count.
check-reason-function = { $code } has a backward of its own.
check-reason-hook = A hook changes the gradient.
check-reason-overwritten = Numbers that backward needed were overwritten.
check-reason-straight = { $code } gives hard samples the gradient of soft ones.
check-reason-number = { $code } takes numbers out of torch, and what is computed from them does not count in the gradient. Compute it with torch.
check-reason-made = { $code } makes a new tensor of its entries, which is no part of the graph. Use the tensor itself, or torch.stack.
checked-verified = Gradients checked: { $of ->
        [one] they are
       *[other] { $calls ->
            [one] those of one backward call are
           *[other] those of the first and the last backward call are
        }
    } the slopes of the program.
checked-meant = Gradients checked: the result also depends on { $names } outside the graph.
checked-differs = Gradients checked: what { $names } got is not the slope of the program.
check-at = { $name }, backward { $backward }: { $what }
check-badge-agrees = checked with numbers: agrees
check-badge-kink = checked with numbers: a kink
check-badge-differs = checked with numbers: differs
check-badge-depends = checked with numbers: no gradient, but the result depends on it
plot-slope = slope
plot-gradient = torch’s gradient
plot-no-tangent = The line with torch’s gradient { $gradient } is not a tangent.
plot-computed = { $finite ->
        [yes] The slope of this line is the gradient of { $name }.
       *[no] The gradient here is { $gradient }: there is no line to draw.
    }{ $drags ->
        [yes] { " " }Drag the point: the number in the code moves with it.
       *[no] { "" }
    }
plot-title = { $root } over { $name }. At { $name } = { $at } { $finite ->
        [yes] a line with the slope { $gradient }
       *[no] the gradient is { $gradient }
    }.
plot-sum = the sum of { $root }
