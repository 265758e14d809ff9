# Pictures of operations.
operations-previous = Previous
operations-next = Next
operations-choose = Operation
operations-option = line { $line } · { $text }
operations-option-cell = cell { $cell }, line { $line } · { $text }
operations-runs = last of { $runs } runs
operations-none = No operation with a picture in this program. Pictured are indexing, reshaping, sums, products and what makes a tensor.
operations-unpictured = No picture for: { $names }.
operations-more-rows = { $step ->
    [1] First { $shown } of { COUNTED($all, "row", "rows") }.
   *[other] { $shown } of { COUNTED($all, "row", "rows") }: every { ORDINAL($step) }.
}
operations-more-columns = { $step ->
    [1] First { $shown } of { COUNTED($all, "column", "columns") }.
   *[other] { $shown } of { COUNTED($all, "column", "columns") }: every { ORDINAL($step) }.
}
operations-more-entries = { $step ->
    [1] First { $shown } of { COUNTED($all, "entry", "entries") }.
   *[other] { $shown } of { COUNTED($all, "entry", "entries") }: every { ORDINAL($step) }.
}
operations-more-slices = First { $shown } of { $all } slices.
operations-kept-entries = Of its { COUNTED($all, "entry", "entries") } { $kept } were kept.
operations-kept-gradients = Kept { $kept } of its { COUNTED($all, "gradient entry", "gradient entries") }.
operations-unreadable = Entries of this tensor cannot be read one by one (sparse, or of an unusual kind).
operations-entries = { $count ->
    [one] 1 entry
   *[other] { $count } entries
}
operations-way-back = Backward
operations-forward = Forward
operations-legend-reads = reads
operations-legend-chosen = chosen entry
operations-legend-value = value: the farther from 0, the stronger the shade
operations-legend-gradient = gradient
operations-gradient-of = gradient of { $word }
operations-gradient-sent = gradient sent to { $word }
operations-operand = operand { $word }
operations-result = result { $word }
operations-before = before
operations-after = after
operations-hint = Point at an entry, or go with Tab and the arrow keys: what it was made from lights up.
operations-missing-size = Too many entries to trace one by one (more than 250 000 reads). Shown are the shapes, and the first entries where all were kept.
operations-missing-values = Which entries were read depends on numbers that were not kept: more than 64 entries and no name.
operations-missing-asked = Where the entries came from was asked of torch for a part of the run’s calls only: the last run of each line, then the latest.
operations-missing-failed = The call raised an error: it has no result. Shown are its operands.
operations-missing-kind = For this form of the call entries are not traced. Shown are operands and result.
operations-missing-differs = Entries are not traced here: the usual rule does not give these numbers.
operations-promotion = { $types } together give { $result }.
operations-promotion-title = Types
operations-promotion-result = result
operations-svd = A = U·Σ·Vᵀ: a sum of rank-1 matrices, the largest σ first. The sum of the first terms is the best approximation of that rank.
operations-svd-term = term { $k }: σ = { $sigma }
operations-svd-sum = sum of { $k }, ‖A − sum‖ = { $left }
operations-reshape = { $count ->
    [one] Only the shape changes: { $from } → { $to }.
   *[other] The { $count } entries keep their row-major order; only the shape changes: { $from } → { $to }.
}
operations-same = Entries and shape stay the same.
operations-cast = The same entries, { $before } → { $after }.
operations-reinterpreted = The same bytes read as another type, { $before } → { $after }: other numbers.
operations-detach = The same entries in the same memory; the graph ends here.
operations-clone = The same entries in memory of their own.
operations-contiguous = The same entries, in row-major order in memory.
operations-transpose = Axes change places, { $from } → { $to }; every entry keeps its value.
operations-expand = Axes of size 1 are read again: { $from } → { $to }, every entry { COUNTED($times, "time", "times") }, nothing is copied.
operations-repeat = Every entry is copied { COUNTED($times, "time", "times") }: { $from } → { $to }.
operations-cat = { COUNTED($parts, "tensor", "tensors") } end to end: the result is { $to }.
operations-stack = { COUNTED($parts, "tensor", "tensors") } along a new axis: the result is { $to }.
operations-split = One axis cut into { COUNTED($parts, "part", "parts") }.
operations-flip = The same entries in another order along an axis.
operations-triangle = Entries of the triangle are kept, { $from } → { $to }; all others are 0.
operations-diagonal = The entries of a diagonal are picked: { $from } → { $to }.
operations-on-diagonal = The entries are put on a diagonal, { $from } → { $to }; all others are 0.
operations-index = Picks { $picked } of { COUNTED($count, "entry", "entries") }; the result is { $to }.
operations-index-repeated = Picks { $picked } of { COUNTED($count, "entry", "entries") }, some of them several times; the result is { $to }.
operations-mask = The mask is T at { COUNTED($picked, "entry", "entries") }; they come out in one row.
operations-where = Where the condition is T the first is taken, elsewhere the second.
operations-nonzero = Every row of the result is the index of an entry that is not zero.
operations-nonzero-axes = One result per axis; read together they are the indices of the entries that are not zero.
operations-embedding = Every index picks a row of { $table }: { COUNTED($rows, "row", "rows") } of { COUNTED($width, "entry", "entries") }; the result is { $to }.
operations-gather = { $formula }: the index has the shape of the result.
operations-scatter-add = { $formula }: what goes to one entry is added up.
operations-write = In place: { $written ->
    [one] 1 entry is written
   *[other] { $written } entries are written
}, { $kept } stay.
operations-write-copy = In a copy: { $written ->
    [one] 1 entry is written
   *[other] { $written } entries are written
}, { $kept } stay. The operand itself is unchanged.
operations-reduced = { $name } over { $width ->
    [one] 1 entry
   *[other] { $width } entries
}{ $results ->
    [one] {""}
   *[other] {" "}each
}: { $from } → { $to }.
operations-norm = { $order } norm of { $width ->
    [one] 1 entry
   *[other] { $width } entries
}{ $results ->
    [one] {""}
   *[other] {" "}each
}: { $from } → { $to }.
operations-frobenius = Frobenius norm: the L2 norm of the matrix flattened.
operations-keepdim = keepdim: the axis stays, with size 1.
operations-running = { $name } along axis { $axis }: every entry takes all before it and its own; the shape stays.
operations-cross-entropy = softmax makes probabilities of each row of { $scores }; the loss of a row is −log of the probability at its label.{ $reduction ->
    [mean] {" "}The result is their mean.
    [sum] {" "}The result is their sum.
   *[none] {""}
}
operations-loss-row = row
operations-loss-label = label
operations-loss-softmax = softmax at the label
operations-loss-loss = loss
operations-softmax = softmax along axis { $axis }: each entry becomes its exp divided by the sum of all exp, so the results add up to 1.
operations-log-softmax = log softmax along axis { $axis }: each entry becomes the logarithm of its exp divided by the sum of all exp.
operations-ordered = Put in order along axis { $axis }; the second result says where each entry stood.
operations-largest = { $count ->
    [one] The largest entry
   *[other] The { $count } largest entries
} along axis { $axis }; the second result says where each stood.
operations-smallest = { $count ->
    [one] The smallest entry
   *[other] The { $count } smallest entries
} along axis { $axis }; the second result says where each stood.
operations-order = The places along axis { $axis } from which the entries would be taken to put them in order.
operations-kth = The k-th smallest entry along axis { $axis }; the second result says where it stood.
operations-taken = Entries are taken from the entries that were given, unchanged.
operations-filled-rest = One number fills the rest.
operations-added-up = Every entry is the sum of the entries that were given for it.
operations-slopes = What lights up are the entries by which an entry has a slope other than 0.
operations-function = { $count ->
    [one] One function of the one entry; the shape stays.
   *[other] One function of each of the { $count } entries; the shape stays.
}
operations-pairs = Entry by entry: { $count ->
    [one] 1 result
   *[other] { $count } results
}.
operations-stretched = { $shapes } is stretched to { $to }.
operations-equal = Equal in { $equal } of { COUNTED($count, "place", "places") }.
operations-symmetric = { $word } equals its transpose: it is symmetric.
operations-asymmetric = { $word } differs from its transpose in { COUNTED($count, "place", "places") }: it is not symmetric.
operations-products = Every entry is a sum of { $width } products; the result is { $to }.
operations-products-bias = Every entry is a sum of { $width } products and the bias; the result is { $to }.
operations-window-products = Every entry is a sum of { $width } products, a window of { $word } times the kernel; the result is { $to }.
operations-window-products-bias = Every entry is a sum of { $width } products, a window of { $word } times the kernel, and the bias; the result is { $to }.
operations-window-max = Every entry is the largest of a window of { COUNTED($width, "entry", "entries") } of { $word }: { $from } → { $to }.
operations-window-mean = Every entry is the mean of a window of { COUNTED($width, "entry", "entries") } of { $word }: { $from } → { $to }.
operations-window-smallest = The smallest window has { COUNTED($width, "entry", "entries") }.
operations-product = Every entry is one product; the result is { $to }.
operations-entry = Every entry is one entry of the operand; the result is { $to }.
operations-addends = Every entry is a sum of { COUNTED($width, "entry", "entries") } of the operand; the result is { $to }.
operations-outer = Every entry is one product: each entry of the left with each of the right; the result is { $to }.
operations-trace = The sum of the diagonal, { COUNTED($width, "entry", "entries") }.
operations-cross = The cross product is perpendicular to both; its length is the area they span.
operations-beside-mm = Not the same: the matrix product of the same two.
operations-beside-hadamard = Not the same: the Hadamard product of the same two, entry by entry.
operations-arange = { COUNTED($count, "number", "numbers") } from { $start } in steps of { $step }; the end { $end } is not one of them.
operations-linspace = { COUNTED($count, "number", "numbers") } from { $start } to { $end }, both among them; the step is { $step }.
operations-sample-uniform = { $count ->
    [one] 1 number
   *[other] { $count } numbers
}, uniform from { $first } to { $second }. Drawn: mean { $mean }, deviation { $deviation }.
operations-sample-normal = { $count ->
    [one] 1 number
   *[other] { $count } numbers
}, normal with mean { $first } and deviation { $second }. Drawn: mean { $mean }, deviation { $deviation }.
operations-sample-each = { $count ->
    [one] 1 number
   *[other] { $count } numbers
}, each with a mean or deviation of its own. Drawn: mean { $mean }, deviation { $deviation }.
operations-randperm = The numbers 0 to n − 1 for n = { $count }, each once, in an order left to chance.
operations-empty = Memory as it was found. Nothing is initialised: the numbers mean nothing and may differ in the next run.
operations-filled = A new tensor of shape { $to }, { $dtype }.
operations-like = Shape { $to } and { $dtype } are those of the tensor it is like; its entries are not.
operations-like-shape = Shape { $to } is that of the tensor it is like; { $dtype } was asked for, and the entries are its own.
operations-new = A new tensor of shape { $to }; { $dtype } is that of the tensor that made it.
operations-uninitialised = not initialised
operations-back-plain = The gradient of the result goes back through this call to its operands.
operations-back-moved = Every gradient goes to the entry that was read.
operations-back-zeros = Every gradient goes to the entry that was read; unread entries get 0.
operations-back-scatter = Every gradient goes to the entry that was read; where one was read several times, they are added (scatter-add).
operations-back-sum = The gradient of a sum is copied to every entry that was added.
operations-back-mean = The gradient of a mean is copied to every entry, divided by { $count }.
operations-back-cumsum = Every entry gets the gradients of its own sum and all later ones: the cumulative sum from the other end.
operations-back-products = Every factor gets the gradient times the other factor; what several products send is added.
operations-back-mm = With G the gradient of the result: { $a } gets G·{ $b }ᵀ, { $b } gets { $a }ᵀ·G.
operations-back-mul = Every factor gets the gradient times the other factor.
operations-back-same = Both get the gradient unchanged; where one was stretched, it is summed.
operations-back-sub = The first gets the gradient unchanged, the second with its sign turned.
operations-back-scaled = The first gets the gradient unchanged, the second times alpha.
operations-back-winner = The whole gradient goes to the winner, of equal ones to one alone; all others get 0.
operations-back-winner-shared = The gradient goes to the winner; equal ones share it, all others get 0.
operations-back-larger = The gradient goes to the entry that was taken; equal ones get a half each.
operations-back-prod = Every factor gets the gradient times the product of the others.
operations-back-cross-entropy = Every score gets its softmax, minus 1 at the label, times the gradient of its row’s loss.
operations-back-slope = Every entry gets the gradient times the slope at that entry.
operations-axis = axis { $axis } · { $size }
operations-axis-x = entry before
operations-axis-y = entry after
operations-axis-density = density
operations-example-index = index and slice
operations-example-mask = mask
operations-example-write = write in place
operations-example-gather = gather
operations-example-reshape = reshape and transpose
operations-example-cat = cat and stack
operations-example-sum = sum over an axis
operations-example-keepdim = sum with keepdim
operations-example-max = max
operations-example-cumsum = cumulative sum
operations-example-norm = norms
operations-example-curve = functions of one entry
operations-example-symmetric = symmetry
operations-example-hadamard = Hadamard beside mm
operations-example-linear = dot, mv, mm
operations-example-bmm = batches of matrices
operations-example-sort = sort and topk
operations-example-einsum = einsum
operations-example-cross = cross product
operations-example-arange = arange and linspace
operations-example-random = random numbers
operations-example-types = types
operations-example-svd = SVD
operations-known-title = Which operations have a picture
operations-find = Find an operation
operations-find-hint = Find an operation, such as softmax
operations-group-reduce = Along an axis
operations-group-pick = Pick and write
operations-group-shape = Shape
operations-group-each = Entry by entry
operations-group-products = Products
operations-group-windows = Windows
operations-group-losses = Losses
operations-group-create = Create
operations-example-softmax = softmax
