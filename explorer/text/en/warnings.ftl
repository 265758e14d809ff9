# Explanations of warnings from torch and NumPy: a title, the cause, the fix.

warning-words = The warning itself
warning-grad-of-result = .grad of a result is None
    .cause = backward() stores gradients only in .grad of leaves. This tensor is the result of an operation, so its gradient passes through to the inputs.
    .repair = Call retain_grad() on the tensor before backward(), or use torch.autograd.grad(loss, tensor).
warning-scheduler-first = The scheduler ran before the optimizer
    .cause = scheduler.step() ran before the first optimizer.step(), so the schedule is one call ahead of the training.
    .repair = Call optimizer.step() first, then scheduler.step().
warning-scheduler-epoch = scheduler.step() counts by itself
    .cause = The scheduler got an epoch number, but it counts epochs itself.
    .repair = Call scheduler.step() without an argument, once per epoch.
warning-rate-asked = get_lr() is for internal use
    .cause = get_lr() computes the next rate for step(). Called elsewhere, it may be off by a factor.
    .repair = Use scheduler.get_last_lr() to get the current rate.
warning-tensor-of-tensor = A tensor created from a tensor
    .cause = torch.tensor(x) copies only the entries of x, so no gradient reaches x through the copy.
    .repair = Write x.detach().clone() for a copy without history, or x.clone() for a copy that passes gradients on.
warning-loss-broadcasts = The loss compares every entry with every other
    .cause = The prediction has the shape { $input } and the target { $target }. They are broadcast, so the loss averages over pairs that do not belong together. It still falls, but the model learns the wrong thing.
    .repair = Give both the same shape, for example with target.reshape(prediction.shape).
warning-hook-in-part = The hook sees only part of the module's backward
    .cause = register_backward_hook sees only the last node of the module, so grad_input is not the gradient of the module's inputs.
    .repair = Use register_full_backward_hook.
warning-hook-without-inputs = The hook gets no gradient of the input
    .cause = No input of the module requires grad, so grad_input is None.
    .repair = If you need it, set requires_grad=True on the input.
warning-imaginary-dropped = The imaginary part is lost
    .cause = Complex numbers were written to a real tensor, which keeps only their real part.
    .repair = Write z.real for the real part, or z.abs() for the magnitude.
warning-turned-around = .T reverses all axes
    .cause = .T is the transpose of a matrix. For a tensor with another number of axes it reverses all of them, which will soon be an error.
    .repair = Write .mT to transpose the last two axes, or permute(…) with the order you want.
warning-deviation-of-one = A standard deviation of too few entries
    .cause = std and var divide by n − correction (1 by default), and here that is 0 or less: the result is NaN or infinite.
    .repair = Use correction=0, which divides by n, or check the axis.
warning-number-with-gradient = A number without a history
    .cause = A tensor that requires grad became a Python number. The number is not part of the graph, so no gradient flows back through it.
    .repair = To look at it, write x.item() or x.detach(). To compute with it, keep it a tensor.
warning-dim-implied = { $call } without dim
    .cause = Without dim torch guesses the axis from the number of axes, and the guess may be wrong.
    .repair = Pass it: { $call }(x, dim=-1) for the last axis.
warning-dropout-of-one-layer = This dropout does nothing
    .cause = A recurrent layer applies dropout between its layers, and this one has a single layer.
    .repair = Use num_layers=2 or more, or put nn.Dropout after it.
warning-reduction-renamed = size_average and reduce are deprecated
    .cause = One argument replaces them.
    .repair = Write reduction="mean", "sum" or "none".
warning-kl-mean = Not the mean you expect
    .cause = kl_div with reduction="mean" divides by the number of entries, but the divergence is a sum over the last axis.
    .repair = Use reduction="batchmean", which divides by the number of examples.
warning-meshgrid-indexing = meshgrid without indexing
    .cause = torch puts the first argument along axis 0 ("ij"), NumPy along axis 1 ("xy").
    .repair = Write indexing="ij" or indexing="xy".
warning-arrays-in-list = A list of arrays is slow
    .cause = torch reads a list of arrays one number at a time.
    .repair = Combine them into one array first: torch.from_numpy(numpy.array(arrays)).
warning-gradient-with-graph = The gradients keep the graph alive
    .cause = With create_graph=True, the gradient in .grad has a graph that refers to the leaf, and the leaf refers to the gradient. Neither is freed.
    .repair = Use torch.autograd.grad(loss, parameters, create_graph=True), or set .grad to None afterwards.
warning-result-resized = The tensor given as out= had another shape
    .cause = torch resized it to fit the result. This will soon be an error.
    .repair = Omit out=, or pass a tensor with the shape of the result.
warning-range-inclusive = torch.range has one more entry
    .cause = Unlike Python's range, it includes its end.
    .repair = Use torch.arange.
warning-cross-axis = cross without dim
    .cause = Without dim, torch uses the first axis of size 3, which may not be the intended one.
    .repair = Use torch.linalg.cross, which uses the last axis, or pass dim=.
warning-mask-of-bytes = A mask of bytes
    .cause = The index has the dtype uint8 and is read as a mask, not as positions.
    .repair = Convert it to a mask with mask.bool(), or to positions with index.long().
warning-parameter-twice = A parameter is listed twice
    .cause = The optimizer got the same parameter more than once.
    .repair = List each parameter once.
warning-checkpoint-of-data = The checkpoint passes no gradient on
    .cause = No input of the checkpointed part requires grad, so nothing inside it gets a gradient.
    .repair = Set requires_grad=True on an input, or pass use_reentrant=False.
warning-renamed = { $old } has a new name
    .cause = { $new } does the same. The underscore means that it writes in place.
    .repair = Write { $new }.
warning-divided-by-zero = A division by zero
    .cause = NumPy continues with infinity, as torch does, but warns.
    .repair = Look for a zero divisor or a logarithm of 0.
warning-no-number = The result is not a number
    .cause = An operation such as 0 / 0 or the root of a negative number has no result, so NumPy continues with NaN.
    .repair = Look at its input: the first NaN appears there.
