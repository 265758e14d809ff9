# Warnings of torch and NumPy, explained: a title, what happened, what to do. Torch's own words are folded up beside them.

warning-words = The warning itself
warning-grad-of-result = .grad of a result is None
    .cause = backward() stores gradients in .grad of leaves only. This tensor is the result of an operation: its gradient only passes through, on to the inputs. The graph shows it all the same.
    .repair = Call retain_grad() on the tensor before backward(), or ask for it: torch.autograd.grad(loss, tensor).
warning-scheduler-first = The scheduler ran before the optimizer
    .cause = scheduler.step() ran before the first optimizer.step(): from the start the schedule is one call ahead of the training.
    .repair = Call optimizer.step() first, then scheduler.step().
warning-scheduler-epoch = scheduler.step() counts by itself
    .cause = The scheduler was given the number of the epoch, which it counts anyway.
    .repair = Call scheduler.step() without an argument, once per epoch.
warning-rate-asked = get_lr() is the scheduler's own
    .cause = get_lr() computes the next rate and is meant for step(); called from outside it may be off by a factor.
    .repair = Ask for the rate in use with scheduler.get_last_lr().
warning-tensor-of-tensor = A tensor made of a tensor
    .cause = torch.tensor(x) copies the entries of x and forgets where they came from: no gradient reaches x through the copy.
    .repair = Write x.detach().clone() for a copy without a history, x.clone() for one that passes gradients on.
warning-loss-broadcasts = The loss compares every entry with every other
    .cause = The prediction has the shape { $input } and the target { $target }. They are broadcast, so the loss is a mean over pairs that do not belong together. It still falls, to a wrong model.
    .repair = Give both one shape, for instance with target.reshape(prediction.shape).
warning-hook-in-part = The hook sees a part of the module's backward
    .cause = register_backward_hook sees only the last node of the module, so grad_input is not the gradient of the module's inputs.
    .repair = Use register_full_backward_hook.
warning-hook-without-inputs = The hook has no gradient of the input
    .cause = No input of the module asks for a gradient, so grad_input is None.
    .repair = If you need it, give the input requires_grad=True.
warning-imaginary-dropped = The imaginary part is lost
    .cause = Complex numbers were written into a real tensor: only their real part is left.
    .repair = Say what you mean: z.real, or z.abs() for the size.
warning-turned-around = .T turns all axes around
    .cause = .T is the transpose of a matrix. Of a tensor with another number of axes it reverses them all, and soon it will be an error.
    .repair = Write .mT to transpose the last two axes, or permute(…) with the order you want.
warning-deviation-of-one = A deviation of too few entries
    .cause = std and var divide by n − correction (1 by default), and here that is 0 or less: the result is NaN or infinite.
    .repair = Use correction=0, which divides by n, or check over which axis you compute it.
warning-number-with-gradient = A number without a history
    .cause = A tensor that asks for a gradient became a Python number. The number knows nothing of the graph: no gradient flows back through it.
    .repair = Where you only want to see it, write x.item() or x.detach(). Where it is part of the computation, keep it a tensor.
warning-dim-implied = { $call } without dim
    .cause = Without dim torch guesses the axis from the number of axes, and the guess may be wrong.
    .repair = Pass it: { $call }(x, dim=-1) for the last axis.
warning-dropout-of-one-layer = This dropout does nothing
    .cause = A recurrent layer drops out between its layers, and there is only one.
    .repair = Use num_layers=2 or more, or put nn.Dropout behind it.
warning-reduction-renamed = size_average and reduce are old
    .cause = They were replaced by one argument.
    .repair = Write reduction="mean", "sum" or "none".
warning-kl-mean = Not the mean you expect
    .cause = kl_div with reduction="mean" divides by all entries, the divergence is a sum over the last axis.
    .repair = Use reduction="batchmean", which divides by the number of examples.
warning-meshgrid-indexing = meshgrid wants to know the order of its axes
    .cause = torch puts the first argument along axis 0 ("ij"); NumPy along axis 1 ("xy").
    .repair = Write indexing="ij" or indexing="xy".
warning-arrays-in-list = Many arrays, one by one
    .cause = torch reads a list of arrays number by number, which is slow.
    .repair = Make one array of them first: torch.from_numpy(numpy.array(arrays)).
warning-gradient-with-graph = The gradients keep the graph alive
    .cause = With create_graph=True the gradient in .grad has a graph that leads back to the leaf, and the leaf holds it: neither is freed.
    .repair = Use torch.autograd.grad(loss, parameters, create_graph=True), or set .grad to None afterwards.
warning-result-resized = The tensor given as out= had another shape
    .cause = torch resized it to hold the result; soon this will be an error.
    .repair = Leave out= away, or give it a tensor of the result's shape.
warning-range-inclusive = torch.range has one entry more
    .cause = It includes its end, unlike range in Python.
    .repair = Use torch.arange.
warning-cross-axis = cross was not told its axis
    .cause = Without dim torch takes the first axis of size 3, which need not be the one you mean.
    .repair = Use torch.linalg.cross, which takes the last axis, or say dim=.
warning-mask-of-bytes = A mask of bytes
    .cause = The index has the dtype uint8 and is read as a mask, not as positions.
    .repair = Make it a mask with mask.bool(), or positions with index.long().
warning-parameter-twice = A parameter is listed twice
    .cause = The optimizer was given one parameter more than once.
    .repair = List each parameter once.
warning-checkpoint-of-data = The checkpoint passes no gradient on
    .cause = No input of the checkpointed part asks for a gradient, so nothing inside it gets one.
    .repair = Give an input requires_grad=True, or use use_reentrant=False.
warning-renamed = { $old } has a new name
    .cause = It does the same under the name { $new }; the underscore says that it writes in place.
    .repair = Write { $new }.
warning-divided-by-zero = A division by zero
    .cause = NumPy goes on with infinity, as torch does, and says so.
    .repair = Look for the zero in the divisor, or the logarithm of 0.
warning-no-number = The result is not a number
    .cause = An operation had no result, as 0 / 0 or the root of a negative number: NumPy goes on with NaN.
    .repair = Look at its input: the first NaN is where it starts.
