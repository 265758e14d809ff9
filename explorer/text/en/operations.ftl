# Pictures of operations.
operations-previous = Previous
operations-next = Next
operations-choose = Operation
operations-runs = last of { $runs } runs
operations-intro = What each call of torch reads and writes. Point at a card to watch it, and open it to change its program.
operations-none = This program has no operation to draw.
operations-more = { $step ->
        [1] First { $shown } of
       *[other] { $shown } of
    } { $what ->
        [rows] { COUNTED($all, "row", "rows") }
        [columns] { COUNTED($all, "column", "columns") }
       *[entries] { COUNTED($all, "entry", "entries") }
    }{ $step ->
        [1] .
       *[other] : every { ORDINAL($step) }.
    }
operations-more-slices = First { $shown } of { $all } slices.
operations-kept = Kept { $kept } of { $what ->
        [gradient] { COUNTED($all, "gradient entry", "gradient entries") }
       *[value] { COUNTED($all, "entry", "entries") }
    }.
operations-unreadable = The entries of this tensor cannot be read individually (it is sparse or of an unusual kind).
operations-entries = { $count ->
    [one] 1 entry
   *[other] { $count } entries
}
operations-backward = Backward
operations-forward = Forward
operations-legend-reads = reads
operations-legend-chosen = chosen entry
operations-legend-value = value: stronger shade means farther from 0
operations-gradient-of = gradient of { $word }
operations-gradient-sent = gradient sent to { $word }
operations-operand = operand { $word }
operations-result = result { $word }
operations-before = before
operations-after = after
operations-hint = Point at an entry, or use Tab and the arrow keys, to highlight its sources.
operations-missing =
    .size = Too many entries to trace one by one (more than 250 000 reads). Showing the shapes, and the first entries of fully recorded tensors.
    .values = The entries read depend on values that were not kept, because the tensor has more than 64 entries and no name.
    .asked = PyTorch could not report which entries were read. Showing operands and result.
    .failed = The call raised an error and has no result. Showing its operands.
    .kind = Entries are not traced for this form of the call. Showing operands and result.
    .differs = Entries are not traced here because the usual rule does not produce these values.
operations-promotion = { $types } combine to { $result }.
operations-promotion-title = Types
operations-promotion-result = result
operations-svd = A = U·Σ·Vᵀ: a sum of rank-1 matrices, the largest σ first. The sum of the first terms is the best approximation of that rank.
operations-svd-term = term { $k }: σ = { $sigma }
operations-svd-sum = sum of { $k }, ‖A − sum‖ = { $left }
operations-reshape = { $count ->
    [one] Only the shape changes: { $from } → { $to }.
   *[other] The { $count } entries keep their row-major order. Only the shape changes: { $from } → { $to }.
}
operations-same = Entries and shape stay the same.
operations-cast = The same entries, { $before } → { $after }.
operations-reinterpreted = The same bytes read as another type, { $before } → { $after }: the values differ.
operations-detach = The same entries in the same memory. The graph ends here.
operations-clone = The same entries, copied to new memory.
operations-contiguous = The same entries, in row-major order in memory.
operations-transpose = Axes are swapped, { $from } → { $to }. Every entry keeps its value.
operations-expand = Axes of size 1 are read repeatedly: { $from } → { $to }. Every entry is read { COUNTED($times, "time", "times") }, nothing is copied.
operations-repeat = Every entry is copied { COUNTED($times, "time", "times") }: { $from } → { $to }.
operations-cat = { COUNTED($parts, "tensor", "tensors") } joined end to end. The result is { $to }.
operations-stack = { COUNTED($parts, "tensor", "tensors") } joined along a new axis. The result is { $to }.
operations-split = One axis split into { COUNTED($parts, "part", "parts") }.
operations-flip = The same entries in another order along an axis.
operations-triangle = Entries of the triangle are kept, { $from } → { $to }. All others are 0.
operations-diagonal = The entries of a diagonal are picked: { $from } → { $to }.
operations-on-diagonal = The entries are put on a diagonal, { $from } → { $to }. All others are 0.
operations-index = Picks { $picked } of { COUNTED($count, "entry", "entries") }. The result is { $to }.
operations-index-repeated = Picks { $picked } of { COUNTED($count, "entry", "entries") }, some of them several times. The result is { $to }.
operations-mask = The mask is T at { COUNTED($picked, "entry", "entries") }, which are returned as a vector.
operations-where = Takes the first operand where the condition is T and the second elsewhere.
operations-nonzero = Every row of the result is the index of a nonzero entry.
operations-nonzero-axes = One result per axis. Together they are the indices of the nonzero entries.
operations-embedding = Every index picks a row of { $table }: { COUNTED($rows, "row", "rows") } of { COUNTED($width, "entry", "entries") }. The result is { $to }.
operations-gather = { $formula }. The index has the shape of the result.
operations-scatter-add = { $formula }. Values written to the same entry are added up.
operations-write = In place: { $written ->
    [one] 1 entry is written
   *[other] { $written } entries are written
}, { $kept } unchanged.
operations-write-copy = In a copy: { $written ->
    [one] 1 entry is written
   *[other] { $written } entries are written
}, { $kept } unchanged. The operand itself is unchanged.
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
operations-running = { $name } along axis { $axis }: every entry covers itself and all earlier entries. The shape stays the same.
operations-cross-entropy = softmax turns each row of { $scores } into probabilities. A row’s loss is −log of the probability of its label.{ $reduction ->
    [mean] {" "}The result is their mean.
    [sum] {" "}The result is their sum.
   *[none] {""}
}
operations-loss =
    .row = row
    .label = label
    .softmax = softmax at the label
    .loss = loss
operations-softmax = softmax along axis { $axis }: each entry’s exp divided by the sum of all exp, so the results add up to 1.
operations-log-softmax = log softmax along axis { $axis }: the logarithm of each entry’s exp divided by the sum of all exp.
operations-ordered = Sorted along axis { $axis }. The second result holds each entry’s original position.
operations-extreme = The { $count ->
        [one] { $which } entry
       *[other] { $count } { $which } entries
    } along axis { $axis }. The second result holds their positions.
operations-order = The positions along axis { $axis } that would sort the entries.
operations-kth = The k-th smallest entry along axis { $axis }. The second result holds its position.
operations-taken = The result's entries are copies of the given entries.
operations-filled-rest = One number fills the rest.
operations-added-up = Every entry is the sum of the entries given for it.
operations-depends = The chosen entry depends on the highlighted ones.
operations-function = { $count ->
    [one] One function applied to the single entry. The shape stays the same.
   *[other] One function applied to each of the { $count } entries. The shape stays the same.
}
operations-pairs = Entry by entry: { $count ->
    [one] 1 result
   *[other] { $count } results
}.
operations-stretched = { $shapes } is stretched to { $to }.
operations-equal = Equal in { $equal } of { COUNTED($count, "place", "places") }.
operations-symmetric = { $word } equals its transpose: it is symmetric.
operations-asymmetric = { $word } differs from its transpose in { COUNTED($count, "place", "places") }: it is not symmetric.
operations-products = Every entry is a sum of { $width } products{ $bias ->
        [yes] {" "}and the bias
       *[no] {""}
    }. The result is { $to }.
operations-window-products = Every entry is a sum of { $width } products, a window of { $word } times the kernel{ $bias ->
        [yes] , and the bias
       *[no] {""}
    }. The result is { $to }.
operations-window = Every entry is the { $rule ->
        [max] largest
       *[mean] mean
    } of a window of { COUNTED($width, "entry", "entries") } of { $word }: { $from } → { $to }.
operations-window-smallest = The smallest window has { COUNTED($width, "entry", "entries") }.
operations-product = Every entry is one product. The result is { $to }.
operations-entry = Every entry is one entry of the operand. The result is { $to }.
operations-addends = Every entry is a sum of { COUNTED($width, "entry", "entries") } of the operand. The result is { $to }.
operations-outer = Every entry is one product: each left entry times each right entry. The result is { $to }.
operations-trace = The sum of the diagonal, { COUNTED($width, "entry", "entries") }.
operations-cross = The cross product is perpendicular to both. Its length is the area they span.
operations-beside = For comparison: the { $kind ->
        [mm] matrix product of the same two tensors
       *[hadamard] Hadamard product of the same two tensors, entry by entry
    }.
operations-arange = { COUNTED($count, "number", "numbers") } from { $start } in steps of { $step }. The end { $end } is excluded.
operations-linspace = { COUNTED($count, "number", "numbers") } from { $start } to { $end }, both included. The step is { $step }.
operations-sample = { COUNTED($count, "number", "numbers") }, { $family ->
        [uniform] uniform from { $first } to { $second }
        [normal] normal with mean { $first } and deviation { $second }
       *[each] each with its own mean or deviation
    }. Drawn: mean { $mean }, deviation { $deviation }.
operations-randperm = The numbers 0 to n − 1 for n = { $count }, each once, in random order.
operations-empty = Uninitialized memory: the values are arbitrary and may differ in the next run.
operations-filled = A new tensor of shape { $to }, { $dtype }.
operations-like = Shape { $to } and { $dtype } are copied from the given tensor, but not its entries.
operations-like-shape = Shape { $to } is copied from the given tensor, but not its entries. { $dtype } was requested.
operations-new = A new tensor of shape { $to }. { $dtype } is copied from the tensor whose method was called.
operations-uninitialised = uninitialized
operations-back =
    .plain = The result’s gradient flows back through this call to its operands.
    .zeros = Unread entries get 0.
    .scatter = If an entry was read several times, its gradients are added (scatter-add).
    .cumsum = Every entry gets the gradients of its own sum and all later sums: a cumulative sum from the other end.
    .products = Every factor gets the gradient times the other factor, added over all products.
    .mm = With G the gradient of the result: { $a } gets G·{ $b }ᵀ, { $b } gets { $a }ᵀ·G.
    .scaled = The first gets the gradient unchanged, the second times alpha.
    .winner = The whole gradient flows to the chosen entry, or to only one of several equal entries. All others get 0.
    .winner-shared = The gradient flows to the chosen entry. Equal entries share it, all others get 0.
    .larger = The gradient flows to the chosen entry. Equal entries get half each.
    .prod = Every factor gets the gradient times the product of the others.
    .cross-entropy = Every score gets its softmax, minus 1 at the label, times the gradient of its row’s loss.
    .slope = Every entry gets the gradient times the slope at that entry.
operations-axis = axis { $axis } · { $size }
operations-axis-x = entry before
operations-axis-y = entry after
operations-example =
    .index = index and slice
    .mask = mask
    .write = write in place
    .gather = gather
    .reshape = reshape and transpose
    .cat = cat and stack
    .sum = sum over an axis
    .keepdim = sum with keepdim
    .max = max
    .cumsum = cumulative sum
    .norm = norms
    .curve = functions of one entry
    .symmetric = symmetry
    .hadamard = Hadamard and mm
    .linear = dot, mv, mm
    .bmm = batches of matrices
    .sort = sort and topk
    .einsum = einsum
    .cross = cross product
    .arange = arange and linspace
    .random = random numbers
    .types = types
    .svd = SVD
    .softmax = softmax
operations-known-title = Which operations have a picture
operations-find = Find an operation
operations-find-hint = Find an operation, such as softmax
operations-group =
    .reduce = Along an axis
    .pick = Pick and write
    .shape = Shape
    .each = Entry by entry
    .products = Products
    .windows = Windows
    .losses = Losses
    .create = Create
