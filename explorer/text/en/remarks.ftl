# What the steps of a training show. $step, $earlier, $best: steps, as "step 48 (epoch = 3, i = 17)".

remarks = What the steps show
remark-call = step { $number }
remark-round-and-call = step { $number } ({ $rounds })

remark-loss-nonfinite-on = The loss is { $what } from { $step } on.
remark-loss-nonfinite-at = The loss is { $what } at { $step }.
remark-loss-nan-then = From { $step } on it is NaN.
remark-because-line = At { $step }, { $code } in line { $line } makes { $what } of finite numbers.
remark-because-update = The update after { $step } made { $name } infinite.
remark-because-gradient = The update after { $step } used a gradient of { $name } with NaN or infinity in it.
remark-loss-grows-on = From { $step } on the loss grows at every step: { $first } → { $last }.
remark-loss-grows-always = The loss grows at every step: { $first } → { $last }.
remark-step-length = The update after { $step } is { COUNTED($ratio, "time", "times") } the size of all weights: the step is long.

remark-gradient-nonfinite = At { $step } the loss is still { $loss }, but { $leaves ->
    [one] the gradient of { $names } holds
   *[other] the gradients of { $names } hold
} NaN or infinity.

remark-vanishing = The gradient of { $name } is below 1e−7 from { $step } on, { $norm } in the end; that of { $other }, nearer to the loss, is about { $large }.
remark-vanishing-always = The gradient of { $name } is below 1e−7 in every step, { $norm } in the end; that of { $other }, nearer to the loss, is about { $large }.
remark-vanishing-unmoved = It never moves.
remark-vanishing-rounded = It never moves: what the optimizer adds is lost in rounding.
remark-vanishing-also = { $leaves ->
    [one] { $names } has vanished too.
   *[other] { $names } have vanished too.
}
remark-zero = From { $step } on { $leaves ->
    [one] the gradient of { $names } is
   *[other] the gradients of { $names } are
} exactly 0.
remark-zero-always = { $leaves ->
    [one] The gradient of { $names } is
   *[other] The gradients of { $names } are
} exactly 0 in every step.
remark-zero-every = From { $step } on every gradient is exactly 0: nothing learns any more.
remark-zero-later = { $leaves ->
    [one] Later that of { $names } is 0 too.
   *[other] Later those of { $names } are 0 too.
}
remark-because-flat = { $code } in line { $line } has slope 0 for every one of its inputs, so no gradient passes.
remark-loss-stays = The loss was { $least } at { $best }; it does not fall below { $now } any more.
remark-dead-units = { $dead } of { $units } units of { $name } get no gradient from { $step } on.
remark-dead-units-always = { $dead } of { $units } units of { $name } get no gradient in any step.

remark-rate-zero = The learning rate is 0 from { $step } on, { $rate } before: nothing learns any more.
remark-unmoved = { $leaves ->
    [one] { $names } never moves
   *[other] { $names } never move
}, although the gradient is not 0.
remark-unmoved-all = Nothing moves: in the end { $leaves ->
    [one] the parameter is what it was.
   *[other] all { $leaves } parameters are what they were.
}
remark-because-rate = The learning rate is 0.
remark-because-nothing = No step of an optimizer changes { $leaves ->
    [one] it.
   *[other] them.
}
remark-thinned = Of this loop one step in { $stride } was kept: it may have begun a little before.
