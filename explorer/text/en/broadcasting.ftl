# The Broadcasting page.

bc-lede = Shapes are aligned from the right. If one side has size 1, its values are read repeatedly. Nothing is copied.
bc-operand = { $name }: shape or tensor
bc-operand-hint = A shape such as 3, 1 (filled with 0, 1, 2, …), numbers such as [[1., 2.]], or an expression such as torch.arange(3.). Operands may use earlier operands.
bc-operator = operator
bc-start = gradient of the result (v)
    .ones = v = all ones
    .mean = mean of the result
    .given = v given
bc-given-hint = With the shape of the result, for example [[1., 10.], [0., 1.], [0., 0.]].
bc-more = Add an operand
bc-fewer = Remove the last operand
bc-source = Show
bc-source-own = Operands typed below
bc-source-program = From your program: { $place }

bc-line-up = Align the shapes
bc-line-up-note = Read each column: equal sizes match, a 1 stretches, a missing axis counts as 1, anything else is an error.
bc-table = The shapes aligned from the right
bc-scalar = no axes
bc-stretched = its single entry is read { COUNTED($count, "time", "times") }
bc-clash-cell = these sizes don't match
bc-clashes = clash
bc-backward = Backward
bc-backward-note = An entry that was read several times gets several gradients. Their sum has the shape of the operand.
bc-read = { $name } was read { $count ->
    [0] 0 times
    [one] once
   *[other] { $count } times
  } along dim { $dim }.
bc-read-along = { $name } was read { $count ->
    [one] once
   *[other] { $count } times
  }: { $dims }.
bc-along = { $count } along dim { $dim }
bc-read-nothing = { $name } has no entries.
bc-read-once = Every entry of { $name } was read once: nothing to sum.
bc-every = Every entry of { $grad } is
bc-terms = { $count } terms
bc-no-gradient = requires_grad=False, or no gradient arrived.
bc-read-from = { $entry } was computed from { $sources }.
bc-loss = Backward starts from one number: { $loss }.
bc-share = share
bc-per-reading = one per reading
bc-upstream = gradient at { $name }
bc-summed = sum over dim { $dims }
bc-not-summed = nothing to sum
bc-no-entries = no entries
bc-grid = { $name }, shape { $shape }
bc-axis = dim { $dim }
bc-part = Showing { $shown } of { COUNTED($count, "entry", "entries") }. Choose them with the sliders.
bc-key-stored = stored
bc-key-ghost = read again, not stored
bc-key-chosen = Click an entry, or use the arrow keys, to highlight its sources.
bc-key-share = the gradient this operation passes on. .grad holds more if other operations add to it, and is empty for non-leaf tensors

bc-stale-of = It shows { $expression }, { $shapes }.
bc-clash = Clash at dim { $dims }: { $sizes }. Sizes must be equal, or either must be 1.
bc-clash-sizes = { $first } against { $second }
bc-repaired = With { $code } the shapes fit. The picture shows that run.
bc-fix = Fix it with one click
bc-fix-program = Fixes
bc-fix-silent = If pairs were intended
bc-fix-silent-note = Every operand was stretched, so each entry of one was combined with each entry of the other: { $count } results and no error.
bc-fix-axis-note = The shapes match, but the remaining axis is aligned with the wrong axis. No error is raised.
bc-fix-gives = { $code } has shape { $shape }, the result { $result }

bc-trouble =
    .empty = { $name } is empty. Write a shape such as 3, 1, or () for a scalar.
    .negative = { $name } has a negative size: { $text }. A size is 0 or more.
    .rank = { $name } has too many axes: at most { $most } fit here.
    .large = { COUNTED($count, "entry", "entries") }: at most { $most } are computed here. The table still explains the shapes.
    .brackets = { $name }: the brackets do not match in { $text }.
    .ragged = { $name } is ragged: the rows of { $text } differ in length. All rows of a tensor have the same length.
bc-floated = { $names } contained whole numbers or booleans, which have no gradient, so .float() was added.
bc-not-tensor = { $names }: not a tensor. Write torch.tensor(…) around it.
bc-opaque = The entries of { $names } are not shown: { $why ->
    [sparse] sparse tensors do not store every entry. Use .to_dense().
    [many] the run keeps at most { $most } of a tensor.
   *[other] the run did not keep them.
  }
bc-complex = Complex entries: values and gradients are torch’s, and the sums are not written out.
bc-nothing-broadcast = All shapes are equal: nothing is stretched.

bc-example-outer = (3, 1) + (1, 2)
    .see = A column and a row form a table. Each gradient is a sum over all readings: two for a, three for b.
    .ask = Which entries of the result change when one entry of a does?
bc-example-product = a × b
    .see = The same table, but of products. Each reading now contributes the other factor, so a.grad is 1 and b.grad is 3.
    .ask = Which numbers add up to the 1, and which to the 3?
bc-example-mse = MSE, (3, 1) against (3,)
    .see = Predictions (3, 1) and targets (3,) do not pair up: the difference is (3, 3). Prediction and target agree, so the loss should be 0, but it is 1.3333 and has gradients at both ends.
    .ask = What shape must the target have so that the loss is 0?
bc-example-centre = Centring, wrong axis
    .see = a.mean(1) has one entry per row, but the last axis of a counts columns: 2 against 3 is an error.
    .ask = Which keyword of mean makes the shapes fit?
bc-example-silent = The same, square
    .see = With (3, 3) the wrong axis fits: row means are subtracted from columns, and nothing warns.
    .ask = Nothing fails. How would you notice?
bc-example-rows = a / a.sum(1)
    .see = The rows should sum to 1. The sum lost its axis, so sizes 2 and 3 clash.
    .ask = What shape must the sums have so that each row is divided by its own sum?
bc-example-keepdim = With keepdim
    .see = keepdim=True keeps an axis of size 1, which stretches along the row.
    .ask = What does each row of the result add up to?
bc-example-scalar = Scalar
    .see = A scalar has no axes and stretches along all of them. Its gradient is the sum over everything.
    .ask = How many numbers add up to the gradient of the scalar?
bc-example-empty = Size 0
    .see = Size 1 also stretches to 0: nothing is read, the result is empty, and the gradient is an empty sum.
    .ask = What is an empty sum?
bc-example-flat = (2, 1) + (1, 3)
    .see = Both are stretched, each along the other’s axis.
    .ask = Over which axis is the gradient of a summed, and over which is b's?
bc-example-deep = (8, 1, 6, 1) with (7, 1, 5)
    .see = There are four axes, and along each one tensor is stretched. Choose the slice with the sliders.
    .ask = How many times is one entry of b read?
bc-example-box = (2, 3, 1) × (4,)
    .see = A block of columns times a row.
    .ask = Over which axes is the gradient of the row summed?
bc-example-three = Three operands
    .see = The rule applies to any number of operands, column by column.
    .ask = Does the order of the operands matter for the shape of the result?
