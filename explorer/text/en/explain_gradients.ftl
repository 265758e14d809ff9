# Errors of autograd, explained: a title, the cause, the change.

## Leaves and graphs

error-graph-used-twice = backward() ran twice over one graph
    .cause = { $first } on line { $line } freed what its operations had saved. { $second } on line { $again } needs them again.
    .repair = Keep the graph with retain_graph=True in the first call; gradients then add up. Or compute the result again before the second call.
error-graph-shared = Two backward calls share a part of the graph
    .cause = { $shared } on line { $at } belongs to both graphs. { $first } on line { $line } freed what it had saved, and { $second } needs it again.
    .repair = Add the two results and call backward() once, or write retain_graph=True in the first call.
error-graph-used-twice-in-a-loop = One graph used in every round
    .cause = { $second } runs more than once over a graph that was made only once; its first run freed what the operations had saved.
    .repair = Compute the result inside the loop, before each { $second }.
error-graph-part-made-before-a-loop = Part of the graph was made only once
    .cause = { $shared } on line { $at } was computed once, before the first { $second } freed what it had saved. The next round needs it again.
    .repair = Compute { $shared } inside the loop too, so that each round has a graph of its own.
error-graph-part-used-twice-in-a-loop = A round reaches into an earlier graph
    .cause = The graph of this round leads back into that of an earlier one, where { $second } has freed what the operations had saved.
    .repair = Begin each round from tensors without a history: detach() what is carried over, or compute everything inside the loop.
error-graph-carried-over = The state carries the last round's graph
    .cause = The graph of the round before is still reached through { $name }, down to { $shared } (line { $at }). { $second } has freed what that graph had saved.
    .repair = Cut the history at the end of each round, after { $second }: { $cut }.
error-leaf-overwritten = A leaf was overwritten in place
    .cause = { $name } is a leaf that requires a gradient. { $code } on line { $line } would overwrite the value that its gradient belongs to while gradients are recorded.
    .repair = Change it under torch.no_grad(), or make a new tensor with an operation that does not work in place.
error-part-of-a-leaf-overwritten = Entries of a leaf were overwritten
    .cause = { $name } is a leaf that requires a gradient. { $code } on line { $line } would write into some of its entries while gradients are recorded.
    .repair = Assign under torch.no_grad(), or put the values in before the tensor is made to require a gradient.
error-leaf-written-through-a-view = A view wrote into a leaf
    .cause = { $name } is a view: it shares its memory with the leaf { $leaf }. { $code } on line { $line } would overwrite { $leaf } while gradients are recorded.
    .repair = Write under torch.no_grad(), or work on a copy: { $name }.clone().
error-step-recorded = A leaf cannot be changed in place while gradients are recorded
    .cause = { $code } on line { $line } changes the leaf { $name } in place. Recorded, the step would itself become part of the graph, so torch refuses it.
    .repair = Put the update into a block that begins with “with torch.no_grad():”.
error-result-into-out = out= cannot be differentiated
    .cause = { $code } writes its result into memory that exists already, which autograd cannot follow, and one of its arguments requires a gradient.
    .repair = Leave out= away and assign the result to a name.
error-one-view-of-several = One of several views was overwritten
    .cause = { $name } is one of several views that one operation returned together. { $code } would overwrite what the others share with it.
    .repair = Use the operation that makes a new tensor, or clone() the view first.
error-function-result-overwritten = The result of a Function was overwritten
    .cause = { $name } came unchanged, as a view, out of a custom Function or a module with a backward hook. { $code } would put the function's own backward out of force.
    .repair = Use the operation that makes a new tensor in place of { $code }.
error-hooked-module-overwritten = A module with a backward hook is overwritten in place
    .cause = Within { $code }, { $name } writes in place into what a module with a full backward hook was given or returned: such a hook hands tensors on as views that must not change.
    .repair = Let { $name } make a new tensor, as nn.ReLU() does without inplace=True.
error-view-made-unrecorded = A view made under no_grad was overwritten
    .cause = { $name } was made as a view while nothing was recorded. { $code } now writes through it while gradients are recorded, so it is not clear whether that should count.
    .repair = Put both the view and the change inside the no_grad block, or both outside.
error-expanded-overwritten = An expanded tensor was overwritten
    .cause = { $made } on line { $line } gives { $name } the shape { $shape } without copying: several entries are the same number in memory, so { $code } would write to it several times.
    .repair = Copy it first: { $made }.clone().
error-repeated-entry-overwritten = Entries that share memory were overwritten
    .cause = Several entries of { $name }, of shape { $shape }, are the same number in memory. { $code } would write to it several times.
    .repair = Copy the tensor with clone() before changing it.
error-saved-result-overwritten = A result needed for backward was overwritten
    .cause = { $saved } on line { $saved-line } keeps its result { $name } for the backward pass. { $code } on line { $line } overwrote it before { $backward } could use it.
    .repair = Make a new tensor on line { $line }: an operation that does not work in place.
error-saved-input-overwritten = An input needed for backward was overwritten
    .cause = { $saved } on line { $saved-line } needs { $name } for the backward pass. { $code } on line { $line } overwrote it before { $backward } could use it.
    .repair = Change a copy on line { $line }, or change { $name } after { $backward }.
error-saved-in-a-module-overwritten = A layer overwrote what another one needs for backward
    .cause = In { $code } on line { $line } the layer { $saved } keeps { $what ->
        [result] its result
       *[input] its input
    } for the backward pass. The layer { $module } then writes over it in place, before { $backward } could use it.
    .repair = Make { $module } with inplace=False.
error-weights-changed-before-backward = The weights changed before backward
    .cause = { $saved } on line { $saved-line } was computed with the old { $name }. { $code } on line { $line } changed it, and { $backward } still needs the old values.
    .repair = Compute { $saved } again after { $code }, with the new values.
error-weights-renormed = max_norm rescaled the rows before backward
    .cause = { $saved } on line { $saved-line } was computed with { $name } as it was. Because of max_norm, { $code } on line { $line } scaled the rows that it reads, in place, and { $backward } still needs the old values.
    .repair = Let { $saved } read a copy: { $name }.clone(). Or leave max_norm away, and scale the rows under torch.no_grad() after the optimizer's step.
error-backward-of-several = backward() of more than one number
    .cause = { $name } has the shape { $shape }: { COUNTED($count, "entry", "entries") }. Without an argument, backward() can only start from a single number.
    .repair = Reduce it first, as in { $name }.sum().backward(), or pass a starting gradient v of its shape.
error-grad-of-several = grad() of more than one number
    .cause = { $name } has the shape { $shape }: { COUNTED($count, "entry", "entries") }. Without grad_outputs, grad() can only start from a single number.
    .repair = Reduce it first with sum(), or pass grad_outputs=torch.ones_like({ $name }).
error-grad-arguments-swapped = The arguments of grad() are swapped
    .cause = grad() takes the result first, then what to differentiate by. { $name } is a leaf, and { $other } was computed.
    .repair = Write the computed result first: grad({ $other }, { $name }).
error-loss-not-real = Only real floats can be differentiated this way
    .cause = { $name } has the dtype { $dtype }, and backward() without an argument starts from a real floating-point number.
    .repair = Make a real number of it first: abs() or .real for complex numbers; keep floats throughout for whole numbers.
error-starting-gradient-shape = The starting gradient has the wrong shape
    .cause = { $code } starts from a gradient v of shape { $given }, but what is differentiated has the shape { $wanted }. v needs one number for each entry.
    .repair = Pass a tensor of shape { $wanted }, for example torch.ones_like(...) of the result.
error-starting-gradient-of-a-number = A number needs no starting gradient
    .cause = What { $code } differentiates has the shape { $wanted }, a single number, but the starting gradient v has the shape { $given }.
    .repair = Call it without an argument, or pass v before reducing to one number.
error-starting-gradient-no-tensor = The starting gradient must be a tensor
    .cause = The argument in { $code } holds { $type } values of Python; the starting gradient v has to be a tensor of the result's shape.
    .repair = Make a tensor of it: torch.tensor(...), or torch.ones_like(...) of the result.
error-grad-of-a-number = grad() was given a plain number
    .cause = One of the arguments in { $code } is a Python { $type }, which has no history to differentiate.
    .repair = Pass tensors: the computed result without item(), and the leaf itself.

## Where a history was lost

error-computed-under-no-grad = Computed while nothing was recorded
    .cause = { $made } on line { $line } ran under { $block } (line { $block-line }), so { $name } has no history to differentiate.
    .repair = Compute it outside that block.
error-recording-switched-off = Recording was switched off
    .cause = { $block } on line { $block-line } switched recording off for all that follows, so { $made } on line { $line } left no history in { $name }.
    .repair = Remove it, or use with torch.no_grad(): around only what needs no gradient.
error-checkpoint-of-data = The checkpoint recorded nothing
    .cause = checkpoint(..., use_reentrant=True) records its part only if one of its inputs requires a gradient; the parameters inside do not count. None does, as torch's warning says, so { $name } has no history.
    .repair = Write use_reentrant=False.
error-sampled-without-gradient = sample() has no gradient
    .cause = { $made } on line { $line } draws without recording, so no gradient passes through it to the parameters of the distribution.
    .repair = { $discrete ->
        [yes] This distribution has no rsample(): train it through log_prob of the sample, or draw from a smooth stand-in, such as RelaxedBernoulli or gumbel_softmax.
       *[no] Write rsample(), which draws noise and transforms it. Distributions without it, such as Categorical, are trained through log_prob.
    }
error-rsample-missing = This distribution has no rsample()
    .cause = { $code } asks for a sample that a gradient can pass through, and torch has none for this distribution.
    .repair = Take sample() and train through its log_prob, or draw from a smooth stand-in, such as RelaxedBernoulli or gumbel_softmax.
error-computed-unrecorded = Computed while nothing was recorded
    .cause = { $made } on line { $line } ran while gradients were not recorded, so { $name } has no history to differentiate.
    .repair = Compute it where recording is on, outside no_grad.
error-history-detached = The history was cut off
    .cause = { $made } on line { $line } gives the values without their history, and { $name } was computed from it.
    .repair = Leave the detach() or .data away on line { $line }.
error-position-has-no-gradient = A position has no gradient
    .cause = { $made } on line { $line } returns positions, whole numbers that jump when the entries change. There is nothing to differentiate in { $name }.
    .repair = Use the value itself, as max() gives it, or a smooth stand-in such as softmax.
error-steps-have-no-gradient = A step function has no gradient
    .cause = { $made } on line { $line } gives whole numbers or truth values, which do not change smoothly. The history of { $name } ends there.
    .repair = Differentiate a smooth quantity, such as a loss of the values themselves.
error-function-without-derivative = torch has no derivative of this function
    .cause = torch knows no derivative of { $made } on line { $line }. The history of { $name } ends there.
    .repair = Use a function that torch differentiates, or write a torch.autograd.Function with a backward of its own.
error-derivative-missing = torch has no such derivative
    .cause = torch knows no { $order ->
        [second] second derivative
        [forward] derivative in forward mode
       *[first] derivative
    } of { $made } on line { $at }{ $order ->
        [second] , so its gradient cannot be differentiated again
        [forward] {""}
       *[first] . Its result asks for a gradient all the same, and backward stops where it comes to it
    }.
    .repair = { $instead ->
        [smooth] It is constant but for its jumps, so no gradient could tell anything: take a smooth function such as sigmoid, or detach() before it if no gradient has to pass.
        [index_add] Write torch.zeros(n).index_add(0, numbers, weights), which adds the same and has a derivative.
        [norm] Write the distances as torch.linalg.vector_norm(a[:, None] - b, ord=p, dim=-1); its derivatives have derivatives.
        [embedding] Take embedding(...) and then sum, mean or max over the rows of a bag; these have second derivatives.
        [math] Call it under torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH), where it consists of plain operations.
        [second] Use operations that torch can differentiate twice, or leave create_graph=True away if only the first derivative is needed.
        [forward] Use reverse mode, as torch.func.grad or torch.func.vjp, or operations that have forward mode.
       *[first] Use a function that torch differentiates, or use detach() before it if no gradient has to pass.
    }
error-context-not-called = The context is not called
    .cause = { $name } is the class itself. with needs what a call of it gives.
    .repair = Write { $name }().
error-history-lost-in-a-new-leaf = A new tensor was made from plain numbers
    .cause = { $made } on line { $line } copies only the numbers into a new leaf, so { $name } no longer knows what it was computed from.
    .repair = Keep the computed tensor itself: no torch.tensor() and no item() around it.
error-history-lost-in-numbers = A new tensor was made from plain numbers
    .cause = { $made } on line { $line } is given plain numbers that item() or numpy() had taken out, so { $name } no longer knows what they were computed from.
    .repair = Keep the computed tensor, and use item() only for printing.
error-list-made-into-a-new-leaf = A list of tensors lost its history
    .cause = { $made } on line { $line } copies only the numbers of the listed tensors into a new leaf, so { $name } has no history.
    .repair = Join the tensors with torch.stack(...), which keeps their history.
error-history-lost-in-numpy = The history ended in NumPy
    .cause = { $made } on line { $line } handed the values to NumPy, which records nothing. { $name } was built from them, without a history.
    .repair = Do the whole calculation with torch functions.
error-first-gradient-not-recorded = The first gradient left no graph
    .cause = { $first } on line { $line } computed the gradient without recording how, so { $name } cannot be differentiated again.
    .repair = Write create_graph=True in { $first }.
error-first-gradient-constant = The first gradient is a constant
    .cause = { $first } on line { $line } recorded its graph, but the gradient it found does not depend on the input: what was differentiated is linear, so the second derivative is 0.
    .repair = Differentiate twice only what is not linear, or take 0 here.
error-first-gradient-of-a-function = The first gradient left no graph
    .cause = { $first } on line { $line } passed through a custom Function, and the gradient { $name } came out without a history.
    .repair = Write create_graph=True in the first call, and build the Function's backward from differentiable torch operations.
error-flags-switched-off = The gradients were switched off
    .cause = { $made } on line { $line } switched requires_grad off before { $name } was computed, and nothing else that it was computed from asked for a gradient.
    .repair = Remove it for parameters you want to train.
error-only-a-shape-was-read = Only the shape was read
    .cause = { $made } on line { $line } reads the shape of { $of }, not its entries. So { $name } does not depend on them, and nothing was recorded.
    .repair = Compute { $name } from the entries of { $of }.
error-nothing-requires-gradient = Nothing here requires a gradient
    .cause = None of the tensors behind { $name } ({ $names }) was made with requires_grad=True, so nothing was recorded for { $code }.
    .repair = Create the tensor to differentiate by with requires_grad=True.

## Tensors that cannot have a gradient

error-whole-numbers-require-no-gradient = Only floats can require a gradient
    .cause = The entries in { $code } are { $dtype }. A derivative needs values that can change by small amounts, so only floating-point and complex tensors can require one.
    .repair = Make floats: write 1. for 1, or dtype=torch.float32.
error-flag-of-a-result = A result's requires_grad cannot be changed
    .cause = { $name } was computed from tensors that require a gradient, so { $code } cannot take it out of the graph. Only leaves can be switched.
    .repair = Take its values without the history: { $name } = { $name }.detach().
error-numpy-of-recorded = NumPy cannot take a recorded tensor
    .cause = { $name } requires a gradient. NumPy would go on without recording, so { $code } refuses to lose the history silently.
    .repair = Leave the graph on purpose: { $name }.detach() before handing it to NumPy or a plot.
error-deepcopy-of-a-result = A computed tensor cannot be deep-copied
    .cause = { $name } is the result of { $made } and is attached to the graph, which can't be copied. Only leaves can be.
    .repair = Copy only the values: { $name }.detach().clone().
error-deepcopy-of-something-with-a-result = A computed tensor cannot be deep-copied
    .cause = { $name } contains a computed tensor, which is attached to a graph that { $code } can't copy.
    .repair = Store only detached tensors there, or copy the values with detach().clone().
error-detach-of-a-view = A view cannot be detached in place
    .cause = { $name } is a view of another tensor. detach_() would cut its history off while the other one keeps it, though they share their memory.
    .repair = Make a detached tensor: { $name } = { $name }.detach().
error-retain-grad-without-gradient = There is no gradient to retain
    .cause = { $name } does not require a gradient, so no backward will bring one that { $code } could keep.
    .repair = Create what it is computed from with requires_grad=True.
error-hook-without-gradient = A hook needs a gradient
    .cause = { $name } does not require a gradient, so the hook in { $code } would never be called.
    .repair = Create { $name }, or what it is computed from, with requires_grad=True.
error-input-requires-no-gradient = The input requires no gradient
    .cause = { $code } differentiates with respect to { $name }, which does not require a gradient, so nothing was recorded for it.
    .repair = Create { $name } with requires_grad=True before it is used.
error-input-not-used = The result does not depend on the input
    .cause = { $root } was computed without { $name }, so there is no path in the graph from one to the other.
    .repair = Use { $name } in the calculation, or write allow_unused=True to get None for it.
error-input-made-beside = The result was computed from another tensor
    .cause = { $root } was computed from { $leaf } directly. { $name } was made from { $leaf } too, but lies beside that path.
    .repair = Differentiate by { $leaf } and pick entries from its gradient, or compute { $root } from { $name }.
error-made-in-inference-mode = A tensor made in inference mode
    .cause = { $name } was made under torch.inference_mode(), which leaves away what autograd would need to know. { $code } works with it where gradients are recorded.
    .repair = Use torch.no_grad() in its place, or clone() the tensor first.

## A .grad that is None, a number for a tensor

error-gradient-before-backward = No backward has run yet
    .cause = { $gradient } is None until a backward reaches { $name }, and none has run before { $code }.
    .repair = Call backward() on a result computed from { $name } first.
error-gradient-zeroed-before-backward = There is no gradient to clear yet
    .cause = { $gradient } is None until the first backward reaches { $name }; { $code } runs before that, in the first round.
    .repair = Clear it only where it exists: if { $gradient } is not None. Or clear it after the step.
error-gradient-cleared = The gradient was cleared again
    .cause = A backward did bring a gradient to { $name }, but { $gradient } is None again: zero_grad() sets it to None, as does assigning None.
    .repair = Read it in { $code } before it is cleared.
error-gradient-returned-by-grad = grad() returns gradients, it stores none
    .cause = { $call } on line { $line } returned the gradient and did not write it into { $gradient }, which is still None.
    .repair = Use what grad() returned, or call backward().
error-gradient-not-asked-for = This gradient was not asked for
    .cause = { $call } on line { $line } fills only the tensors that inputs= names, and { $name } is not one of them, so { $gradient } is None.
    .repair = Add { $name } to inputs=, or leave inputs= away.
error-gradient-never-reached = No gradient reached this tensor
    .cause = { $call } on line { $line } gave { $name } no gradient: { $at ->
        [0] in the graph no path leads from that result to it
       *[known] { $cut } on line { $at } cuts it off
    }, so { $gradient } is None.
    .repair = Use { $name } itself in the calculation, without detach(), .data or item() on the way.
error-gradient-none-from-a-function = A custom Function let no gradient through
    .cause = { $call } on line { $line } went through a custom Function on its way to { $name }, and its backward returned None there, so { $gradient } is None.
    .repair = Return the gradient for that argument from the Function's backward.
error-gradient-not-required = This tensor requires no gradient
    .cause = { $name } does not require a gradient, so no backward ever fills { $gradient }: it is None.
    .repair = Create { $name } with requires_grad=True before it is used.
error-gradient-never-required = This tensor requires no gradient
    .cause = { $made } on line { $line } made { $name } without requires_grad=True, so no backward fills { $gradient }: it is None.
    .repair = Write requires_grad=True in { $made }.
error-step-made-a-new-tensor = The step made a new tensor
    .cause = Line { $line } gives the name { $name } to a new tensor, the result of { $made }. It is not the leaf any more, so { $gradient } is None.
    .repair = Change the leaf itself: { $name } -= step, under torch.no_grad().
error-leaf-lost-in-its-own-line = The leaf has no name of its own
    .cause = { $made } on line { $line } makes a leaf and computes with it at once. { $name } is the result, no leaf, so { $gradient } is None.
    .repair = Compute first, then ask for gradients: requires_grad_() at the end of the line.
error-gradient-of-a-result = Gradients of results are not kept
    .cause = { $name } is no leaf: it was computed by { $made }. backward() stores gradients only in leaves, so { $gradient } is None.
    .repair = Call { $name }.retain_grad() before backward().
error-backward-returns-nothing = backward() returns nothing
    .cause = { $call } on line { $line } stores gradients in the leaves and returns None, so { $name } is None.
    .repair = Call backward() on a line of its own and read the gradients from .grad.
error-item-before-backward = item() detaches the value from the graph
    .cause = { $made } on line { $line } returns a plain Python { $type } with no history, but { $code } needs the tensor.
    .repair = Call item() only where you print the number.
error-number-has-no-backward = A plain number instead of a tensor
    .cause = { $name } is a { $type }, a plain number that remembers no calculation, so it has no { $method }.
    .repair = Compute { $name } with tensors, from a leaf made with requires_grad=True.
error-list-has-no-backward = A list has no backward()
    .cause = { $name } is a list of losses; only a single tensor has { $method }().
    .repair = Add them up first: sum({ $name }), or torch.stack({ $name }).mean().
error-nothing-has-no-backward = None instead of a loss
    .cause = { $name } is None. A function without return gives None, and so does backward() itself.
    .repair = Return the tensor from the function, and do not assign the result of backward().
error-grad-returns-a-tuple = grad() returns a tuple
    .cause = { $made } on line { $line } returns one gradient for each input, as a tuple of { $count }, so { $name } is no tensor.
    .repair = Take one out of it: { $made }[0].

## Function, hooks, torch.func

error-function-count-of-gradients = The Function returns too few or too many gradients
    .cause = { $function }.backward returned { $got }, but { $function }.forward takes { $wanted } arguments after ctx. Each of them needs one gradient or None.
    .repair = Return { COUNTED($wanted, "value", "values") }: None for each argument that has no gradient.
error-function-returned-a-list = The gradients stand in a list
    .cause = { $function }.backward returned one list, which counts as { $got } value; forward takes { $wanted } arguments after ctx.
    .repair = Return the { COUNTED($wanted, "value", "values") } separated by commas, without square brackets.
error-function-shape-of-gradient = The Function's gradient has the wrong shape
    .cause = { $function }.backward returned a gradient of shape { $given } for argument { $index } (counted from 0), but that argument has the shape { $wanted }.
    .repair = Return one number for each entry: a tensor of shape { $wanted }.
error-function-type-of-gradient = The Function's gradient is no tensor
    .cause = { $function }.backward returned a { $type } where a gradient belongs.
    .repair = Return a tensor with the shape of the argument, or None where there is no gradient.
error-function-without-backward = The Function has no backward
    .cause = { $function } says how to compute its result but not how a gradient passes back through it.
    .repair = Write a static method backward(ctx, g) that returns one gradient for each argument of forward.
error-function-without-forward = The Function has no forward
    .cause = { $code } found no method named forward that computes the result.
    .repair = Write a static method forward(ctx, x) in the class.
error-function-called = A Function is applied, not called
    .cause = { $code } makes an object of { $function } and calls it. A Function is only a pair of static methods and is used without an object.
    .repair = Write { $function }.apply(...).
error-function-saved-no-tensor = Only tensors can be saved for backward
    .cause = Value { $index } (counted from 0) given to save_for_backward is of type { $type }, and { $code } stopped there.
    .repair = Keep such values as attributes: ctx.k = k.
error-function-saved-nothing = forward saved no tensors
    .cause = { $code } wants saved tensors (number wanted: { $wanted }, found: { $got }): forward has not called ctx.save_for_backward.
    .repair = Call ctx.save_for_backward(...) in forward.
error-function-saved-another-number = forward saved another number of tensors
    .cause = { $code } unpacks { $wanted } saved tensors, but ctx.save_for_backward was given another number.
    .repair = Unpack as many names as forward saves tensors, in the same order.
error-function-context = forward has not stored this on ctx
    .cause = { $code } reads { $attribute } from ctx, but { $function }.forward has not put it there.
    .repair = Write ctx.{ $attribute } = ... in forward.
error-function-forward-called = forward is not called directly
    .cause = { $code } calls forward itself, without the ctx that { $function }.apply hands over and without recording its backward.
    .repair = Write { $function }.apply(...).
error-function-forward-parameters = forward takes other arguments than it got
    .cause = { $function }.forward is called by { $code } with ctx first, then the arguments of apply; its parameters do not fit that.
    .repair = Write def forward(ctx, ...) with ctx first, as a @staticmethod without self.
error-function-backward-parameters = backward has the wrong parameters
    .cause = { $function }.backward is called with ctx first, then one gradient for each result of forward; its parameters don't match.
    .repair = Write def backward(ctx, g, ...) with one g for each result of forward.
error-hook-changed-the-shape = A hook changed the gradient's shape
    .cause = During { $code } the hook { $hook } returned a gradient of another shape than it was given.
    .repair = Return a tensor of the same shape, or nothing to leave the gradient as it is.
error-hook-changed-the-dtype = A hook changed the gradient's dtype
    .cause = During { $code } the hook { $hook } returned a gradient of another dtype than it was given.
    .repair = Return a tensor of the same dtype: result.to(g.dtype).
error-hook-returned-no-tensor = A hook returned no tensor
    .cause = During { $code } a hook returned a { $type }. What a hook returns takes the place of the gradient.
    .repair = Return a tensor of the gradient's shape, or nothing.
error-hook-arguments = A tensor's hook takes one argument
    .cause = { $code } calls the hook { $hook } with one argument, the gradient; it is written for another number.
    .repair = Write the hook with one parameter: lambda g: ...
error-module-hook-count = The module's hook returned another number of gradients
    .cause = The backward hook returned { COUNTED($got, "gradient", "gradients") }, where { $wanted } were expected, one for each input of the module that gets one.
    .repair = Return a tuple of { $wanted }, or nothing.
error-accumulation-hook-of-a-result = Only leaves accumulate gradients
    .cause = { $code } waits for a gradient to be added to .grad, which happens only for leaves; this tensor was computed.
    .repair = Use register_hook, or register it on the leaf.
error-anomaly-nan = NaN arose in the backward pass
    .cause = Anomaly detection stopped at { $node }, which returned NaN as a gradient, although its result may have been finite.
    .repair = Keep the values away from where the derivative is infinite or undefined, for example with clamp(min=1e-6) before it.
error-anomaly-nan-at = NaN arose in the backward pass
    .cause = The gradient of { $code } on line { $line } is NaN: anomaly detection stopped at its { $node }. Its derivative is infinite or undefined there, or met such a gradient.
    .repair = Keep the values away from that point, for example with clamp(min=1e-6) before it.
error-vmap-branches = vmap cannot branch on entries
    .cause = { $code } decides by the entries of a tensor, but under vmap it stands for all rows at once, which may differ.
    .repair = Compute both branches and choose: torch.where(condition, a, b).
error-vmap-writes-in-place = A shared tensor cannot take one value for each row
    .cause = { $code } writes into a tensor that all rows share, and under vmap the value differs from row to row.
    .repair = Build the result instead, with torch.stack, torch.cat or torch.where; or make the tensor from the input: x.new_zeros(n) has a row for each, torch.zeros(n) has not.
error-vmap-batch-norm = A batch norm has one set of running statistics
    .cause = Under vmap, { $code } would update the running mean and variance once for each row, and there is one of them for all.
    .repair = Call eval() on the module, make it with track_running_stats=False, or replace it: torch.func.replace_all_batch_norm_modules_(net).
error-transform-writes-outside = The function writes into a tensor from outside
    .cause = During { $code } the function changed a tensor in place that is not one of its arguments. A batch norm in training does so: it counts its batches and keeps running statistics.
    .repair = Pass the tensor as an argument and return it, or write after the call. A batch norm: call eval(), or torch.func.replace_all_batch_norm_modules_(net) before.
error-function-backward-unrecorded = A Function’s backward records no graph
    .cause = { $code } stands in the backward of a custom Function, where operations are not recorded unless backward is called with create_graph=True. What was computed there has no history.
    .repair = Write with torch.enable_grad(): around it, with an input x.detach().requires_grad_() of its own.
error-deepcopy-of-a-weight-norm = The old weight_norm cannot be copied
    .cause = The norm on line { $made } keeps a computed weight in the module, and copy.deepcopy({ $name }) does not copy tensors with a history.
    .repair = Use torch.nn.utils.parametrizations.weight_norm or spectral_norm, or copy the module before its first call.
error-vmap-item = vmap cannot take out a number
    .cause = { $code } asks for one Python number, but under vmap the tensor stands for all rows at once.
    .repair = Leave item() away and go on with the tensor.
error-vmap-random = vmap must know how to draw
    .cause = { $code } draws random numbers, and under vmap it is not said whether all rows share them.
    .repair = Write randomness='different' or randomness='same' in vmap(...).
error-vmap-size-by-entries = A size that depends on entries
    .cause = How many entries { $code } returns depends on the values, so under vmap the rows could have different lengths.
    .repair = Keep the shape: torch.where(mask, x, 0) in place of x[mask].
error-vmap-sizes = The arguments have different numbers of rows
    .cause = vmap runs over the rows of all arguments together, but along the mapped axis they have the sizes { $sizes }.
    .repair = Give arguments with the same number of rows, or in_dims=(0, None) for one that is shared.
error-vmap-returns-no-tensor = The function under vmap returns no tensor
    .cause = The mapped function returned a { $type }; vmap can only stack tensors.
    .repair = Return a tensor, without item() or Python numbers.
error-vmap-axis = There is no such axis to map over
    .cause = vmap was to run along axis { $axis } of an argument that has { COUNTED($count, "axis", "axes") }.
    .repair = Give a tensor with that axis, or in_dims=None for an argument that is shared.
error-func-grad-of-several = The function must return one number
    .cause = torch.func.grad differentiates a single number, but the function in { $code } returned a tensor with { COUNTED($axes, "axis", "axes") }.
    .repair = Return a sum or mean, or use torch.func.jacrev for all derivatives.
error-func-grad-of-a-tuple = The function returns a tuple
    .cause = torch.func.grad differentiates one tensor, but the function in { $code } returned a tuple.
    .repair = Write has_aux=True, which returns the rest unchanged, or return the loss alone.
error-func-grad-no-tensor = The function returns no tensor
    .cause = The function that { $code } differentiates returned a { $type }, which has no history.
    .repair = Return the tensor itself, without item(), tolist() or float().
error-hessian-of-several = The Hessian needs one number
    .cause = { $code } is given a function that returns several numbers; the Hessian matrix belongs to a single one.
    .repair = Return a sum or mean in the function.
error-func-argument-no-tensor = The point must be a tensor
    .cause = { $code } is to differentiate at a Python { $type }; torch.func works with tensors.
    .repair = Pass torch.tensor(...) with a floating-point number.
error-func-argnums = argnums names an argument that is missing
    .cause = argnums={ $index } counts from 0, and the number of positional arguments passed is { $count }.
    .repair = Choose an argnums below { $count }.
error-backward-inside-a-transform = backward() inside a torch.func transform
    .cause = { $code } runs in a function that torch.func differentiates itself; it cannot also fill .grad.
    .repair = Return the result from the function and leave backward() away.
error-jvp-wants-tuples = jvp takes tuples
    .cause = { $what } in { $code } is no tuple; jvp takes one entry for each argument of the function.
    .repair = Write (x,) and (v,) with a comma.
error-jvp-shape = The direction has the wrong shape
    .cause = The point has the shape { $wanted } and the direction v the shape { $given }; v needs one number for each entry.
    .repair = Pass a direction of shape { $wanted }.
error-dual-without-level = Forward mode is not switched on
    .cause = { $code } pairs a tensor with a direction. Such pairs exist only inside a level of forward mode, and none is open.
    .repair = Put it, and what is computed from it, under with torch.autograd.forward_ad.dual_level():. Or use torch.func.jvp, which opens one itself.
error-dual-of-integers = Only floats have a direction
    .cause = A derivative needs values that can change by small amounts, and { $code } is given { $dtype }.
    .repair = Make floats: write 1. for 1, or convert with .float().
error-function-without-jvp = A Function without forward mode
    .cause = { $code } comes in forward mode to a torch.autograd.Function that has no jvp; forward mode does not use its backward.
    .repair = Write its jvp, or use reverse mode, as torch.func.grad or torch.func.vjp.
error-unpacked-no-tensor = The unpack hook did not return a tensor
    .cause = saved_tensors_hooks passes the result of the pack hook to the unpack hook, which must return a tensor. It returned { $type ->
        [NoneType] None, like any function without a return statement
       *[other] a value of type { $type }
    }.
    .repair = Return a value from both hooks: the packed value from the first, the tensor from the second.
error-accumulation-hook-returns = A hook that must return nothing
    .cause = In { $code } a hook that runs after accumulation returned a value. It is given the leaf, may change its .grad, and returns None; a lambda returns what it computes.
    .repair = Write it as a def without return. To replace a gradient by a returned one, use register_hook.
error-vectors-up-to-a-phase = The loss depends on a free phase
    .cause = Complex { $vectors } may be multiplied by any number of size 1. The loss that { $code } differentiates changes with it, so it has no certain derivative.
    .repair = Compute the loss from what such a factor does not change, as abs() of the entries or v @ v.mH.
error-old-graph-carried-over = The state carries the last round's graph
    .cause = { $saved } on line { $saved-line } ran in an earlier round, whose graph is still reached through { $name }. { $code } on line { $line } has changed the weights since, and { $second } goes back into that round.
    .repair = Cut the history at the end of each round: { $cut }. Then no retain_graph=True is needed.
error-graph-kept-inside = Two backward calls share what an object kept
    .cause = { $shared } on line { $at } computed something that { $object } keeps and uses again. { $first } on line { $line } freed what that part of the graph had saved, and { $second } needs it again.
    .repair = Add the two results and call backward() once, make { $object } again for the second, or write retain_graph=True in the first call.
error-positions-require-no-gradient = Positions have no gradient
    .cause = { $code } holds positions: { $made } on line { $line } gives whole numbers ({ $dtype }) that jump when the entries change. As floats they would have no gradient either.
    .repair = Differentiate what the positions were chosen from: its entries, or softmax as a smooth stand-in.
error-numpy-function-of-recorded = NumPy does not record
    .cause = { $code } is given a tensor that requires a gradient. NumPy computes without recording, so it refuses to lose the history silently.
    .repair = Write { $torch } for { $function }: it records. Where no gradient is wanted, give NumPy the tensor with .detach().
error-numpy-of-a-list = The list holds recorded tensors
    .cause = Line { $line } puts { $item } into { $name } as a tensor with its history, and { $code } hands them to NumPy, which does not record.
    .repair = Keep the number alone: { $right }. That also lets go of each round's graph.
error-numpy-of-some-recorded = NumPy cannot take a recorded tensor
    .cause = A tensor in { $code } requires a gradient. NumPy would go on without recording, so it refuses to lose the history silently.
    .repair = Write .detach() behind that tensor before it goes to NumPy or into a plot.
error-input-cut-off = The way to the input is cut
    .cause = { $root } was computed from { $name }, but { $made } on line { $line } cuts the history: no gradient passes it.
    .repair = Let the history pass there if the gradient is wanted, or write allow_unused=True to get None.
error-second-gradient-is-zero = The first gradient does not contain the input
    .cause = { $made } on line { $line } gave a gradient in which { $name } no longer occurs: what was differentiated there is linear in it, at least piecewise. The next derivative is zero, and the graph has no path to { $name }.
    .repair = Write materialize_grads=True to get zeros; a second derivative other than zero needs a curved function, such as tanh, on the way.
error-backward-not-called = backward is named, not called
    .cause = { $gradient } is None because no backward has run: on line { $line } the brackets behind { $call } are missing, so it only names the method.
    .repair = Write { $call }().
error-saved-tensors-are-a-tuple = saved_tensors is a tuple
    .cause = { $saved } holds all saved tensors in a tuple, also a single one, so { $name } on line { $line } is that tuple.
    .repair = Take it apart with a comma: { $name }, = { $saved }.
error-gradient-of-another-shape = A gradient has the shape of its tensor
    .cause = { $code } is given a gradient of shape { $given }, and the tensor has shape { $wanted }: there is one derivative for each entry.
    .repair = Assign a tensor of the shape { $wanted }, as torch.zeros_like(...) makes it.
error-gradient-of-another-dtype = A gradient of the wrong dtype
    .cause = { $code } is given a gradient of dtype { $given }. It takes { $wanted }, the dtype of its tensor.
    .repair = Convert it with .to(tensor.dtype). To update in the other dtype, keep a copy of the tensor in it, and let the optimizer change that one.
error-gradient-no-tensor = A gradient is a tensor or None
    .cause = { $code } is given a value of type { $type }.
    .repair = Assign None to clear the gradient, or a tensor of the shape of its own, as torch.zeros_like(tensor).
error-filled-entry-by-entry = A tensor is filled using its own entries
    .cause = { $saved } on line { $saved-line } keeps entries of { $name } for the backward pass, and the same line then writes into { $name }: { $backward } finds changed values.
    .repair = Collect the results in a list and join them with torch.stack after the loop, or read from a copy with .clone().
error-graph-part-of-constants = A constant requires grad
    .cause = { $shared } on line { $at } was computed once, from { $names }. { $names } never changes in the loop but requires grad, so { $shared } has a graph, which the first { $second } freed.
    .repair = If { $names } is data, remove requires_grad=True. If it should be learned, compute { $shared } inside the loop.
error-graph-of-a-generator = The judge's loss reaches into the generator
    .cause = { $fake } comes from { $generator }, and { $judge } reads it on line { $read }. So { $first } on line { $line } went back through { $generator } too and freed its graph, which { $second } needs.
    .repair = Give { $judge } the values alone on line { $read }: { $fake }.detach(). Its own step needs no gradient in { $generator }.
error-step-rebound-under-no-grad = The step made a new tensor
    .cause = { $made } on line { $line } ran under { $block } (line { $block-line }), and { $leaf } now names its result: a tensor that requires no gradient. So { $name } has no history to differentiate.
    .repair = Write the step in place, inside the block: { $leaf } stays the same leaf.
error-module-hook-arguments = The module calls its hook with { $count } arguments
    .cause = A hook registered with { $register } (line { $line }) is called with { $count } arguments: { $wanted }. { $hook } is written for another number.
    .repair = Write the hook with these parameters: { $wanted }.
error-none-since = None in place of a value
    .cause = { $piece } is None, as line { $where } sets it, and no line has given it a tensor since.
    .repair = Check whether the loop or the branch that gives it a value ran.
