# Shapes and positions that do not fit: a title, the cause, the change.

error-matmul-sizes = Inner sizes of the product differ
    .cause = Rows of { $left } with shape { $left_shape } have { COUNTED($columns, "entry", "entries") }, columns of { $right } with shape { $right_shape } have { $rows }. A product pairs rows with columns, so these two numbers must be equal.
    .repair = { $how ->
        [turned] Transpose { $name }: .T turns { $from } into { $into }, which makes the inner sizes equal.
        [exchanged] Swap the two factors, which makes the inner sizes equal.
        [sized] { $name } needs { COUNTED($columns, "row", "rows") } here, one for each column of { $left }: shape { $into }.
       *[none] Choose sizes so that rows and columns have the same number of entries.
    }
error-matmul-vector = Matrix and vector don't match
    .cause = Each row of { $left } with shape { $left_shape } has length { $columns }, but the vector { $right } with shape { $right_shape } has length { $entries }.
    .repair = Use a vector with as many entries as the matrix has columns, or transpose the matrix if that is intended.
error-dot-lengths = Vectors of different lengths in a dot product
    .cause = { $left } has { COUNTED($m, "entry", "entries") } and { $right } has { $n } (shapes { $left_shape } and { $right_shape }). A dot product multiplies them pair by pair.
    .repair = Give both vectors the same number of entries.
error-product-ranks = Wrong number of axes for { $function }
    .cause = The tensors of { $function } must have { $left_axes } and { $right_axes } axes, but { $left } has shape { $left_shape } and { $right } has { $right_shape }.
    .repair = Use torch.matmul (@), which takes vectors, matrices and batches, or sum the elementwise product a * b.
error-matmul-batches = Inner sizes of the matrices differ
    .cause = The matrices in { $left } with shape { $left_shape } have { COUNTED($columns, "column", "columns") }, and the matrices in { $right } with shape { $right_shape } have { COUNTED($rows, "row", "rows") }. These numbers must be equal.
    .repair = Swap the last two axes of one tensor with .mT, or choose matching sizes.
error-batch-counts = Different numbers of matrices
    .cause = { $left } with shape { $left_shape } and { $right } with shape { $right_shape } contain batches of matrices whose numbers are neither equal nor 1.
    .repair = Use the same number of matrices on both sides, or one matrix without a batch axis.
error-matmul-scalar = A scalar in a matrix product
    .cause = In { $code }, { $scalar } has no axes. A matrix product needs at least one axis on both sides.
    .repair = Multiply by a scalar with *.
error-matmul-number = A plain number in a matrix product
    .cause = In { $code }, { $number } is a number, but @ multiplies tensors with axes.
    .repair = Multiply by a number with *.
error-broadcast-several = Shapes cannot be broadcast together
    .cause = { $code } got tensors of shapes { $shapes }. Aligned from the right, sizes must be equal or 1.
    .repair = Make the sizes equal along every axis, or 1 to stretch a tensor.
error-broadcast-sizes = Shapes cannot be broadcast
    .cause = Shapes are aligned from the right. At axis { $axis }, { $left } { $left_shape } has { $m } and { $right } { $right_shape } has { $n }. They must be equal, or either must be 1.
    .repair = Make the two sizes equal, or insert an axis of size 1 with unsqueeze to stretch a tensor.
error-cut-by-another-axis = Cut to the size of another axis
    .cause = { $part } { $part_shape } has as many rows as axis { $axis } of { $base } { $shape }. Shapes are aligned from the right, so these rows meet axis { $meets }, which has size { $size }.
    .repair = Cut to that size: { $right }. If the rows belong to axis { $axis }, insert an axis behind them instead: { $part }[:, None].
error-mask-between = The axes in between are missing
    .cause = { $mask } { $mask_shape } has the sizes of the first and the last axis of { $shape }. Shapes are aligned from the right, so its first axis is aligned with a different axis.
    .repair = Insert an axis of size 1 for each missing axis: { $mask }{ $index }.
error-broadcast-column = A vector aligned with the wrong axis
    .cause = { $left } has shape { $left_shape } and { $right } has { $right_shape }. Shapes are aligned from the right, so { $m } is aligned with { $n } at axis { $axis }. The vector matches the first axis, not the last.
    .repair = Turn the vector into a column with unsqueeze(1).
error-broadcast-transposed = One matrix is transposed
    .cause = { $left } has shape { $left_shape }, { $right } has { $right_shape }. Aligned from the right, the sizes at axis { $axis } are { $m } and { $n }, and neither is 1.
    .repair = Transpose one of them with .T if rows and columns are swapped.
error-broadcast-keepdim = The reduction dropped its axis
    .cause = { $reduced } turns { $whole_shape } into { $part_shape }, which removes axis { $gone }. Aligned from the right, { $left } { $left_shape } and { $right } { $right_shape } then have { $m } and { $n } at axis { $axis }.
    .repair = Keep the axis with keepdim=True, so that the result can be stretched along it.
error-normalize-channels = Normalize has the wrong number of channels
    .cause = transforms.Normalize got { COUNTED($given, "mean", "means") }, but an image of shape { $shape } has { COUNTED($channels, "channel", "channels") }.
    .repair = Pass one mean and one deviation per channel, as in Normalize((0.5,), (0.5,)) for one channel.
error-inplace-shape = The result doesn't fit in place
    .cause = { $code } writes into { $target } with shape { $shape }, but the result has shape { $result }. An in-place operation cannot enlarge a tensor.
    .repair = Create a new tensor instead: a = a + b.
error-linear-features = Input features don't match the layer
    .cause = { $layer } takes { COUNTED($wanted, "feature", "features") }. Its input has shape { $shape }, with { COUNTED($features, "feature", "features") } along the last axis.
    .repair = Create the layer for { COUNTED($features, "feature", "features") }, or pass it { $wanted }.
error-linear-features-flattened = Input features don't match the layer
    .cause = { $layer } takes { COUNTED($wanted, "feature", "features") } but gets { $features }. Each example of shape { $before } has { $factors } = { COUNTED($features, "entry", "entries") } when flattened.
    .repair = Create the layer for { COUNTED($features, "feature", "features") }, or change the previous layers to produce { $wanted }.
error-conv-channels = Input channels don't match the layer
    .cause = { $layer } takes { $wanted } channels, but its input with shape { $shape } has { $channels }.
    .repair = Create the layer with the input's number of channels ({ $channels }), or give the input the layer's number ({ $wanted }).
error-conv-channels-last = Channels are last in the input
    .cause = { $layer } takes { $wanted } channels along axis { $axis }, but the input with shape { $shape } has { $channels } there. Its channels are last.
    .repair = Move the channels to axis { $axis } with { $order }.
error-conv-no-channels = The channel axis is missing
    .cause = { $layer } takes { $wanted } channel. An input of shape { $shape } is read as one image with { $channels } channels.
    .repair = Insert the channel axis with unsqueeze(1).
error-conv-axes = The input has the wrong number of axes
    .cause = { $layer } takes { COUNTED($fewer, "axis", "axes") } (one example) or { $more } (a batch). The input with shape { $shape } has { $axes }.
    .repair = Insert the missing axis with unsqueeze, or remove an extra axis.
error-pool-to-nothing = Nothing is left of the image
    .cause = { $layer } gets { $before } (channels × height × width) and would return { $after }. Each earlier convolution and pooling shrank the image.
    .repair = Use a larger image, or fewer and smaller convolutions and poolings.
error-format-of-many = One format for many numbers
    .cause = A format such as { $spec } is for one number, but { $name } has shape { $shape }.
    .repair = Format one number, { $name }.mean() or an entry, or each of { $name }.tolist().
error-conv-kernel = The kernel is larger than the input
    .cause = { $layer } has a kernel of { $kernel }, but its padded input is only { $size }.
    .repair = Use a larger input, a smaller kernel or more padding.
error-embedding-range = Index out of range for the embedding table
    .cause = The table of { $layer } has { COUNTED($rows, "row", "rows") }, numbered 0 to { $last }. The largest index in { $indices } is { $index }.
    .repair = Indices and table use different vocabularies. Make the table large enough for all indices (at least { COUNTED($enough, "row", "rows") }), or build the indices from the table's vocabulary.
error-embedding-range-large = Index out of range for the embedding table
    .cause = The table of { $layer } has { COUNTED($rows, "row", "rows") }, numbered 0 to { $last }, but one index is { $index }.
    .repair = Give the table more rows (at least the largest index plus 1), or fix the indices.
error-loss-shapes = Scores and target differ in shape
    .cause = { $scores } has shape { $scores_shape }, { $target } has { $target_shape }. The loss compares them entry by entry.
    .repair = Give both the same shape.
error-target-count = Different numbers of rows and targets
    .cause = { $scores } with shape { $scores_shape } has { COUNTED($rows, "row", "rows") }, { $target } with shape { $target_shape } has { COUNTED($targets, "target", "targets") }.
    .repair = Pass exactly one target for each row of scores.
error-target-column = The targets form a column
    .cause = { $target } has shape { $target_shape }. For scores { $scores } of shape { $scores_shape } the loss expects a vector with one class index per row.
    .repair = Remove the axis of size 1 with squeeze(1).
error-target-axes = The target has the wrong shape
    .cause = { $target } has shape { $target_shape }, { $scores } has { $scores_shape }. The loss expects one class index per row, or probabilities in the shape of the scores.
    .repair = Pass a vector of class indices, or probabilities with the shape of the scores.
error-target-probabilities = Probabilities as whole numbers
    .cause = { $target } has the shape { $target_shape } of { $scores } ({ $scores_shape }), so it is treated as probabilities, but it contains whole numbers.
    .repair = Convert it with .float(), or pass a vector of class indices.
error-scores-are-classes = Classes instead of scores
    .cause = { $scores } is { $dtype }: the chosen classes. { $target } is compared with the score of every class, and choosing a class has no gradient.
    .repair = Pass the scores themselves, as the network returns them.
error-target-one-row = Scores without a batch axis
    .cause = { $scores } has shape { $scores_shape }: one row of scores. { $target } with shape { $target_shape } is then treated as probabilities, but it contains whole numbers.
    .repair = Pass scores of shape (rows, classes) for several targets, or a single class index.
error-target-range = A target outside the classes
    .cause = { $scores } with shape { $scores_shape } has { COUNTED($classes, "class", "classes") }, numbered 0 to { $last }. { $target } with shape { $target_shape } contains { $given }.
    .repair = Number the classes from 0, or make the scores wider.
error-target-negative = A negative class index
    .cause = { $scores } with shape { $scores_shape } has { COUNTED($classes, "class", "classes") }, numbered 0 to { $last }. { $target } with shape { $target_shape } contains { $given }.
    .repair = Number the classes from 0. If { $given } marks entries to ignore, such as padding, pass ignore_index={ $plain }.
error-target-from-one = Classes counted from 1
    .cause = { $target } with shape { $target_shape } counts classes from 1 to { $given }, but the { COUNTED($classes, "column", "columns") } of { $scores } { $scores_shape } are numbered 0 to { $last }.
    .repair = Subtract 1 from the targets.
error-binary-loss-shapes = Scores and target differ in shape
    .cause = { $scores } has shape { $scores_shape }, { $target } has { $target_shape }. The loss takes one target for each entry and does not broadcast.
    .repair = Give the target the shape of the scores, with unsqueeze or squeeze.
error-not-probabilities = Scores are not probabilities
    .cause = { $scores } with shape { $scores_shape } has entries below 0 or above 1, but the loss with { $target } { $target_shape } expects probabilities.
    .repair = Apply sigmoid first, or use binary_cross_entropy_with_logits.
error-not-labels = The labels are not probabilities
    .cause = { $target } with shape { $target_shape } has entries below 0 or above 1. The loss takes predictions first and labels second, both between 0 and 1.
    .repair = Check the order of the arguments and the scale of the labels.
error-reshape-entries = The entries don't fit the shape
    .cause = { $tensor } with shape { $own } has { COUNTED($entries, "entry", "entries") }, but shape { $shape } has { COUNTED($places, "place", "places") }.
    .repair = Choose sizes whose product is { $entries }.
error-reshape-not-divisible = The entries cannot be divided evenly
    .cause = { $tensor } with shape { $own } has { COUNTED($entries, "entry", "entries") }. Shape { $shape } needs a multiple of { $rest }, the product of the known sizes.
    .repair = Choose sizes that divide { $entries }. For one row per example, use .flatten(1).
error-reshape-two-unknown = More than one −1 in a shape
    .cause = { $code } leaves two sizes open, but only one can be inferred from the number of entries.
    .repair = Give a number for all sizes but one.
error-view-not-contiguous = view() needs entries in order
    .cause = The entries of { $tensor } with shape { $shape } are not in row-major order in memory, so no strides describe the new shape.
    .repair = Use reshape, which copies if necessary.
error-unflatten-size = The sizes don't fit the axis
    .cause = Axis { $axis } has size { $size }, but { $shape } has { $places } places.
    .repair = Choose sizes whose product is { $size }.
error-expand-size = Only axes of size 1 can be stretched
    .cause = { $code } would stretch { $shape } to { $target }: axis { $axis } has size { $size }, not { $wanted }.
    .repair = Only an axis of size 1 can take any size. -1 keeps the size of an axis.
error-expand-axes = expand() cannot drop axes
    .cause = { $code } passes the shape { $target }, which has fewer axes than { $shape }.
    .repair = Pass a size for every axis. −1 keeps the current size.
error-assign-shape = The assigned value has the wrong shape
    .cause = { $place } has shape { $place_shape }, but the assigned value has { $value_shape } and cannot be broadcast there.
    .repair = Assign one value per place, or a single number.
error-assign-transposed = The assigned value is transposed
    .cause = { $place } has shape { $place_shape }, but the assigned value has { $value_shape }: rows and columns are swapped.
    .repair = Transpose the value with .T.
error-assign-many-to-one = Several values for one place
    .cause = { $place } is a single entry (shape { $place_shape }), but the value has { COUNTED($count, "entry", "entries") } (shape { $value_shape }).
    .repair = Assign one number, or write to a slice of that length.
error-assign-list = A list assigned to entries
    .cause = { $code } takes a number or a tensor, not a Python { $given }.
    .repair = Convert it with torch.tensor(...).
error-assign-not-a-number = Entries must be numbers
    .cause = { $code } takes a number or a tensor, but got { $given }.
    .repair = Assign a number or a tensor.
error-stack-shapes = stack() needs equal shapes
    .cause = Tensor { $i } in the list has shape { $first }, tensor { $k } has { $second }. stack joins tensors of equal shape along a new axis.
    .repair = Pad or cut them to one shape, or join along an existing axis with cat.
error-join-nothing = No tensors to join
    .cause = { $code } got an empty list.
    .repair = Fill the list first. Check the loop or condition that should do so.
error-cat-sizes = cat() along axis { $axis }: other sizes differ
    .cause = Tensor 0 has shape { $first_shape }, tensor { $k } has { $other_shape }. Along every axis but { $axis } the sizes must be equal, but here they are { $m } and { $n }.
    .repair = Join along the axis on which they differ, or make their sizes equal.
error-cat-axes = cat() of tensors with different numbers of axes
    .cause = The tensors have shapes { $shapes }: their numbers of axes differ, { $m } and { $n }.
    .repair = Insert the missing axis with unsqueeze.
error-cat-scalars = Scalars have no axes to join along
    .cause = { $code } joins along an axis, but a scalar has no axes.
    .repair = { $others ->
        [yes] Give the scalar an axis with reshape(1). squeeze() removes every axis of size 1, including a batch axis of size 1.
       *[no] Use torch.stack, which adds a new axis.
    }
error-cat-axis-of-vectors = Vectors have no axis { $axis }
    .cause = { $code } joins along axis { $axis }, but vectors only have axis 0.
    .repair = Use torch.stack with dim=1 to join vectors of equal length as columns.
error-join-needs-a-list = The tensors must be in a list
    .cause = { $function } takes all tensors as one list or tuple, but in { $code } they are separate arguments.
    .repair = Put the tensors in parentheses: { $function }((a, b)).
error-permute-count = permute() must name every axis once
    .cause = { $tensor } has { COUNTED($axes, "axis", "axes") }, but { $given } were named.
    .repair = Name each axis of the tensor exactly once.
error-axis-twice = An axis is named twice
    .cause = { $code } names the same axis more than once.
    .repair = Name each axis once.
error-t-of-many-axes = t() is for matrices
    .cause = { $tensor } has { COUNTED($axes, "axis", "axes") }, but t() transposes at most two.
    .repair = Swap the last two axes with transpose(-2, -1) or .mT.
error-repeat-axes = repeat() needs a number for each axis
    .cause = { $tensor } has { COUNTED($axes, "axis", "axes") }, but repeat got { $count }.
    .repair = Pass a number for every axis, 1 for axes that are not repeated.
error-split-sum = The pieces do not add up
    .cause = The axis has size { $size }, but the sizes in { $code } add up to { $total }.
    .repair = Choose sizes that add up to { $size }.
error-negative-size = A size below zero
    .cause = In { $code } a size is negative, but a tensor has 0 or more entries along an axis.
    .repair = Use sizes of 0 or more.
error-arange-direction = The step leads away from the end
    .cause = In { $code } the end is never reached: the step is positive and the end is below the start, or the reverse.
    .repair = Use a step with the right sign, such as −1, or swap start and end.
error-arange-step-zero = The step is zero
    .cause = { $code } would never get past its start.
    .repair = Use a nonzero step.
error-linspace-steps = linspace needs the number of points
    .cause = { $code } has start and end, but not the number of points.
    .repair = Add steps=..., the number of points.
error-randint-bounds = randint has no number to draw
    .cause = No whole number is at least { $low } and below { $high }.
    .repair = Make the end larger than the start.
error-randint-size = randint needs its size as a tuple
    .cause = { $code } has no tuple for the shape of the result.
    .repair = Pass the shape last, as a tuple: torch.randint(0, 10, (3,)).
error-size-not-whole = Sizes must be whole numbers
    .cause = In { $code } a size is a float. The operator / always returns floats.
    .repair = Use whole numbers. // divides without a remainder.
error-einsum-sizes = One letter for two sizes
    .cause = In the equation, { $letter } already denotes an axis of size { $seen }, but in operand { $operand } (counted from 0) it has size { $size }.
    .repair = Use another letter, or tensors whose sizes agree along { $letter }.
error-einsum-letters = Different numbers of letters and axes
    .cause = Operand { $operand } (counted from 0) has { COUNTED($axes, "axis", "axes") }, but { COUNTED($letters, "letter", "letters") } in the equation.
    .repair = Write one letter for each axis.
error-einsum-operands = The equation has a different number of operands
    .cause = The equation has { COUNTED($named, "group", "groups") } of letters, but einsum got { COUNTED($given, "tensor", "tensors") }.
    .repair = Pass one tensor for each group between the commas.
error-einsum-output = A result axis that no operand has
    .cause = The letter { $letter } appears after the arrow, but in no operand before it.
    .repair = Use only letters of the operands in the result.
error-index-range = Index out of range
    .cause = Axis { $axis } of { $tensor } has size { $size }: positions 0 to { $last }, or −1 to −{ $size } from the end. { $index } is out of range.
    .repair = Use a position up to { $last }. −1 is the last position.
error-index-of-empty = Index into an empty axis
    .cause = Axis { $axis } of { $tensor } has size { $size }, so there is no position { $index }, and no last position ({ $last }) either.
    .repair = Check why the tensor is empty, or test its length first.
error-index-select-range = Index out of range
    .cause = Axis { $axis } of { $tensor } has size { $size }, positions 0 to { $last }, but an index is outside. Negative indices are not allowed here.
    .repair = Use indices from 0 to { $last }.
error-take-range = Index out of range
    .cause = The tensor has { COUNTED($entries, "entry", "entries") }, which this call numbers from 0 to { $last }. There is no entry { $index }.
    .repair = Use indices from 0 to { $last }.
error-index-of-scalar = A scalar cannot be indexed
    .cause = { $tensor } is a tensor without axes, so there is nothing to index.
    .repair = Use the tensor itself, or .item() for its number.
error-index-too-many = More indices than axes
    .cause = { $tensor } has shape { $shape }, so it takes at most { COUNTED($axes, "index", "indices") }, but got { $count }.
    .repair = Pass at most one index for each axis.
error-mask-shape = The mask has the wrong shape
    .cause = The mask has shape { $mask_shape }, but { $tensor } has { $shape }. A mask needs one True or False for every entry it selects from.
    .repair = Create the mask from the same tensor, or index the axis that it matches.
error-index-tensor-dtype = Positions must be whole numbers
    .cause = { $index } is { $dtype }, but a tensor of positions must contain whole numbers, and a mask booleans.
    .repair = Convert it with .long().
error-index-not-whole = Positions must be whole numbers
    .cause = In { $code } the index is a { $given }. Even 1.0 is not allowed, and / always returns floats.
    .repair = Use a whole number: int(i), or // for division.
error-index-kind = Not a position
    .cause = { $code } is indexed with a { $given }, but positions are whole numbers, slices, masks, None or an ellipsis (...).
    .repair = Use one of these.
error-index-text = Tensors have no named entries
    .cause = { $tensor } is a tensor and { $index } is text, but positions are numbers.
    .repair = Use a number. Only a DataFrame has named columns.
error-index-lists = Index lists of different lengths
    .cause = The lists in { $code } have shapes { $shapes }, but they are read together, pair by pair.
    .repair = Use lists of equal length, or index one axis after the other.
error-slice-backward = Slices only run forward
    .cause = { $code } has a negative step, which tensors do not allow.
    .repair = Reverse an axis with .flip(0).
error-axis-range = No such axis
    .cause = { $tensor } has the axes { $low } to { $high }, not { $axis }.
    .repair = Use an axis from { $low } to { $high }. Axes count from 0.
error-axis-range-shape = No such axis
    .cause = { $tensor } has shape { $shape }: axes 0 to { $high }, or { $low } to −1 from the end. { $axis } is out of range.
    .repair = Use an axis up to { $high }. Axes count from 0, and −1 is the last.
error-axis-range-new = No new axis fits there
    .cause = { $tensor } has shape { $shape }. A new axis can be at { $low } … { $high }, but not at { $axis }.
    .repair = Use a position from { $low } to { $high }.
error-axis-of-vector = A vector has only axis 0
    .cause = { $tensor } has shape { $shape }: its only axis is { $high }, or { $low } from the end. Axis { $axis } does not exist.
    .repair = Use dim=0, or −1 for the last axis.
error-axis-of-scalar = A scalar has no axes
    .cause = { $tensor } has shape { $shape } and no axes, but the call names axis { $axis } (torch accepts only { $low } and { $high }).
    .repair = Omit the axis, or add an axis to the tensor first.
error-shape-index = The shape has fewer entries
    .cause = The shape of { $tensor } has no entry { $index }: it has one size for each axis, counted from 0.
    .repair = Use an axis that exists. .shape[-1] is the last.
error-shape-index-of = The shape has fewer entries
    .cause = { $tensor } has shape { $shape }: { $axes } sizes, counted from 0. There is no entry { $index }.
    .repair = Use an axis that exists. .shape[-1] is the last.
error-gather-axes = The index has the wrong number of axes
    .cause = { $function } needs an index with as many axes as the tensor, but the tensor has shape { $shape } and the index { $index_shape }.
    .repair = Insert the missing axis, for instance index.unsqueeze(1).
error-gather-size = The index is larger than the tensor
    .cause = The index has shape { $index_shape }, the tensor { $shape }. The index may be larger only along the named axis, but it is too large at axis { $axis }.
    .repair = Use an index no larger than the tensor along that axis.
error-topk-range = k is larger than the axis
    .cause = { $code } requests more entries than the tensor of shape { $shape } has along that axis.
    .repair = Make k no larger than the axis.
error-reduce-nothing = No entries to choose from
    .cause = { $tensor } has shape { $shape }, so it is empty along that axis, and { $function } of nothing is not defined.
    .repair = Check why it is empty, or test numel() first.
error-item-of-many = item() needs exactly one entry
    .cause = { $tensor } has { COUNTED($count, "entry", "entries") }, but item() needs a tensor with a single entry.
    .repair = Reduce it first, as in mean().item(), or select one entry. tolist() returns all entries.
error-item-of-none = item() of an empty tensor
    .cause = { $tensor } has { COUNTED($count, "entry", "entries") }, so there is no number.
    .repair = Check why the tensor is empty.
error-tensor-of-tensors = Stack a list of tensors
    .cause = torch.tensor takes numbers, but in { $code } the list contains tensors of shape { $shape }.
    .repair = Use torch.stack for tensors of equal shape, torch.cat to join them.
error-math-of-tensor = A function for single numbers
    .cause = { $code } takes one number, but the tensor has shape { $shape }.
    .repair = Use torch.{ $function }, which works on every entry.
error-number-of-many = One number expected, several given
    .cause = { $code } returns one Python number, but the tensor has shape { $shape }.
    .repair = Convert all entries with .int() or .float(), or select one entry first.
error-whole-number-of-many = One whole number expected, several given
    .cause = { $code } needs one whole number, but the tensor has shape { $shape } and dtype { $dtype }.
    .repair = Use its length with len(), or select one entry.
error-whole-number-of-float = A whole number is expected
    .cause = { $code } needs a whole number, but the tensor of shape { $shape } has dtype { $dtype }.
    .repair = Convert it with int().
error-truth-of-many = A condition needs one True or False
    .cause = { $code } has shape { $shape }: one truth value per entry, so the condition is ambiguous.
    .repair = Use .all() for every entry or .any() for at least one.
error-truth-of-none = A condition on an empty tensor
    .cause = { $code } has shape { $shape } and no entries, so it is neither true nor false.
    .repair = Test its size: x.numel() > 0.
error-truth-and = and/or need single truth values
    .cause = In { $code } each side is tested as a whole but has one truth value per entry (shape { $shape }).
    .repair = Combine entry by entry with & or “|”, with each comparison in parentheses.
error-truth-chain = A chained comparison of entries
    .cause = { $code } means two comparisons joined by and, but each has one truth value per entry (shape { $shape }).
    .repair = Put both comparisons in parentheses and join them with &.
error-truth-not = not needs one truth value
    .cause = { $code } tests a tensor of shape { $shape } as a whole.
    .repair = Invert entry by entry with ~, or test with .any() or .all().
error-truth-in = in compares whole tensors
    .cause = { $code } compares a tensor of shape { $shape } with each element and needs one truth value.
    .repair = Use torch.isin for entries, or torch.equal for whole tensors.
error-truth-builtin = Python's { $function } compares whole tensors
    .cause = { $code } compares several tensors, which has one result per entry (shape { $shape }).
    .repair = Use torch's functions: x.max() over all entries, torch.maximum(x, y) entry by entry, or torch.sort.
error-truth-if-else = A choice for each entry
    .cause = { $code } has shape { $shape }: one truth value per entry, but an if-else expression chooses only once.
    .repair = Choose entry by entry with torch.where(condition, a, b).
error-length-of-scalar = A scalar has no length
    .cause = { $tensor } is a tensor without axes. len() returns the size of the first axis.
    .repair = Count entries with .numel(), or add an axis.
error-loop-over-scalar = A scalar has no entries to loop over
    .cause = { $code } needs a tensor with an axis, but this tensor has no axes.
    .repair = Use range(n) to count up to a number, or a tensor with an axis.
error-slice-not-whole = Slice bounds must be whole numbers
    .cause = A bound in { $code } is not a whole number.
    .repair = Use whole numbers: int(...) drops the fraction, and // divides without one, unlike /.
error-binary-loss-sizes = Different numbers of scores and targets
    .cause = { $scores } has shape { $scores_shape }, { $target } has { $target_shape }. The loss takes one target for each score, but their numbers differ.
    .repair = Change the size of the last layer to get one score per target, or provide one target per score, such as one-hot rows.
error-loss-arguments-swapped = Scores and targets are swapped
    .cause = The first argument is { $scores } with shape { $scores_shape }, which contains whole numbers. The second is { $target } with shape { $target_shape }, which contains floats. The scores must be first, the targets second.
    .repair = Swap the two arguments.
error-linear-not-flattened = The input is not flattened
    .cause = { $layer } takes { COUNTED($wanted, "feature", "features") } = { $factors }, but its input with shape { $shape } still has them on several axes. The last axis has { $features }.
    .repair = Flatten the input first: nn.Flatten() in a Sequential, or x.flatten(1).
error-embedding-negative = An embedding index is negative
    .cause = The table of { $layer } has { COUNTED($rows, "row", "rows") }, numbered 0 to { $last }. Index { $index } is negative, and an embedding does not count from the end.
    .repair = Reserve a row for padding, such as 0, and pass it as padding_idx.
error-broadcast-sizes-of-equal-axes = Shapes cannot be broadcast
    .cause = Shapes are aligned from the right. At axis { $axis }, { $left } { $left_shape } has { $m } and { $right } { $right_shape } has { $n }. They must be equal, or either must be 1.
    .repair = Make the two sizes equal where these tensors are created.
error-linear-transposed = The input is transposed
    .cause = { $layer } takes { COUNTED($wanted, "feature", "features") } along the last axis. Its input with shape { $shape } has them along axis 0, and { $features } along the last.
    .repair = Put the examples in rows: swap the axes with .T.
error-matmul-sizes-of-no-order = Inner sizes of the product differ
    .cause = Rows of { $left } with shape { $left_shape } have { COUNTED($columns, "entry", "entries") }, columns of { $right } with shape { $right_shape } have { $rows }. No transposition makes them equal.
    .repair = Give { $right } { COUNTED($columns, "row", "rows") } (shape { $right_wanted }), or { $left } { COUNTED($rows, "column", "columns") } (shape { $left_wanted }).
error-target-count-of-a-view = The batch was split into the wrong rows
    .cause = { $made } on line { $line } turned { COUNTED($targets, "example", "examples") } into { COUNTED($rows, "row", "rows") }. Each example has { COUNTED($each, "entry", "entries") } (shape { $before }), but a row takes { $wide }. So { $scores } has { COUNTED($rows, "row", "rows") } for { COUNTED($targets, "target", "targets") }.
    .repair = Keep one row per example with .flatten(1). A row then has { COUNTED($each, "entry", "entries") }, and the next layer needs { COUNTED($each, "input", "inputs") }.
error-target-not-flattened = The targets need a single axis
    .cause = { $scores } with shape { $scores_shape } has a row for every target of { $target }, but { $target } has shape { $target_shape }. cross_entropy expects the targets on one axis.
    .repair = Write { $target }.reshape(-1).
error-target-classes-last = The classes are not on axis 1
    .cause = cross_entropy uses axis 1 of { $scores } as the classes. { $scores } has shape { $scores_shape }, { $target } has { $target_shape }, so the { COUNTED($last, "class", "classes") } are on the last axis.
    .repair = Move them to axis 1: with three axes .transpose(1, 2), with more .movedim(-1, 1).
error-target-of-one-step = Scores of every step, a target for each sequence
    .cause = { $scores } has shape { $scores_shape }, scores for { COUNTED($steps, "step", "steps") } of each sequence. { $target } with shape { $target_shape } has one target for each sequence.
    .repair = Use the scores of one step, such as [:, -1] for the last step, or provide a target for every step.
error-target-places = Different numbers of targets and places
    .cause = cross_entropy uses axis 1 of { $scores } with shape { $scores_shape } as { COUNTED($classes, "class", "classes") }, so it expects targets of shape { $wanted }. { $target } has shape { $target_shape }.
    .repair = Provide a target for every place, or move the classes to axis 1 and keep one place per target.
error-class-weights = Different numbers of weights and classes
    .cause = weight has { COUNTED($weights, "entry", "entries") }, but { $scores } with shape { $scores_shape } has { COUNTED($classes, "class", "classes") }.
    .repair = Pass a weight with { COUNTED($classes, "entry", "entries") }, one per class, or check that the last layer has one output per class.
error-reshape-remainder = A division leaves a remainder
    .cause = { $whole } is { $size } and { $part } is { $by }, so { $written } drops a remainder. Shape { $shape } then has { COUNTED($places, "place", "places") }, but { $tensor } has { COUNTED($entries, "entry", "entries") }.
    .repair = Choose { $part } so that it divides { $size }.
error-cat-expand = cat() along axis { $axis }: a size of 1 is not stretched
    .cause = Tensor 0 has shape { $first_shape }, tensor { $k } has { $other_shape }. cat() does not broadcast: along axis { $differ } both need the same size.
    .repair = Repeat the smaller tensor along axis { $differ } with expand.
error-cat-images = cat() along axis { $axis }: image sizes differ
    .cause = Tensor 0 has shape { $first_shape }, tensor { $k } has { $other_shape }. Along every axis but { $axis } the sizes must be equal, but they differ along { $differ }. Halving an odd size and doubling it again does not restore it.
    .repair = Resize one to match the other first: crop it, pad it with F.pad, or scale it with F.interpolate(…, size=…).
error-cat-fits-nowhere = cat() along axis { $axis }: other sizes differ
    .cause = Tensor 0 has shape { $first_shape }, tensor { $k } has { $other_shape }. Along every axis but { $axis } the sizes must be equal, but they differ along { $differ }. They don't fit along any other axis either.
    .repair = Give them equal sizes along { $differ } first.
error-cat-repeated = cat() of tensors with different numbers of axes
    .cause = { $flat } with shape { $flat_shape } has no axis for the { COUNTED($steps, "step", "steps") } of { $deep } with shape { $deep_shape }.
    .repair = Copy it for every step, { $flat }.unsqueeze(1).expand(-1, { $steps }, -1), then join along the last axis to { $long }. Or use one step, such as { $deep }[:, -1] with shape { $one }, and join to { $short }.
error-cat-axes-only = cat() of tensors with different numbers of axes
    .cause = The tensors have shapes { $shapes }: their numbers of axes differ, { $m } and { $n }.
    .repair = Give them the same number of axes, and equal sizes along every axis except the joined one.
error-target-beside-an-axis-of-one = An extra axis of size 1 next to the classes
    .cause = { $scores } has shape { $scores_shape }. cross_entropy uses axis 1 as the classes and expects a target for every other place, shape { $wanted }. { $target } has shape { $target_shape }.
    .repair = Remove the axis of size 1: { $scores }.squeeze({ $axis }).
error-distribution-parameter = { $parameter } of { $distribution } is out of range
    .cause = The parameter { $parameter } of { $distribution } must be { $wanted ->
        [positive] greater than 0
        [nonnegative] 0 or greater
        [simplex] probabilities: none negative, summing to 1
        [interval] between { $low } and { $high }
        [definite] positive definite
        [boolean] 0 or 1
        [whole] a whole number from { $low } to { $high }
        [real] a finite number
       *[other] within { $low }
    }. { $code } got { $given }.
    .repair = { $wanted ->
        [positive] Make the raw value positive first, with F.softplus(raw) + 1e-6 or raw.exp().
        [nonnegative] Make the raw value positive first, with F.softplus(raw).
        [simplex] Pass raw scores as logits=, or apply softmax(-1) first.
        [interval] Pass raw scores as logits= if the distribution has it, or apply sigmoid first.
       *[other] Check where { $parameter } is computed.
    }
error-distribution-value = { $distribution } never takes this value
    .cause = Values of this { $distribution } must be { $wanted ->
        [positive] greater than 0
        [nonnegative] 0 or greater
        [simplex] probabilities: none negative, summing to 1
        [interval] between { $low } and { $high }
        [definite] positive definite
        [boolean] 0 or 1
        [whole] a whole number from { $low } to { $high }
        [real] a finite number
       *[other] within { $low }
    }. { $code } got { $given }.
    .repair = Check where the value is computed. sample() shows which values this distribution can take.
error-distribution-of-nan = NaN in a distribution
    .cause = In { $code }, { $parameter } of { $distribution } (shape { $shape }) contains NaN.
    .repair = { $parameter ->
        [probs] If no entry you passed is NaN, they sum to 0, and the distribution divides them by their sum. Otherwise find
       *[other] Find
    } the operation that produced the first NaN: print the values before this line, or check the loss and the weights of the previous step.
error-sample-of-no-weights = Invalid sampling weights
    .cause = The weights of { $code } contain a negative number, NaN or infinity.
    .repair = Convert scores to probabilities first, as in scores.softmax(-1). If there is NaN, find the operation that produced it.
error-sample-of-no-probability = Sampling needs probabilities
    .cause = { $code } needs probabilities but got a number below 0 or above 1, or NaN.
    .repair = Convert scores to probabilities first, as in scores.sigmoid(). If there is NaN, find the operation that produced it.
error-sample-of-zeros = Nothing to sample from
    .cause = All weights of a row in { $code } are 0, so no entry can be drawn.
    .repair = Make sure that every row has a weight greater than 0.
error-sample-too-large = More samples than entries
    .cause = { $code } draws more samples without replacement than there are entries.
    .repair = Draw fewer samples, or pass replacement=True.
error-sample-of-integers = Weights must be floating-point numbers
    .cause = { $function } needs floating-point weights, but { $code } passes integers.
    .repair = Convert them with .float().
error-sample-of-negative-spread = A negative standard deviation
    .cause = { $code } got the standard deviation { $given }, which must not be negative.
    .repair = Make it positive, with raw.exp() or F.softplus(raw).
error-pad-of-more-axes = Padding for more axes than there are
    .cause = F.pad takes two numbers for each axis, starting with the last axis. { $code } passes { COUNTED($count, "number", "numbers") } for a tensor with { COUNTED($axes, "axis", "axes") }, which takes at most { $most }.
    .repair = Pass two numbers for each axis to pad, or add the missing axes with unsqueeze first.
error-pad-odd = Padding comes in pairs
    .cause = F.pad takes two numbers for each axis, before and after, but { $code } passes an odd number.
    .repair = Add the missing number, 0 for no padding on that side.
error-pad-without-channels = This padding needs a channel axis
    .cause = Non-constant padding pads the last { COUNTED($padded, "axis", "axes") } of a tensor with { COUNTED($least, "axis", "axes") } or one more. { $code } passes { COUNTED($axes, "axis", "axes") }.
    .repair = Add an axis with unsqueeze(0) and remove it afterwards.
error-pad-reflects-too-much = More padding than can be reflected
    .cause = Axis { $axis } of shape ({ $shape }) is too short to be reflected: { $code } pads { $first } before and { $second } after.
    .repair = Pad less than the length of the axis, or with mode="replicate".
error-resize-without-channels = The image lacks batch and channel axes
    .cause = interpolate expects the axes batch, channels and then the image sizes. { $code } passes { COUNTED($axes, "axis", "axes") }{ $shape ->
        [none] {""}
       *[other] {": "}{ $shape }
    }.
    .repair = Add them with x[None, None], and remove them afterwards with [0, 0].
error-resize-mode-axes = The mode does not fit the axes
    .cause = The mode { $mode } needs a tensor with { COUNTED($wanted, "axis", "axes") }, including batch and channels. { $code } passes { $axes }.
    .repair = Add the missing axis with unsqueeze(0), or use the mode for these axes: linear for 3, bilinear for 4, trilinear for 5.
error-resize-size-axes = The size does not fit the axes
    .cause = The first two axes are batch and channels, so { $count } of the tensor's axes can be resized: { $spatial }. { $code } passes the size { $size }.
    .repair = Add the missing axis with unsqueeze(0), or pass one size for each of these axes.
error-resize-without-size = No size to resize to
    .cause = { $code } passes neither size nor scale_factor.
    .repair = Pass one of them, such as size=(32, 32) or scale_factor=2.
error-resize-of-two-sizes = Two sizes to resize to
    .cause = { $code } passes both size and scale_factor.
    .repair = Pass only one of them.
error-index-count = One index for each row
    .cause = { $function } uses one index for each of the { $rows } rows of the source along axis { $axis }, but got { $indices }.
    .repair = Pass { $rows } indices, or a source with { $indices } rows.
error-sampling-grid = The grid needs { $wanted } coordinates for each point
    .cause = The last axis of the grid holds the coordinates of a point: { $wanted } for this input. The grid has shape ({ $sizes }).
    .repair = Build the grid with F.affine_grid, or give its last axis the size { $wanted }.
error-ctc-length = An input is longer than the scores
    .cause = The scores in { $code } cover { $most } time steps, but an entry of input_lengths is { $given }.
    .repair = Keep input_lengths at most { $most }. The first axis of the scores is time, the second the batch.
