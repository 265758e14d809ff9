# Values: a tensor in full, and memory.

tensors-view-operation = Operation
tensors-view-tensor = Tensor
tensors-view-histogram = Histogram
code-parameters = { $count } { $count ->
    [one] parameter
   *[other] parameters
}
code-more = { $count } more lines are not shown.
tensors-list = Tensors of the program
tensors-cell = Cell { $cell }
tensors-more = { $count } more are not listed.
tensors-branch = { $condition } – this computer has no such device: { $count ->
    [one] line { $first }
   *[other] lines { $first } to { $last }
} did not run.

tensors-gradient = Gradient
tensors-gradient-of = Gradient of { $root }
tensors-moment = From { $code } on line { $line }. The values shown were { $when ->
        [after] written later
       *[before] replaced earlier
    }.
tensors-gradient-stopped = From { $code } on line { $line }, which stopped before its end.
tensors-gradient-kept = .grad at the end
tensors-no-gradient = Gradient: { $reason }
tensors-place = Position on the leading axes
tensors-place-axis = axis { $axis }
tensors-thinned = Some entries are skipped. The edge labels show which.
tensors-unread = The entries can't be drawn: torch stores this tensor without strides, or stores no entries. Print it in the program.
tensors-too-many = Too many entries to show individually.
tensors-no-entries = Shape { $shape } has no entries: one of its sizes is 0.
tensors-true = { $count } of { $all } True
tensors-histogram = { $count ->
        [all] All
       *[some] { $count } of
    } { COUNTED($all, "entry", "entries") }
tensors-histogram-whole = Statistics of all { COUNTED($all, "entry", "entries") }: { $words }
tensors-histogram-zeros = { COUNTED($count, "is 0", "are 0") }
tensors-histogram-label = Bars from { $low } to { $high }. The highest holds { COUNTED($most, "entry", "entries") }

tensors-fact =
    .shape = shape
    .count = entries
    .dtype = type
    .device = device
    .stride = stride
    .offset = offset
    .contiguous = contiguous
    .storage = storage
    .requires-grad = requires grad
    .leaf = leaf
tensors-size-hint = { $rank ->
    [0] no axes: a scalar
    [one] one axis
   *[other] { $rank } axes
}
tensors-bytes = { COUNTED($bytes, "byte", "bytes") }
tensors-kind =
    .float = floating point
    .half = floating point, 16 bits or fewer
    .whole = integers: no gradient
    .bool = True or False: no gradient
    .complex = complex
    .other = special
tensors-step = one step along axis { $axis } moves { $step } in the storage
tensors-repeated = axis { $axis } reads the same entries again
tensors-laid = the storage { $yes ->
        [yes] holds
       *[no] does not hold
    } the entries one after another in reading order
tensors-shared-with = shared with { $names }
tensors-alone = no other name shares it
tensors-no-strides = this layout has no strides
tensors-leaf = { $kind ->
        [parameter] a parameter: its gradient is stored in .grad
        [leaf] its gradient is stored in .grad
       *[result] result of an operation: .grad stays None without retain_grad()
    }
tensors-names = Names
tensors-name-ended = now refers to another tensor
tensors-by = written by
tensors-at-end = at the end of the run
tensors-counted = operations that were not recorded
tensors-unseen = changed without a recorded operation
tensors-first = when first recorded

tensors-facts-more = Type and memory: device, stride, offset

memory-strip = Storage, read by { $names }
memory-storage = storage
memory-stride = stride { $stride }
memory-offset = offset { $offset }
memory-step = +{ $step }, axis { $axis }
memory-not-contiguous = not contiguous
memory-past = now another tensor
memory-array = NumPy array
memory-cut = Showing the first { $shown } of { COUNTED($all, "cell", "cells") }.
memory-views-cut = { $count ->
    [one] One more view is not drawn.
   *[other] { $count } more views are not drawn.
}
memory-unit = A cell is { $bytes ->
    [one] 1 byte
   *[other] { $bytes } bytes
}.
memory-alone = { $count ->
    [one] Alone in its storage:
   *[other] Alone in their storages:
}
memory-at-line = Storages after { $line }
memory-at-end = Storages at the end of the program
memory-every-line = Every line of the program
memory-shared-lead = Each row reads the cells above it. An arrow is one step along an axis: its stride. Point at a cell to see which tensors read it.
memory-nothing-shared = None of the tensors listed here share a storage.
memory-writes = Same object, same storage?
memory-sharing = View, copy or new?
memory-no-writes = No line rebinds a name or writes to a named tensor.
memory-no-sharing = No line creates one tensor from another.
memory-column =
    .line = line
    .expression = expression
    .what = what happens
    .object = object
    .storage-column = storage
    .version = version
    .shares = shares storage
    .tracked = tracked by autograd
    .counter = same version counter
memory-same = same
memory-new = new
memory-numpy = – (NumPy)
memory-rebound = { $name } now refers to a new tensor { $same ->
        [yes] in the same storage
       *[no] with its own storage. The old one is unchanged
    }.
memory-named = { $name } is a second name for { $other }: the same object.
memory-written = Written to the storage of { $name }.
memory-unseen = { $name } changed without a recorded operation: its version stays { $version }.
memory-also = { $names } changed too.
memory-arrays = The NumPy array { $names } { $seen ->
        [yes] changed too
       *[no] uses the same storage
    }.
memory-input = its input
memory-is =
    .same = { $result } is { $source } itself.
    .copy = { $result } is a copy with its own storage.
    .new = { $result } is computed from { $source } and has its own storage.
    .view = { $result } is a view: it reads the storage of { $source }.
    .detach = { $result } reads the storage of { $source }. backward stops here, and autograd still notices writes.
    .data = { $result } reads the storage of { $source }. autograd does not notice writes through it.
    .numpy = { $result } is a NumPy array that shares the storage of { $source }.
    .from-numpy = { $result } is a tensor that shares the memory of the NumPy array { $source }.

# Memory that is kept for backward, over the run.
memory-title = Memory kept for backward
memory-peak = At most { $size }{ $line ->
    [0] {""}
   *[other] , reached on line { $line }
}
memory-what = Parameters and tensors without requires_grad, such as data, are not counted because they exist anyway.
memory-open = { $count ->
    [one] 1 node of a graph that no backward frees is
   *[other] { $count } nodes of graphs that no backward frees are
} left out.
memory-hooked = { $count ->
    [one] 1 node passes its saved tensors
   *[other] { $count } nodes pass their saved tensors
} to hooks, as checkpoint() does. Data that the hooks keep, or recompute during backward, is not counted.
