# The Training page: the loss over the steps, a strip for each parameter, the numbers of a step, plots.

training-first = A small network learns a wave
lens-awaited = The program is running. Its results appear here.
training-place = Which backward
training-measure = The strips show
training-measure-gradient = size of the gradient
    .short = gradient
    .column = ‖gradient‖
training-measure-value = size of the value
    .short = value
    .column = ‖value‖
training-measure-update = size of the update
    .short = update
    .column = ‖update‖
training-measure-ratio = update / value
    .short = update / value
    .column = update / value
training-measure-zeros = share of zeros in the gradient
    .short = zeros
    .column = zeros in the gradient
training-measure-units = share of units whose weights all have a gradient of exactly 0
    .short = dead units
    .column = units without gradient

training-loss = loss
training-log = logarithmic
training-step = Step
training-at-step = training step { $step }
training-mark-lowest = lowest loss
training-mark-rate = learning rate { $before } → { $after }
training-name-now = now
training-loss-ends = { $name }: { $loss } at step { $step }
training-loss-text = Loss over { COUNTED($count, "step", "steps") }, from { $first } to { $last }
training-strip = { $name }: { $measure }, from { $first } to { $last }. { $remark }
training-more-rows = { $count } more parameters have no strip here.
training-legend =
    .zero = exactly 0
    .missing = no number
    .bad = NaN or ∞

training-remark =
    .nan = NaN from step { $step }
    .infinite = ∞ from step { $step }
    .none = never gets a gradient
    .dead = gradient 0 from step { $step }
    .frozen = never moves
    .rounding = 0 up to rounding
    .vanishing = below 1e−7 from step { $step }
    .exploding = grew { $amount }-fold

training-thinned = Kept { $kept } of { COUNTED($called, "step", "steps") }, evenly spaced, including the first and the last.
training-ended = The program { $end ->
        [limited] reached a limit
       *[stopped] stopped
    }. This is the training up to that point.
training-empty-title = No training to show

training-empty = { $end ->
        [ok] This program never calls backward.
       *[stopped] The program stopped before it called backward.
    } A training loop calls it once per round:
training-empty-grads = This page needs at least two rounds. Here backward() is called { COUNTED($count, "time", "times") } in one place: call it in a loop.
training-empty-killed = The program reached a limit inside a single call that can't be interrupted, so its recording was lost. Steps are kept if each call ends in time. A training loop calls backward once per round:
training-empty-try = Or look at an example:

training-before = Thin line: before the change
training-before-dismiss = Dismiss
training-before-hint = The next change is compared with this run
training-changed-lines = lines { $first } to { $last }

training-numbers-of-step = Step { $step }
training-open-step = Graph of this step
training-rate = learning rate
training-rate-of = learning rate of { $name }
training-loops = loop
training-parameters = Parameters at this step

training-more = More
    .entries = Entries
    .bands = Distribution
    .rates = Learning rate
    .table = Table
    .optimizers = Optimizers and modes
training-parameter = Parameter
training-of-values = values
training-of-gradients = gradients
training-entries-some = Showing { $shown } of { COUNTED($all, "entry", "entries") }.
training-entries-sample = A sample of { $kept } of { COUNTED($all, "entry", "entries") } was kept.
training-bands-text = The inner band contains half of the entries, the outer band 90 %. The line is the median.
training-bands-sample = The bands show a sample of { $kept } of { COUNTED($all, "entry", "entries") }.
training-no-entries = Individual entries of this parameter were not kept.
training-rates-none = No torch optimizer stepped here, so the learning rate is unknown.
training-rates-flat = The learning rate of { $name } is { $rate } at every recorded step.
training-table-some = { $shown } of { $all } kept steps, evenly spaced.
training-table-caption = Loss and { $measure } over the steps

# Trainings that were recorded. $last: the number of a step.

# A training that explorer.watch measures, shown by app --watch.
watched-title = Training { $name }
watched-missing = { $path } does not exist any more. This page shows it as soon as it is there again.
watched-waiting = { $path } has no step yet. The first one appears here when the training has finished it.
watched-foreign = { $path } was not written by explorer.watch, or it is damaged.
watched-steps = { COUNTED($steps, "step", "steps") } of { COUNTED($layers, "layer", "layers") }, { COUNTED($events, "event", "events") }.
watched-stride = One step in { $stride } is shown.
watched-some = Curves for { $curves } and rows for { $rows } of { $layers } layers.
watched-left-out = The first { $shown } events are marked. There are { $more } more.
watched-more = { $read } MB were read so far, at most { $most } MB are.
watch-happened = { $kind ->
    [loss] loss { $first }
    [jump] loss { $first }, median before { $second }
    [gradients] gradients not finite: { $first } of { $second }
    [said] { $first }
   *[other] event
}
watch-happened-and = {", "}
watched-event = Step { $step }: { $event }
watched-no-trace = not recorded
watched-open = Open { $name }
watched-alt = Loss and gradient norms of { COUNTED($layers, "layer", "layers") } over { COUNTED($steps, "step", "steps") }
watched-norm = gradient norm
watched-layers = layers
