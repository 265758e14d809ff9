# Errors of autograd, explained: a title, the cause, the change.

## Leaves and graphs

error-graph-used-twice = backward() ran twice over the same graph
    .cause = { $first } on line { $line } freed the values its operations had saved. { $second } on line { $again } needs them again.
    .repair = Keep the graph with retain_graph=True in the first call (gradients then add up), or compute the result again before the second call.
error-graph-shared = Two backward calls share a part of the graph
    .cause = { $shared } on line { $at } belongs to both graphs. { $first } on line { $line } freed its saved values, and { $second } needs them again.
    .repair = Add the two results and call backward() once, or pass retain_graph=True in the first call.
error-graph-used-twice-in-a-loop = Every round uses the same graph
    .cause = { $second } runs more than once over a graph that was built only once. Its first run freed the values the operations had saved.
    .repair = Compute the result inside the loop, before each { $second }.
error-graph-part-made-before-a-loop = Part of the graph was built only once
    .cause = { $shared } on line { $at } was computed once. The first { $second } freed its saved values, which the next round needs again.
    .repair = Compute { $shared } inside the loop too, so that each round builds its own graph.
error-graph-part-used-twice-in-a-loop = A round reaches into an earlier round's graph
    .cause = This round's graph leads back into an earlier round's graph, where { $second } has freed the values the operations had saved.
    .repair = Start each round from tensors without history: detach() the values carried over, or compute everything inside the loop.
error-graph-carried-over = The state carries the last round's graph
    .cause = { $name } still leads into the previous round's graph, down to { $shared } (line { $at }). { $second } has freed that graph's saved values.
    .repair = Cut the history at the end of each round, after { $second }: { $cut }.
error-leaf-overwritten = A leaf was overwritten in place
    .cause = { $name } is a leaf that requires grad. { $code } on line { $line } would overwrite it while gradients are recorded.
    .repair = Change it under torch.no_grad(), or create a new tensor with an out-of-place operation.
error-part-of-a-leaf-overwritten = Entries of a leaf were overwritten
    .cause = { $name } is a leaf that requires grad. { $code } on line { $line } would write into some of its entries while gradients are recorded.
    .repair = Assign under torch.no_grad(), or assign the values before setting requires_grad.
error-leaf-written-through-a-view = A view wrote into a leaf
    .cause = { $name } is a view that shares memory with the leaf { $leaf }. { $code } on line { $line } would overwrite { $leaf } while gradients are recorded.
    .repair = Write under torch.no_grad(), or work on a copy: { $name }.clone().
error-step-recorded = A leaf cannot be changed in place while gradients are recorded
    .cause = { $code } on line { $line } changes the leaf { $name } in place. If recorded, the update itself would become part of the graph, so torch refuses it.
    .repair = Put the update into a block that begins with “with torch.no_grad():”.
error-result-into-out = out= cannot be differentiated
    .cause = { $code } writes its result into existing memory, which autograd cannot track, and an argument requires grad.
    .repair = Remove out= and assign the result to a name.
error-one-view-of-several = One of several views was overwritten
    .cause = { $name } is among several views returned by a single operation. { $code } would overwrite memory that the other views share.
    .repair = Use the out-of-place operation, or clone() the view first.
error-function-result-overwritten = The result of a Function was overwritten
    .cause = { $name } is a view that a custom Function or a module with a backward hook returned unchanged. { $code } would bypass the function's own backward.
    .repair = Use the out-of-place operation instead of { $code }.
error-hooked-module-overwritten = A tensor of a module with a backward hook is overwritten
    .cause = In { $code }, { $name } writes in place into an input or output of a module with a full backward hook. Such a hook passes tensors on as views that must not change.
    .repair = Let { $name } return a new tensor, as nn.ReLU() does without inplace=True.
error-view-made-unrecorded = A view made under no_grad was overwritten
    .cause = { $name } was created as a view while recording was off. { $code } now writes through it while gradients are recorded, so it is unclear whether the write should be recorded.
    .repair = Put both the view and the write inside the no_grad block, or both outside.
error-expanded-overwritten = An expanded tensor was overwritten
    .cause = { $made } on line { $line } expands { $name } to shape { $shape } without copying. Several entries share one memory location, so { $code } would write to it several times.
    .repair = Copy it first: { $made }.clone().
error-repeated-entry-overwritten = Entries that share memory were overwritten
    .cause = Several entries of { $name } (shape { $shape }) share one memory location. { $code } would write to it several times.
    .repair = Copy the tensor with clone() before changing it.
error-saved-result-overwritten = A result needed for backward was overwritten
    .cause = { $saved } on line { $saved-line } keeps its result { $name } for the backward pass. { $code } on line { $line } overwrote it before { $backward } could use it.
    .repair = Use an out-of-place operation on line { $line }.
error-saved-input-overwritten = An input needed for backward was overwritten
    .cause = { $saved } on line { $saved-line } needs { $name } for the backward pass. { $code } on line { $line } overwrote it before { $backward } could use it.
    .repair = Change a copy on line { $line }, or change { $name } after { $backward }.
error-saved-in-a-module-overwritten = A layer overwrote a tensor that another layer needs for backward
    .cause = In { $code } on line { $line } the layer { $saved } keeps { $what ->
        [result] its result
       *[input] its input
    } for the backward pass. The layer { $module } then overwrites it in place, before { $backward } could use it.
    .repair = Create { $module } with inplace=False.
error-weights-changed-before-backward = The weights changed before backward
    .cause = { $saved } on line { $saved-line } was computed with the old { $name }. { $code } on line { $line } changed it, and { $backward } still needs the old values.
    .repair = Compute { $saved } again after { $code }, with the new values.
error-weights-renormed = max_norm rescaled the rows before backward
    .cause = { $saved } on line { $saved-line } was computed with the old { $name }. Because of max_norm, { $code } on line { $line } rescaled the rows it reads in place, and { $backward } still needs the old values.
    .repair = Let { $saved } read a copy, { $name }.clone(), or remove max_norm and scale the rows under torch.no_grad() after the optimizer's step.
error-backward-of-several = backward() of more than one number
    .cause = { $name } has the shape { $shape }: { COUNTED($count, "entry", "entries") }. Without an argument, backward() can only start from a single number.
    .repair = Reduce it first, as in { $name }.sum().backward(), or pass a starting gradient v of the same shape.
error-grad-of-several = grad() of more than one number
    .cause = { $name } has the shape { $shape }: { COUNTED($count, "entry", "entries") }. Without grad_outputs, grad() can only start from a single number.
    .repair = Reduce it first with sum(), or pass grad_outputs=torch.ones_like({ $name }).
error-grad-arguments-swapped = The arguments of grad() are swapped
    .cause = grad() takes the result first, then the input. { $name } is a leaf, and { $other } was computed.
    .repair = Pass the computed result first: grad({ $other }, { $name }).
error-loss-not-real = Only real floats can be differentiated this way
    .cause = { $name } has the dtype { $dtype }, and backward() without an argument starts from a real floating-point number.
    .repair = Convert it to a real float first: use abs() or .real for complex numbers, and float tensors from the start instead of whole numbers.
error-starting-gradient-shape = The starting gradient has the wrong shape
    .cause = { $code } starts from a gradient v of shape { $given }, but the differentiated result has shape { $wanted }. v needs one value per entry.
    .repair = Pass a tensor of shape { $wanted }, for example torch.ones_like(...) of the result.
error-starting-gradient-of-a-number = A single number needs no starting gradient
    .cause = { $code } differentiates a single number (shape { $wanted }), but the starting gradient v has shape { $given }.
    .repair = Call it without an argument, or start from the result before it was reduced to a single number.
error-starting-gradient-no-tensor = The starting gradient must be a tensor
    .cause = The argument in { $code } contains Python { $type } values, but the starting gradient v must be a tensor of the result's shape.
    .repair = Convert it with torch.tensor(...), or use torch.ones_like(...) of the result.
error-grad-of-a-number = grad() got a plain number
    .cause = One of the arguments in { $code } is a Python { $type }, which has no history to differentiate.
    .repair = Pass tensors: the computed result without item(), and the leaf itself.

## Where a history was lost

error-computed-under-no-grad = Computed while recording was off
    .cause = { $made } on line { $line } ran under { $block } (line { $block-line }), so { $name } has no history to differentiate.
    .repair = Compute it outside that block.
error-recording-switched-off = Recording was switched off
    .cause = { $block } on line { $block-line } switched recording off for all later lines, so { $made } on line { $line } recorded no history for { $name }.
    .repair = Remove it, or use with torch.no_grad(): only around code that needs no gradient.
error-checkpoint-of-data = The checkpoint recorded nothing
    .cause = checkpoint(..., use_reentrant=True) records only if one of its inputs requires grad. Parameters inside do not count. No input requires grad (see torch's warning), so { $name } has no history.
    .repair = Pass use_reentrant=False.
error-sampled-without-gradient = sample() has no gradient
    .cause = { $made } on line { $line } draws without recording, so no gradient passes through it to the parameters of the distribution.
    .repair = { $discrete ->
        [yes] This distribution has no rsample(). Train it through log_prob of the sample, or draw from a smooth substitute such as RelaxedBernoulli or gumbel_softmax.
       *[no] Use rsample(), which draws noise and transforms it. Distributions without rsample(), such as Categorical, are trained through log_prob.
    }
error-rsample-missing = This distribution has no rsample()
    .cause = { $code } needs a differentiable sample, which torch does not offer for this distribution.
    .repair = Use sample() and train through its log_prob, or draw from a smooth substitute such as RelaxedBernoulli or gumbel_softmax.
error-computed-unrecorded = Computed while recording was off
    .cause = { $made } on line { $line } ran while recording was off, so { $name } has no history to differentiate.
    .repair = Compute it with recording on, outside no_grad.
error-history-detached = The history was cut off
    .cause = { $made } on line { $line } returns the values without their history, and { $name } was computed from them.
    .repair = Remove detach() or .data on line { $line }.
error-position-has-no-gradient = A position has no gradient
    .cause = { $made } on line { $line } returns positions: whole numbers that jump when the entries change. { $name } cannot be differentiated.
    .repair = Use the value itself, as returned by max(), or a smooth substitute such as softmax.
error-steps-have-no-gradient = A step function has no gradient
    .cause = { $made } on line { $line } returns whole numbers or booleans, which do not change smoothly. The history of { $name } ends there.
    .repair = Differentiate a smooth quantity, such as a loss of the values themselves.
error-function-without-derivative = torch has no derivative of this function
    .cause = torch has no derivative for { $made } on line { $line }. The history of { $name } ends there.
    .repair = Use a function that torch differentiates, or write a torch.autograd.Function with its own backward.
error-derivative-missing = torch has no such derivative
    .cause = torch has no { $order ->
        [second] second derivative
        [forward] derivative in forward mode
       *[first] derivative
    } of { $made } on line { $at }{ $order ->
        [second] , so its gradient cannot be differentiated again
        [forward] {""}
       *[first] . Its result still requires grad, and backward stops there
    }.
    .repair = { $instead ->
        [smooth] It is constant except for its jumps, so a gradient would carry no information. Use a smooth function such as sigmoid, or detach() before it if no gradient needs to pass.
        [index_add] Use torch.zeros(n).index_add(0, numbers, weights), which computes the same sums and has a derivative.
        [norm] Write the distances as torch.linalg.vector_norm(a[:, None] - b, ord=p, dim=-1), which can be differentiated twice.
        [embedding] Use embedding(...) and then sum, mean or max over the rows of a bag, which have second derivatives.
        [math] Call it under torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH), where it consists of plain operations.
        [second] Use operations that torch can differentiate twice, or remove create_graph=True if you need only the first derivative.
        [forward] Use reverse mode, such as torch.func.grad or torch.func.vjp, or operations that support forward mode.
       *[first] Use a function that torch differentiates, or detach() before it if no gradient needs to pass.
    }
error-context-not-called = The context manager is not called
    .cause = { $name } is the class itself, but the with statement needs an instance.
    .repair = Write { $name }().
error-history-lost-in-a-new-leaf = A new tensor was made from plain numbers
    .cause = { $made } on line { $line } copies only the values into a new leaf, so { $name } loses its history.
    .repair = Keep the computed tensor itself, without torch.tensor() or item().
error-history-lost-in-numbers = A new tensor was made from plain numbers
    .cause = { $made } on line { $line } gets plain numbers from item() or numpy(), so { $name } has lost their history.
    .repair = Keep the computed tensor, and use item() only to print.
error-list-made-into-a-new-leaf = A list of tensors lost its history
    .cause = { $made } on line { $line } copies only the values of the listed tensors into a new leaf, so { $name } has no history.
    .repair = Join the tensors with torch.stack(...), which keeps their history.
error-history-lost-in-numpy = The history ended in NumPy
    .cause = { $made } on line { $line } passed the values to NumPy, which records nothing. { $name } was built from them and has no history.
    .repair = Use torch functions for the whole computation.
error-first-gradient-not-recorded = The first gradient has no graph
    .cause = { $first } on line { $line } computed the gradient without recording a graph, so { $name } cannot be differentiated again.
    .repair = Pass create_graph=True in { $first }.
error-first-gradient-constant = The first gradient is a constant
    .cause = { $first } on line { $line } recorded its graph, but the gradient does not depend on the input. The differentiated function is linear, so its second derivative is 0.
    .repair = Differentiate twice only nonlinear functions, or use 0 here.
error-first-gradient-of-a-function = The first gradient has no graph
    .cause = { $first } on line { $line } passed through a custom Function, which returned the gradient { $name } without history.
    .repair = Pass create_graph=True in the first call, and build the Function's backward from differentiable torch operations.
error-flags-switched-off = The gradients were switched off
    .cause = { $made } on line { $line } switched requires_grad off before { $name } was computed, and none of its other inputs required grad.
    .repair = Remove this for parameters you want to train.
error-only-a-shape-was-read = Only the shape was read
    .cause = { $made } on line { $line } reads the shape of { $of }, not its entries, so { $name } does not depend on them and nothing was recorded.
    .repair = Compute { $name } from the entries of { $of }.
error-nothing-requires-gradient = Nothing here requires grad
    .cause = None of the inputs of { $name } ({ $names }) was created with requires_grad=True, so nothing was recorded for { $code }.
    .repair = Create the input with requires_grad=True.

## Tensors that cannot have a gradient

error-whole-numbers-require-no-gradient = Only floats can require grad
    .cause = The entries in { $code } are { $dtype }. A derivative needs values that can change by small amounts, so only floating-point and complex tensors can require grad.
    .repair = Use floats: write 1. instead of 1, or dtype=torch.float32.
error-flag-of-a-result = A result's requires_grad cannot be changed
    .cause = { $name } was computed from tensors that require grad, so { $code } cannot take it out of the graph. Only a leaf's requires_grad can be changed.
    .repair = Use its values without the history: { $name } = { $name }.detach().
error-numpy-of-recorded = NumPy cannot convert a recorded tensor
    .cause = { $name } requires grad. NumPy does not record, so { $code } raises an error instead of silently losing the history.
    .repair = Detach it explicitly: pass { $name }.detach() to NumPy or a plot.
error-deepcopy-of-a-result = A computed tensor cannot be deep-copied
    .cause = { $name } is the result of { $made } and is attached to the graph, which can't be copied. Only leaves can be.
    .repair = Copy only the values: { $name }.detach().clone().
error-deepcopy-of-something-with-a-result = A computed tensor cannot be deep-copied
    .cause = { $name } contains a computed tensor, which is attached to a graph that { $code } can't copy.
    .repair = Store only detached tensors there, or copy the values with detach().clone().
error-detach-of-a-view = A view cannot be detached in place
    .cause = { $name } is a view of another tensor. detach_() would remove its history while the other tensor keeps its own, although they share memory.
    .repair = Create a detached tensor: { $name } = { $name }.detach().
error-retain-grad-without-gradient = There is no gradient to retain
    .cause = { $name } does not require grad, so backward computes no gradient for { $code } to keep.
    .repair = Create its inputs with requires_grad=True.
error-hook-without-gradient = A hook needs a gradient
    .cause = { $name } does not require grad, so the hook in { $code } would never be called.
    .repair = Create { $name } or its inputs with requires_grad=True.
error-input-requires-no-gradient = The input does not require grad
    .cause = { $code } differentiates with respect to { $name }, which does not require grad, so nothing was recorded for it.
    .repair = Create { $name } with requires_grad=True before it is used.
error-input-not-used = The result does not depend on the input
    .cause = { $root } was computed without { $name }, so there is no path in the graph from one to the other.
    .repair = Use { $name } in the computation, or pass allow_unused=True to get None for it.
error-input-made-beside = The result was computed from another tensor
    .cause = { $root } was computed directly from { $leaf }. { $name } was also computed from { $leaf }, but is not on that path.
    .repair = Differentiate with respect to { $leaf } and select entries of its gradient, or compute { $root } from { $name }.
error-made-in-inference-mode = A tensor created in inference mode
    .cause = { $name } was created under torch.inference_mode(), without the data that autograd needs. { $code } uses it while gradients are recorded.
    .repair = Use torch.no_grad() instead, or clone() the tensor first.

## A .grad that is None, a number for a tensor

error-gradient-before-backward = No backward has run yet
    .cause = { $gradient } is None until a backward reaches { $name }, and none has run before { $code }.
    .repair = Call backward() on a result computed from { $name } first.
error-gradient-zeroed-before-backward = There is no gradient to clear yet
    .cause = { $gradient } is None until the first backward reaches { $name }, but { $code } runs before that, in the first round.
    .repair = Clear it only if { $gradient } is not None, or clear it after the step.
error-gradient-cleared = The gradient was cleared
    .cause = A backward computed a gradient for { $name }, but { $gradient } is None again. zero_grad() or assigning None clears it.
    .repair = Run { $code } before the gradient is cleared.
error-gradient-returned-by-grad = grad() returns gradients but does not store them
    .cause = { $call } on line { $line } returned the gradient and did not write it into { $gradient }, which is still None.
    .repair = Use the result of grad(), or call backward().
error-gradient-not-asked-for = This gradient was not requested
    .cause = { $call } on line { $line } fills only the tensors listed in inputs=. { $name } is not among them, so { $gradient } is None.
    .repair = Add { $name } to inputs=, or remove inputs=.
error-gradient-never-reached = No gradient reached this tensor
    .cause = { $call } on line { $line } computed no gradient for { $name }: { $at ->
        [0] the graph has no path from that result to it
       *[known] { $cut } on line { $at } cuts it off
    }, so { $gradient } is None.
    .repair = Use { $name } itself in the computation, without detach(), .data or item().
error-gradient-none-from-a-function = A custom Function passed no gradient on
    .cause = { $call } on line { $line } passed through a custom Function on its way to { $name }. Its backward returned None there, so { $gradient } is None.
    .repair = Return the gradient for that argument from the Function's backward.
error-gradient-not-required = This tensor does not require grad
    .cause = { $name } does not require grad, so backward never fills { $gradient }, which is None.
    .repair = Create { $name } with requires_grad=True before it is used.
error-gradient-never-required = This tensor does not require grad
    .cause = { $made } on line { $line } created { $name } without requires_grad=True, so backward never fills { $gradient }, which is None.
    .repair = Set requires_grad=True in { $made }.
error-step-made-a-new-tensor = The step created a new tensor
    .cause = Line { $line } assigns a new tensor, the result of { $made }, to { $name }. { $name } is no longer the leaf, so { $gradient } is None.
    .repair = Change the leaf itself: { $name } -= step, under torch.no_grad().
error-leaf-lost-in-its-own-line = The leaf has no name
    .cause = { $made } on line { $line } creates a leaf and computes with it immediately. { $name } is the result, not the leaf, so { $gradient } is None.
    .repair = Compute first, then call requires_grad_() at the end of the line.
error-gradient-of-a-result = Gradients of results are not kept
    .cause = { $name } is not a leaf: it was computed by { $made }. backward() stores gradients only in leaves, so { $gradient } is None.
    .repair = Call { $name }.retain_grad() before backward().
error-backward-returns-nothing = backward() returns nothing
    .cause = { $call } on line { $line } stores gradients in the leaves and returns None, so { $name } is None.
    .repair = Call backward() on a separate line and read the gradients from .grad.
error-item-before-backward = item() detaches the value from the graph
    .cause = { $made } on line { $line } returns a plain Python { $type } with no history, but { $code } needs the tensor.
    .repair = Call item() only where you print the number.
error-number-has-no-backward = A plain number instead of a tensor
    .cause = { $name } is a { $type }, a plain number without history, so it has no { $method }.
    .repair = Compute { $name } with tensors, from a leaf with requires_grad=True.
error-list-has-no-backward = A list has no backward()
    .cause = { $name } is a list of losses, but only a single tensor has { $method }().
    .repair = Add them up first: sum({ $name }), or torch.stack({ $name }).mean().
error-nothing-has-no-backward = None instead of a loss
    .cause = { $name } is None. A function without return returns None, and so does backward() itself.
    .repair = Return the tensor from the function, and do not assign the result of backward().
error-grad-returns-a-tuple = grad() returns a tuple
    .cause = { $made } on line { $line } returns one gradient for each input, as a tuple of { $count }, so { $name } is not a tensor.
    .repair = Index the tuple: { $made }[0].

## Function, hooks, torch.func

error-function-count-of-gradients = The Function returns too few or too many gradients
    .cause = { $function }.backward returned { $got }, but { $function }.forward takes { $wanted } arguments after ctx. Each argument needs one gradient or None.
    .repair = Return { COUNTED($wanted, "value", "values") }: None for each argument that has no gradient.
error-function-returned-a-list = The gradients are in a list
    .cause = { $function }.backward returned one list, which counts as { $got } value, but forward takes { $wanted } arguments after ctx.
    .repair = Return the { COUNTED($wanted, "value", "values") } separated by commas, without square brackets.
error-function-shape-of-gradient = The Function's gradient has the wrong shape
    .cause = { $function }.backward returned a gradient of shape { $given } for argument { $index } (counted from 0), but that argument has the shape { $wanted }.
    .repair = Return one value per entry: a tensor of shape { $wanted }.
error-function-type-of-gradient = The Function's gradient is not a tensor
    .cause = { $function }.backward returned a { $type } instead of a gradient.
    .repair = Return a tensor with the shape of the argument, or None if it has no gradient.
error-function-without-backward = The Function has no backward
    .cause = { $function } defines how to compute its result but not how to pass a gradient back.
    .repair = Write a static method backward(ctx, g) that returns one gradient for each argument of forward.
error-function-without-forward = The Function has no forward
    .cause = { $code } found no method named forward to compute the result.
    .repair = Write a static method forward(ctx, x) in the class.
error-function-called = A Function is applied, not called
    .cause = { $code } creates an instance of { $function } and calls it. A Function is only a pair of static methods and is used without an instance.
    .repair = Write { $function }.apply(...).
error-function-saved-no-tensor = Only tensors can be saved for backward
    .cause = Value { $index } (counted from 0) passed to save_for_backward has type { $type }, so { $code } failed.
    .repair = Store such values as attributes: ctx.k = k.
error-function-saved-nothing = forward saved no tensors
    .cause = { $code } expects { $wanted } saved tensors but found { $got }, because forward did not call ctx.save_for_backward.
    .repair = Call ctx.save_for_backward(...) in forward.
error-function-saved-another-number = forward saved a different number of tensors
    .cause = { $code } unpacks { $wanted } saved tensors, but ctx.save_for_backward got a different number.
    .repair = Unpack exactly the tensors that forward saves, in the same order.
error-function-context = forward did not store this on ctx
    .cause = { $code } reads { $attribute } from ctx, but { $function }.forward did not store it there.
    .repair = Write ctx.{ $attribute } = ... in forward.
error-function-forward-called = forward must not be called directly
    .cause = { $code } calls forward itself, without the ctx that { $function }.apply passes and without recording its backward.
    .repair = Write { $function }.apply(...).
error-function-forward-parameters = forward has the wrong parameters
    .cause = { $code } calls { $function }.forward with ctx first, then the arguments of apply, but its parameters don't match.
    .repair = Write def forward(ctx, ...) with ctx first, as a @staticmethod without self.
error-function-backward-parameters = backward has the wrong parameters
    .cause = { $function }.backward is called with ctx first, then one gradient for each result of forward, but its parameters don't match.
    .repair = Write def backward(ctx, g, ...) with one g for each result of forward.
error-hook-changed-the-shape = A hook changed the gradient's shape
    .cause = During { $code } the hook { $hook } returned a gradient with a different shape.
    .repair = Return a tensor of the same shape, or nothing to leave the gradient unchanged.
error-hook-changed-the-dtype = A hook changed the gradient's dtype
    .cause = During { $code } the hook { $hook } returned a gradient with a different dtype.
    .repair = Return a tensor of the same dtype: result.to(g.dtype).
error-hook-returned-no-tensor = A hook did not return a tensor
    .cause = During { $code } a hook returned a { $type }. A hook's result replaces the gradient.
    .repair = Return a tensor of the gradient's shape, or nothing.
error-hook-arguments = A tensor's hook takes one argument
    .cause = { $code } calls the hook { $hook } with one argument, the gradient, but it takes a different number.
    .repair = Write the hook with one parameter: lambda g: ...
error-module-hook-count = The module's hook returned the wrong number of gradients
    .cause = The backward hook returned { COUNTED($got, "gradient", "gradients") } instead of { $wanted }: one for each input of the module that gets a gradient.
    .repair = Return a tuple of { $wanted }, or nothing.
error-accumulation-hook-of-a-result = Only leaves accumulate gradients
    .cause = { $code } waits for a gradient to be added to .grad, which happens only for leaves, but this tensor was computed.
    .repair = Use register_hook, or register the hook on the leaf.
error-anomaly-nan = NaN appeared in the backward pass
    .cause = Anomaly detection stopped at { $node }, which returned NaN as a gradient, although its result may have been finite.
    .repair = Keep the values away from points with an infinite or undefined derivative, for example with clamp(min=1e-6) before it.
error-anomaly-nan-at = NaN appeared in the backward pass
    .cause = The gradient of { $code } on line { $line } is NaN: anomaly detection stopped at its { $node }. Its derivative, or the gradient it received, is infinite or undefined there.
    .repair = Keep the values away from that point, for example with clamp(min=1e-6) before it.
error-vmap-branches = vmap cannot branch on entries
    .cause = { $code } depends on the entries of a tensor, but under vmap the tensor represents all rows at once, which may differ.
    .repair = Compute both branches and choose: torch.where(condition, a, b).
error-vmap-writes-in-place = A shared tensor cannot take one value for each row
    .cause = { $code } writes into a tensor that all rows share, and under vmap the value differs from row to row.
    .repair = Build the result with torch.stack, torch.cat or torch.where instead. Or create the tensor from the input: x.new_zeros(n) has a row for each, torch.zeros(n) does not.
error-vmap-batch-norm = A batch norm has one set of running statistics
    .cause = Under vmap, { $code } would update the running mean and variance once for each row, but all rows share them.
    .repair = Call eval() on the module, create it with track_running_stats=False, or replace it: torch.func.replace_all_batch_norm_modules_(net).
error-transform-writes-outside = The function writes into a tensor from outside
    .cause = During { $code } the function changed a tensor in place that is not one of its arguments. Batch norm does so in training mode: it counts its batches and keeps running statistics.
    .repair = Pass the tensor as an argument and return it, or write after the call. For batch norm, call eval() or torch.func.replace_all_batch_norm_modules_(net) first.
error-function-backward-unrecorded = A Function's backward records no graph
    .cause = { $code } is in the backward of a custom Function, where operations are not recorded unless backward is called with create_graph=True. Values computed there have no history.
    .repair = Put it into a block that begins with “with torch.enable_grad():” and use x.detach().requires_grad_() as its input.
error-deepcopy-of-a-weight-norm = The old weight_norm cannot be copied
    .cause = The norm on line { $made } stores a computed weight in the module, and copy.deepcopy({ $name }) cannot copy tensors with a history.
    .repair = Use torch.nn.utils.parametrizations.weight_norm or spectral_norm, or copy the module before its first call.
error-vmap-item = vmap cannot extract a number
    .cause = { $code } needs one Python number, but under vmap the tensor represents all rows at once.
    .repair = Remove item() and use the tensor.
error-vmap-random = vmap needs a randomness setting
    .cause = { $code } draws random numbers, and vmap does not know whether all rows should share them.
    .repair = Pass randomness='different' or randomness='same' to vmap(...).
error-vmap-size-by-entries = A size that depends on entries
    .cause = The number of entries that { $code } returns depends on the values, so under vmap the rows could have different lengths.
    .repair = Keep the shape: torch.where(mask, x, 0) instead of x[mask].
error-vmap-sizes = The arguments have different numbers of rows
    .cause = vmap maps over the rows of all arguments together, but along the mapped axis their sizes are { $sizes }.
    .repair = Pass arguments with the same number of rows, or in_dims=(0, None) for a shared argument.
error-vmap-returns-no-tensor = The function under vmap does not return a tensor
    .cause = The mapped function returned a { $type }, but vmap can only stack tensors.
    .repair = Return a tensor, without item() or Python numbers.
error-vmap-axis = The axis to map over does not exist
    .cause = vmap should map along axis { $axis }, but the argument has { COUNTED($count, "axis", "axes") }.
    .repair = Pass a tensor with that axis, or in_dims=None for a shared argument.
error-func-grad-of-several = The function must return one number
    .cause = torch.func.grad differentiates a single number, but the function in { $code } returned a tensor with { COUNTED($axes, "axis", "axes") }.
    .repair = Return a sum or mean, or use torch.func.jacrev for all derivatives.
error-func-grad-of-a-tuple = The function returns a tuple
    .cause = torch.func.grad differentiates one tensor, but the function in { $code } returned a tuple.
    .repair = Pass has_aux=True, which returns the rest unchanged, or return only the loss.
error-func-grad-no-tensor = The function does not return a tensor
    .cause = The function that { $code } differentiates returned a { $type }, which has no history.
    .repair = Return the tensor itself, without item(), tolist() or float().
error-hessian-of-several = The Hessian needs a single number
    .cause = { $code } gets a function that returns several numbers, but the Hessian matrix is defined for a single number.
    .repair = Return a sum or mean in the function.
error-func-argument-no-tensor = The point must be a tensor
    .cause = { $code } differentiates at a Python { $type }, but torch.func works with tensors.
    .repair = Pass torch.tensor(...) with a floating-point number.
error-func-argnums = argnums refers to a missing argument
    .cause = argnums={ $index } counts from 0, but the number of positional arguments is { $count }.
    .repair = Use an argnums below { $count }.
error-backward-inside-a-transform = backward() inside a torch.func transform
    .cause = { $code } runs in a function that torch.func differentiates itself, so it cannot also fill .grad.
    .repair = Return the result from the function and remove backward().
error-jvp-wants-tuples = jvp takes tuples
    .cause = { $what } in { $code } is not a tuple. jvp takes a tuple with one entry for each argument of the function.
    .repair = Write (x,) and (v,) with a comma.
error-jvp-shape = The direction has the wrong shape
    .cause = The point has shape { $wanted }, but the direction v has shape { $given }. v needs one value per entry.
    .repair = Pass a direction of shape { $wanted }.
error-dual-without-level = Forward mode is not switched on
    .cause = { $code } pairs a tensor with a direction. Such pairs exist only inside a forward-mode level, and no level is open.
    .repair = Put it and everything computed from it into a block that begins with “with torch.autograd.forward_ad.dual_level():”, or use torch.func.jvp, which opens a level itself.
error-dual-of-integers = Only floats have a direction
    .cause = A derivative needs values that can change by small amounts, but { $code } gets { $dtype }.
    .repair = Use floats: write 1. instead of 1, or convert with .float().
error-function-without-jvp = A Function without forward mode
    .cause = In forward mode, { $code } reaches a torch.autograd.Function without jvp. Forward mode does not use its backward.
    .repair = Write its jvp, or use reverse mode, such as torch.func.grad or torch.func.vjp.
error-unpacked-no-tensor = The unpack hook did not return a tensor
    .cause = saved_tensors_hooks passes the result of the pack hook to the unpack hook, which must return a tensor. It returned { $type ->
        [NoneType] None, like any function without a return statement
       *[other] a value of type { $type }
    }.
    .repair = Return a value from both hooks: the packed value from the first, the tensor from the second.
error-accumulation-hook-returns = This hook must return nothing
    .cause = In { $code } a hook that runs after accumulation returned a value. Such a hook gets the leaf, may change its .grad, and must return None. A lambda always returns its result.
    .repair = Write it as a def without return. To return a replacement gradient, use register_hook.
error-vectors-up-to-a-phase = The loss depends on a free phase
    .cause = Complex { $vectors } may be multiplied by any number of absolute value 1. The loss that { $code } differentiates changes with it, so its derivative is not well defined.
    .repair = Compute the loss from values that such a factor does not change, such as abs() of the entries or v @ v.mH.
error-old-graph-carried-over = The state carries the last round's graph
    .cause = { $saved } on line { $saved-line } ran in an earlier round, and { $name } still leads into that round's graph. { $code } on line { $line } has changed the weights since, and { $second } also runs through that round.
    .repair = Cut the history at the end of each round: { $cut }. retain_graph=True is then unnecessary.
error-graph-kept-inside = Two backward calls share a result that an object kept
    .cause = { $shared } on line { $at } computed a value that { $object } stores and reuses. { $first } on line { $line } freed the values saved by that part of the graph, and { $second } needs them again.
    .repair = Add the two results and call backward() once, create { $object } again for the second call, or pass retain_graph=True in the first call.
error-positions-require-no-gradient = Positions have no gradient
    .cause = { $code } holds positions: { $made } on line { $line } returns whole numbers ({ $dtype }) that jump when the entries change. Even as floats they would have no gradient.
    .repair = Differentiate the entries themselves, or use softmax as a smooth substitute.
error-numpy-function-of-recorded = NumPy does not record
    .cause = { $code } gets a tensor that requires grad. NumPy does not record, so torch raises an error instead of silently losing the history.
    .repair = Use { $torch }, which records, instead of { $function }. If you need no gradient, pass the tensor to NumPy with .detach().
error-numpy-of-a-list = The list holds recorded tensors
    .cause = Line { $line } puts { $item } into { $name } as a tensor with its history, and { $code } passes these tensors to NumPy, which does not record.
    .repair = Store only the number: { $right }. This also frees each round's graph.
error-numpy-of-some-recorded = NumPy cannot convert a recorded tensor
    .cause = A tensor in { $code } requires grad. NumPy does not record, so torch raises an error instead of silently losing the history.
    .repair = Call .detach() on that tensor before passing it to NumPy or a plot.
error-input-cut-off = The path to the input is cut
    .cause = { $root } was computed from { $name }, but { $made } on line { $line } cuts the history, so no gradient passes.
    .repair = Keep the history there if you need the gradient, or pass allow_unused=True to get None.
error-second-gradient-is-zero = The first gradient does not depend on the input
    .cause = The gradient from { $made } on line { $line } no longer contains { $name }, because the function is linear in it, at least piecewise. The next derivative is zero, and the graph has no path to { $name }.
    .repair = Pass materialize_grads=True to get zeros. A nonzero second derivative needs a nonlinear smooth function, such as tanh, in between.
error-backward-not-called = backward is never called
    .cause = { $gradient } is None because no backward has run. On line { $line } the parentheses after { $call } are missing, so the method is not called.
    .repair = Write { $call }().
error-saved-tensors-are-a-tuple = saved_tensors is a tuple
    .cause = { $saved } is always a tuple, even for a single tensor, so { $name } on line { $line } is that tuple.
    .repair = Unpack it with a comma: { $name }, = { $saved }.
error-gradient-of-another-shape = The gradient has the wrong shape
    .cause = { $code } gets a gradient of shape { $given }, but the tensor has shape { $wanted }. A gradient has one value per entry.
    .repair = Assign a tensor of shape { $wanted }, for example from torch.zeros_like(...).
error-gradient-of-another-dtype = The gradient has the wrong dtype
    .cause = { $code } gets a gradient of dtype { $given }, but the tensor has dtype { $wanted }.
    .repair = Convert it with .to(tensor.dtype). To update in the other dtype, keep a copy of the tensor in that dtype and let the optimizer update the copy.
error-gradient-no-tensor = A gradient must be a tensor or None
    .cause = { $code } gets a value of type { $type }.
    .repair = Assign None to clear the gradient, or a tensor of the same shape, such as torch.zeros_like(tensor).
error-filled-entry-by-entry = A tensor is filled using its own entries
    .cause = { $saved } on line { $saved-line } keeps entries of { $name } for the backward pass, and the same line then writes into { $name }, so { $backward } finds changed values.
    .repair = Collect the results in a list and join them with torch.stack after the loop, or read from a copy with .clone().
error-graph-part-of-constants = A constant requires grad
    .cause = { $shared } on line { $at } was computed once, from { $names }. { $names } never changes in the loop but requires grad, so { $shared } has a graph, which the first { $second } freed.
    .repair = If { $names } is data, remove requires_grad=True. If it should be learned, compute { $shared } inside the loop.
error-graph-of-a-generator = The discriminator's loss reaches into the generator
    .cause = { $fake } was computed by { $generator }, and { $judge } reads it on line { $read }. So { $first } on line { $line } also ran through { $generator } and freed its graph, which { $second } needs.
    .repair = Pass only the values to { $judge } on line { $read }: { $fake }.detach(). The step of { $judge } needs no gradient in { $generator }.
error-step-rebound-under-no-grad = The step created a new tensor
    .cause = { $made } on line { $line } ran under { $block } (line { $block-line }), and { $leaf } now refers to its result, which does not require grad. So { $name } has no history to differentiate.
    .repair = Update in place inside the block, so that { $leaf } stays the same leaf.
error-module-hook-arguments = The module calls its hook with { $count } arguments
    .cause = A hook registered with { $register } (line { $line }) is called with { $count } arguments: { $wanted }. { $hook } takes a different number.
    .repair = Define the hook with these parameters: { $wanted }.
error-none-since = None instead of a value
    .cause = Line { $where } sets { $piece } to None, and no line has assigned a tensor to it since.
    .repair = Check whether the loop or branch that assigns it ran.
error-derivative-of-no-tensor = { $function } differentiates tensors
    .cause = The point at which { $function } differentiates is a { $type }.
    .repair = Pass a floating-point tensor, or a tuple of tensors for several arguments.
error-gradcheck-mismatch = backward and the measured slope differ
    .cause = gradcheck moved each entry of input { $input } slightly and measured the change of output { $output } (both counted from 0). The Jacobian from backward is different.
    .repair = Check the backward of the function. If it is right, the point may be a kink, such as relu at 0, or the inputs may be less precise than float64.
error-resize-in-place = A tensor that requires grad cannot be resized
    .cause = { $code } would change the number of entries of a tensor that autograd records.
    .repair = Create a new tensor, for example with x.reshape(...), torch.cat or F.pad.
