# The Broadcasting page.

bc-title = Broadcasting
bc-lede = Shapes are lined up from the right. Where one side has size 1, its numbers are read again and again; nothing is copied.
bc-operand = { $name }: shape or tensor
bc-operand-hint = A shape such as 3, 1 (filled with 0, 1, 2, …), numbers such as [[1., 2.]], or an expression such as torch.arange(3.). A later operand may use an earlier one.
bc-operator = operator
bc-start = gradient of the result (v)
bc-start-ones = v = ones
bc-start-mean = mean of the result
bc-start-given = v given
bc-given = starting gradient v
bc-given-hint = In the shape of the result, for example [[1., 10.], [0., 1.], [0., 0.]].
bc-more = Add an operand
bc-fewer = Remove the last
bc-source = Show
bc-source-own = Operands typed below
bc-source-program = From your program: { $place }
bc-run = Run

bc-line-up = Line up the shapes
bc-line-up-note = Read each column: equal sizes match, a 1 stretches, a missing axis counts as 1, anything else is an error.
bc-table = The shapes lined up from the right
bc-dim = dim { $dim }
bc-scalar = no axes
bc-stretched = its one entry is read { COUNTED($count, "time", "times") }
bc-clash-cell = these sizes do not fit
bc-clashes = clash
bc-way-back = Backward
bc-way-back-note = An entry that was read several times receives several gradients. Their sum has the shape of the operand.
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
bc-read-from = { $entry } was made from { $sources }.
bc-loss = Backward starts from one number: { $loss }.
bc-share = share
bc-per-reading = one per reading
bc-upstream = gradient at { $name }
bc-summed = sum over dim { $dims }
bc-not-summed = nothing to sum
bc-no-entries = no entries
bc-grid = { $name }, shape { $shape }
bc-axis = dim { $dim }
bc-part = Shown: { $shown } of { COUNTED($count, "entry", "entries") }. The sliders choose which.
bc-key-stored = stored
bc-key-ghost = read again, not stored
bc-key-gradient = gradient
bc-key-chosen = Click an entry, or walk with the arrow keys: what made it is lit.
bc-key-share = what this operation passes on; .grad holds more where others add to it, and is empty where no leaf is
bc-boxes = All of it as boxes. Drag to turn.
bc-boxes-part = The first entries of each axis as boxes, at most { $most } per axis. Drag to turn.

bc-stale = Last good picture.
bc-stale-of = It belongs to { $expression }, { $shapes }.
bc-clash = Clash at dim { $dims }: { $sizes }. Sizes must be equal, or one of them 1.
bc-clash-sizes = { $first } against { $second }
bc-repaired = With { $code } the shapes fit. The picture is of that run.
bc-mend = Fix it with one click
bc-mend-program = What mends it
bc-mend-silent = If pairs were meant
bc-mend-silent-note = Every operand was stretched, so each entry of one met each entry of the other: { $count } results, and no error.
bc-mend-axis-note = It fits, but the axis that is left meets another axis than its own: no error.
bc-mend-gives = { $code } has shape { $shape }; the result { $result }

bc-trouble-empty = { $name } is empty. Write a shape such as 3, 1, or () for a scalar.
bc-trouble-negative = { $name } has a negative size: { $text }. A size is 0 or more.
bc-trouble-rank = { $name } has more axes than fit here: at most { $most }.
bc-trouble-large = { COUNTED($count, "entry", "entries") }: at most { $most } are computed here. The table still explains the shapes.
bc-trouble-brackets = { $name }: the brackets do not match in { $text }.
bc-trouble-ragged = { $name } is ragged: rows of { $text } differ in length. A tensor has rows of one length.
bc-floated = { $names } held whole numbers or booleans, which have no gradient: .float() was added.
bc-not-tensor = { $names }: not a tensor. Write torch.tensor(…) around it.
bc-opaque = The entries of { $names } are not shown: { $why ->
    [sparse] sparse tensors have none at every place; .to_dense() makes one that has.
    [many] the run keeps at most { $most } of a tensor.
   *[other] the run did not keep them.
  }
bc-complex = Complex entries: values and gradients are torch’s own; the sums are not written out.
bc-nothing-broadcast = All shapes are equal: nothing is stretched.

bc-example-outer = (3, 1) + (1, 2)
bc-about-outer = A column and a row make a table. Each gradient is a sum: two readings of a, three of b.
bc-example-product = a × b
bc-about-product = The same table of products. Now a reading gives back the other factor: a.grad is 1, b.grad is 3.
bc-example-mse = MSE, (3, 1) against (3,)
bc-about-mse = Predictions (3, 1) and targets (3,) do not pair up: the difference is (3, 3). Prediction and target agree, the loss should be 0, but it is 1.3333 and pulls at the ends.
bc-example-centre = Centring, wrong axis
bc-about-centre = a.mean(1) has one entry per row, but the last axis of a counts columns: 2 against 3 is an error.
bc-example-silent = The same, square
bc-about-silent = With (3, 3) the wrong axis fits: row means are subtracted from columns, and nothing warns.
bc-example-rows = a / a.sum(1)
bc-about-rows = Rows that should sum to 1. The sum lost its axis, so 2 meets 3.
bc-example-keepdim = With keepdim
bc-about-keepdim = keepdim=True leaves an axis of size 1 behind, which stretches along the row.
bc-example-scalar = Scalar
bc-about-scalar = A scalar has no axes and stretches along all of them. Its gradient is the sum over everything.
bc-example-empty = Size 0
bc-about-empty = Size 1 also stretches to 0: nothing is read, the result is empty, and the gradient is an empty sum.
bc-example-flat = (2, 1) + (1, 3)
bc-about-flat = Both are stretched, each along the other’s axis.
bc-example-deep = (8, 1, 6, 1) with (7, 1, 5)
bc-about-deep = Four axes; along each of them one of the two is stretched. The sliders choose the slice.
bc-example-box = (2, 3, 1) × (4,)
bc-about-box = A block of columns times a row.
bc-example-three = Three operands
bc-about-three = The rule holds for any number of operands: column by column.
