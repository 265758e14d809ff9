# Gradients held against quotients: what is said of a leaf, why nothing is, and what an entry that grows does.

check-numbers = Check with numbers
check-hint = Moves entries of every leaf a little, runs the program again and compares the slopes with the gradients
check-running = Checking with numbers …
check-agrees = { $entries ->
        [one] The gradient{ $at ->
            [none] {""}
           *[other] {" "}at { $at }
        } is { $gradient }, the measured slope is { $slope }: they agree.
       *[other] The gradient is the slope at { $entries } entries that were moved: { $places }.
    }
check-none = No gradient arrived{ $at ->
        [none] {""}
       *[other] {" "}at { $at }
    }, and the measured slope is { $slope }: they agree.
check-kink = A kink{ $at ->
        [none] {""}
       *[other] {" "}at { $at }
    } has no derivative: to the left the slope is { $left }, to the right { $right }. The gradient { $gradient } is one answer among several.
check-differs = The gradient{ $at ->
        [none] {""}
       *[other] {" "}at { $at }
    } says { $gradient }, but the program has the slope { $slope } there.
check-differs-kink = The gradient{ $at ->
        [none] {""}
       *[other] {" "}at { $at }
    } says { $gradient }, but the program has the slope { $left } to the left and { $right } to the right.
check-depends = No gradient arrived{ $at ->
        [none] {""}
       *[other] {" "}at { $at }
    }, but the result depends on it: the slope is { $slope }.
check-nonfinite = Not finite: slopes say nothing here.
check-rest = { $count } of { COUNTED($all, "entry", "entries") } gave no slope.
check-unchecked = Not checked: { $why ->
        [counted] the run is so long that its middle was not kept.
        [dtype] only what is computed in float32 and float64 is checked.
        [changed] it changed between its uses.
        [unread] no recorded operation reads it.
        [kept] its entries were not kept.
        [inside] backward ran within a backward.
        [time] no time was left, or the program takes another path when the entry is moved.
        [undefined] with the entry moved a little, the result is NaN or infinite.
        [unsteady] steps of different length give different slopes, as at a jump.
        [elsewhere] in float64 the program gives another result.
        [rounding] float32 rounds this gradient away.
        [tied] several entries are equally large, and torch may give any of them the gradient: moving one alone cannot tell.
        [shared] another tensor lies in the same memory and moves with it.
       *[path] two runs of the program differ.
    }
check-reason-cut = { $code } leaves the graph: what goes through it does not count in the gradient.
check-reason-no-grad = { $code } runs without gradients: what goes through it does not count.
check-reason-function = { $code } has a backward of its own.
check-reason-hook = A hook changes the gradient.
check-reason-overwritten = Numbers that backward needed were overwritten.
check-at = { $name }, backward { $backward }: { $what }
check-entry = entry { $entry }: { $what }
check-badge-agrees = checked with numbers: agrees
check-badge-kink = checked with numbers: a kink
check-badge-differs = checked with numbers: differs
check-badge-depends = checked with numbers: no gradient, but the result depends on it
check-gradient = gradient
check-slope = measured slope
check-more = { $count ->
        [one] and one more entry
       *[other] and { $count } more entries
    }
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
