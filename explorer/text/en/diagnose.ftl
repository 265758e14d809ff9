# What is wrong although nothing failed: a title, the cause with its numbers, what to do.

diagnosis-fault = Fault
diagnosis-note = Note
diagnosis-at = { $place }: { $what }

diagnosis-gradient-falsified = The gradient was computed with overwritten numbers
    .cause = { $code } saved { $name } = { $was } for its backward. Before backward read it, this line wrote { $now } there, past torch's version counter, so nothing warned.
    .repair = Write only after backward(), or write into a copy.
diagnosis-gradient-stale = The update used an old gradient as well
    .cause = { $name }.grad was { $before } from an earlier round and was not cleared; backward added to it, and this line updates with the sum { $after }.
    .repair = Clear the gradient once per update: optimizer.zero_grad(), or { $name }.grad = None.
diagnosis-gradient-cut = No gradient reaches { $name }
    .cause = The result depends on { $name }, but its history ends here: { $code } leaves no way back.
    .repair = { $by ->
        [argmax] argmax has no derivative. The place that softmax expects has one; to learn classes, give the scores to cross_entropy.
       *[other] Keep the tensor itself on this way, without { $by }; if the cut is meant, nothing needs to change.
    }
diagnosis-root-is-leaf = backward() began at a tensor without a history
    .cause = { $code } makes { $name } a leaf: nothing leads from it to the parameters, so they get no gradient.
    .repair = Call backward() on the result that was computed from the parameters.
diagnosis-asked-too-late = Asked for a gradient too late
    .cause = { $code } comes after { $name } was used: what ran before recorded nothing for it.
    .repair = Ask before the first use.
diagnosis-grad-of-result = .grad of a result stays empty
    .cause = { $name } was computed from other tensors. torch stores .grad only in leaves, so { $code } is None.
    .repair = Call { $name }.retain_grad() before backward(), or, where { $name } itself is to be trained, make it a leaf: { $name } = { $name }.detach().requires_grad_().
diagnosis-never-used = { $name } takes no part
    .cause = The optimizer holds { $name }, but nothing that was run ever reads it, so it gets no gradient and never changes.
    .repair = Use it in the computation, or leave it out.
diagnosis-step-function = A step has slope 0
    .cause = { $code } is constant between its steps: { $arrived } arrives there and 0 is passed on, so { $name } gets only zeros.
    .repair = Use a smooth function, or pass the gradient straight through: x + (f(x) - x).detach().
diagnosis-gradient-stopped = The gradient stops at a flat place
    .cause = { $code } is flat for all these numbers: { $arrived } arrives there and 0 is passed on, so { $name } gets only zeros.
    .repair = Bring its inputs to where the function has a slope: other starting values, scaled data, or another function.
diagnosis-softmax-of-one = softmax over one entry is always 1
    .cause = Axis { $axis } of { $shape } has one entry: whatever goes into { $code }, its probability is 1 and its gradient 0.
    .repair = For two classes with one score use sigmoid; otherwise give one score per class.
diagnosis-step-without-gradient = A step that changes nothing
    .cause = Gradients were computed before, but none of the tensors this optimizer holds had one when it stepped.
    .repair = Call zero_grad() before backward(), not between it and step(); and give the optimizer the tensors in use.
diagnosis-not-in-optimizer = { $name } is never changed
    .cause = { $name } gets gradients like the tensors that are trained, but no optimizer holds it and no line updates it.
    .repair = Give it to the optimizer; or set requires_grad=False if it is to stay.
diagnosis-leaf-rebound = The name { $name } left its leaf
    .cause = { $code } makes a new tensor and gives it the name { $name }. It is a result, not the leaf: later gradients do not go into its .grad.
    .repair = Update in place under torch.no_grad(): { $name } -= …
diagnosis-update-lost = The update is thrown away
    .cause = { $code } makes a new tensor and gives it the name { $name }; the parameter itself stays what it was.
    .repair = Update in place under torch.no_grad(): { $name } -= …
diagnosis-not-called = { $method } is named, not called
    .cause = { $code } without brackets only names the method. It did not run.
    .repair = Write { $code }().
diagnosis-nan-forward = NaN starts here
    .cause = { $code } makes NaN of numbers that held none, and it reaches the result.
    .repair = Keep its inputs ({ $given }) out of where the function is not defined.
diagnosis-nan-backward = NaN starts in backward
    .cause = The result is a number, but in the backward of { $code } ({ $node }) { $arrived } arrived and { $passed } was passed on, to { $name } in the end.
    .repair = Change the inputs before the operation, not its result after it: { $meets ->
        [zero] a gradient of 0 times a slope that is infinite or NaN is NaN, not 0.
       *[other] its slope there is no finite number.
    }
diagnosis-loss-broadcast = The loss compares everything with everything
    .cause = { $code } has { $first } against { $second }: broadcasting makes { $made } of it, so each prediction meets every target.
    .repair = Give both the same shape, for example with squeeze or unsqueeze.
diagnosis-probabilities-as-scores = Probabilities where scores belong
    .cause = { $loss } applies { $loss ->
        [cross_entropy] softmax
       *[other] sigmoid
    } itself. { $made } has done so already, which flattens the gradient.
    .repair = Give the loss the scores as they are.
diagnosis-not-log-probabilities = nll_loss got no log-probabilities
    .cause = exp of the rows given to { $code } should sum to 1; the sums are { $sums }.
    .repair = Apply log_softmax first, or use cross_entropy on the scores.
diagnosis-shuffled-apart = Two shuffles that differ
    .cause = { $first } and { $second } put the same { $rows } rows into two different orders: examples and targets no longer belong together.
    .repair = Make one permutation and use it for both.
diagnosis-wrong-mode = The model is in { $mode ->
        [training] training
       *[eval] evaluation
    } mode here
    .cause = { $mode ->
        [training] { $code } runs without gradients after training, but its layer still behaves as in training: its results are random or change its statistics.
       *[eval] { $code } learns in evaluation mode: it was set for a test and not set back.
    }
    .repair = { $mode ->
        [training] Call model.eval() before.
       *[eval] Call model.train() before.
    }
diagnosis-loss-grows = The loss grows in every round
    .cause = { $losses }: { $uphill ->
        [True] this line adds the gradient, which climbs.
       *[False] the steps are too long.
    }
    .repair = { $uphill ->
        [True] Subtract the gradient.
       *[False] Take a smaller learning rate.
    }
diagnosis-graph-kept = The sum keeps { $graphs } finished graphs
    .cause = { $code } holds the graph of each round's loss in memory, although backward() has been through them.
    .repair = Add numbers instead: .item(), or .detach().
diagnosis-symmetric = All { $rows } rows of { $name } stay equal
    .cause = They begin equal and get equal gradients, so they remain copies of one another: the layer acts like one unit.
    .repair = Begin with random numbers.
diagnosis-truncated = Fractions are cut off
    .cause = { $code } puts { $lost } into a tensor of { $dtype }, which keeps whole numbers only.
    .repair = Make the tensor one of floats.
diagnosis-float-equality = Floats compared with ==
    .cause = In { $code }, { $first } and { $second } differ by { $apart } only, a rounding error; == says False.
    .repair = Compare with torch.isclose or torch.allclose.
diagnosis-quotient-lost = h is too small to be seen
    .cause = { $sum } gives the same number as without h = { $h }: the difference is 0 and so is the quotient.
    .repair = Take a larger h, or float64.
