# What is wrong although nothing failed: a title, the cause with its numbers, what to do.

diagnosis-fault = Fault
diagnosis-note = Note
diagnosis-info = Info
diagnosis-if-meant = If this is intended, write # fine: { $kind } on the line. Otherwise:

diagnosis-gradient-falsified = The gradient was computed from overwritten values
    .cause = { $code } saved { $name } = { $was } for its backward. { $how ->
       *[line] Before backward read it, this line overwrote it with { $now } without torch's version counter noticing.
        [unseen] When this backward read it, it held { $now }: after line { $first } saved it, its memory was overwritten without torch's version counter noticing.
    }
    .repair = Write after backward(), or write into a copy.
diagnosis-gradient-stale = { $name }.grad was not cleared: this update used both gradients
    .cause = { $name }.grad still held { $before } from an earlier round. backward added to it, which made it { $after }. This line updates with both.
    .repair = { $how ->
        [closure] Call { $optimizer }.zero_grad() inside the closure, before { $backward } on line { $line }: step() runs the closure, and the closure runs backward().
        [loop] Call { $optimizer }.zero_grad() before { $backward } on line { $line }.
       *[hand] Clear it after this update: { $name }.grad = None.
    }
diagnosis-gradient-cut = { $reach ->
        [penalty] Only a penalty reaches { $name }
       *[none] No gradient reaches { $name }
    }
    .cause = { $reach ->
        [penalty] The other terms of the loss depend on { $name }, but their history ends here
       *[none] The result depends on { $name }, but its history ends here
    }: { $how ->
        [off] { $code } ran while recording was off, by { $switch } on line { $at }.
        [unrecorded] { $code } ran while recording was off.
        [sampling] { $code } draws a sample and has no derivative.
        [comparison] { $code } compares, and true or false has no derivative.
        [position] { $code } returns positions, which have no derivative.
        [function] The backward of the Function in { $code } returns None for it.
        [made] the result of { $code } is copied into a new tensor, which has no history.
       *[other] { $code } records nothing for backward.
    }
    .repair = { $by ->
        [argmax] argmax has no derivative. The expected position under softmax has a derivative. To learn classes, pass the scores to cross_entropy.
       *[other] { $how ->
            [off] Compute it with recording on. If the cut is intended, change nothing.
            [unrecorded] Compute it with recording on, outside no_grad and similar blocks. If the cut is intended, change nothing.
            [sampling] Use the log_prob of the sample in the loss, or rsample() if the distribution has it.
            [comparison] Use the values themselves in the loss, or a smooth function such as sigmoid.
            [position] If they pick rows, as of a codebook, pass the gradient straight through: x + (rows - x).detach(). If the cut is intended, change nothing.
            [function] Return its gradient from that backward. If the cut is intended, change nothing.
            [made] Compute with the result itself instead of a new tensor of its entries. If the cut is intended, change nothing.
           *[other] Keep the tensor itself on this path, without { $by }. If the cut is intended, change nothing.
        }
    }
diagnosis-root-is-leaf = backward() started from a tensor without history
    .cause = { $name }, the result of { $code }, has no history. No path leads from it to the parameters, so they get no gradient. { $how ->
        [off] On line { $line } { $cut } ran while recording was off, by { $switch } on line { $at }.
        [unrecorded] On line { $line } { $cut } ran while recording was off.
        [sampling] On line { $line } { $cut } draws a sample and has no derivative.
        [comparison] On line { $line } { $cut } compares, and true or false has no derivative.
        [position] On line { $line } { $cut } returns positions, which have no derivative.
       *[other] { $line ->
            [0] {""}
           *[known] The history ends on line { $line }, at { $cut }.
        }
    }
    .repair = { $how ->
        [off] Compute it with recording on, and don't set requires_grad on the result.
        [unrecorded] Compute it with recording on, and don't set requires_grad on the result.
        [sampling] Use the log_prob of the sample in the loss, as in −(log_prob · reward).mean(), or rsample() if the distribution has it.
        [comparison] Use the values before the comparison in the loss, or a smooth function such as sigmoid. Accuracy can be reported but not trained on.
        [position] Pass the scores to a loss such as cross_entropy. Accuracy can be reported but not trained on.
       *[other] Call backward() on a result that torch computed from the parameters in every step.
    }
diagnosis-asked-too-late = requires_grad was set too late
    .cause = { $code } runs after { $name } was used. Earlier operations recorded nothing for it.
    .repair = Set requires_grad before the first use.
diagnosis-retained-too-late = { $name }.retain_grad() came after backward()
    .cause = { $backward } on line { $line } ran before this call. It computed the gradient of { $name } but did not keep it, so { $name }.grad is None.
    .repair = Move { $code } above { $backward }.
diagnosis-grad-of-result = .grad of a result stays empty
    .cause = { $name } was computed from other tensors. torch stores .grad only in leaves, so { $code } is None.
    .repair = Call { $name }.retain_grad() before backward(), or, if { $name } itself should be trained, make it a leaf: { $name } = { $name }.detach().requires_grad_().
diagnosis-never-used = { $now ->
        [none] { $name } is never used
       *[other] The optimizer holds { $name }, which was replaced
    }
    .cause = { $now ->
        [none] The optimizer holds { $name }, but nothing in this run reads it, so it gets no gradient and never changes.
       *[other] The optimizer still holds { $name }, which is no longer part of the model. The gradients go to { $now }, which is in no optimizer and never changes.
    }
    .repair = { $now ->
        [none] Use it in the computation, or remove it.
       *[other] Create the optimizer after the last line that replaces a part of the model.
    }
diagnosis-step-function = A step function has slope 0
    .cause = { $code } is constant between its steps. Its backward turns the gradient { $arrived } into 0, so { $name } gets only zeros.
    .repair = Use a smooth function, or pass the gradient straight through: x + (f(x) - x).detach().
diagnosis-gradient-stopped = The gradient stops at a flat part of a function
    .cause = { $bias ->
        [none] { $code } is flat for all these inputs
        [dropped] The dropout in { $code } has rate 1 and drops every entry
       *[other] { $wrote } makes every input of the relu in { $code } negative (at most { $largest }; without { $bias } at most { $without }), where it is flat
    }. Its backward turns the gradient { $arrived } into 0, so { $name } gets only zeros.
    .repair = { $bias ->
        [dropped] The rate is the fraction of dropped entries. Choose a rate below 1.
        [none] Move its inputs to a range where the function has a slope: change the starting values, scale the data or use another function.
       *[other] Initialize { $bias } to 0 or close to it.
    }
diagnosis-softmax-of-one = softmax over one entry is always 1
    .cause = Axis { $axis } of { $shape } has one entry. For any input of { $code } its probability is 1 and its gradient 0.
    .repair = Use sigmoid for two classes with one score. Otherwise compute one score per class.
diagnosis-step-without-gradient = { $cause ->
        [generator] { $optimizer } has a group without parameters
        [copy] { $optimizer } trains a copy
        [frozen] All parameters of { $optimizer } are frozen
        [added] All parameters of { $optimizer } are frozen
        [replaced] { $optimizer } holds the original of a copy
        [other] { $optimizer } trains other tensors
       *[unknown] A step that changes nothing
    }
    .cause = { $cause ->
        [generator] { $optimizer }{ $line ->
            [0] {""}
           *[other] {" "}(line { $line })
        } holds a group with 0 parameters, so { $received } is in no group and never changes. A generator yields its parameters only once, and it was already used up.
        [frozen] { $optimizer }{ $line ->
            [0] {""}
           *[other] {" "}(line { $line })
        } holds { $held }. requires_grad is False for all of them{ $at ->
            [0] {""}
           *[other] {" "}(set on line { $at })
        }, so backward computes no gradient for them and step() changes nothing.
        [added] { $optimizer }{ $line ->
            [0] {""}
           *[other] {" "}(line { $line })
        } holds { $held }. requires_grad is False for all of them{ $at ->
            [0] {""}
           *[other] {" "}(set on line { $at })
        }, so step() changes nothing. The gradients go to { $received }, which { $optimizer } does not hold.
        [copy] { $optimizer }{ $line ->
            [0] {""}
           *[other] {" "}(line { $line })
        } holds { $held }, a copy of { $received } with the same values in separate memory. The loss is computed from { $received }, so the copy gets no gradient.
        [replaced] { $optimizer }{ $line ->
            [0] {""}
           *[other] {" "}(line { $line })
        } holds { $held }. The loss is computed from { $received }, a later copy of it, so { $held } gets no gradient.
        [other] { $optimizer }{ $line ->
            [0] {""}
           *[other] {" "}(line { $line })
        } holds { $held }. The gradients went to { $received }, which it does not hold.
        [none] The program never calls backward(), so the tensors of { $optimizer } have no gradient and step() changes nothing.
        [cleared] The tensors of { $optimizer } had gradients before, but none had one when it stepped: they were cleared in between.
       *[unknown] Gradients were computed before, but none of the tensors this optimizer holds had one when it stepped.
    }
    .repair = { $cause ->
        [generator] Convert the parameters to a list, list(model.parameters()), or call model.parameters() again for the optimizer.
        [frozen] Set requires_grad to True for the parameters that { $optimizer } should train.
        [added] Create the optimizer after the line that adds { $received }, or pass these parameters to it.
        [copy] Pass { $received } itself to the optimizer, not a clone, detach or deepcopy of it.
        [replaced] To train the copy, create the optimizer after it. To train the original through the copy, as in meta-learning, compute updated parameters with recording on and call torch.func.functional_call(model, parameters, x).
        [other] Pass the optimizer the parameters of the model that computes the loss.
        [none] Call loss.backward() before step().
        [cleared] Call zero_grad() before backward(), not between it and step().
       *[unknown] Call zero_grad() before backward(), not between it and step(), and pass the optimizer the tensors in use.
    }
diagnosis-not-in-optimizer = { $name } is never changed
    .cause = { $name } gets gradients like the trained tensors, but no optimizer holds it, and nothing changed it in this run.
    .repair = { $hidden ->
        [buffer] parameters() skips buffers. Write self.… = nn.Parameter(…) instead of register_buffer, or register a tensor without requires_grad if it should stay fixed.
        [list] { $container } is a plain list or tuple, and parameters() skips the layers in it. Make it an nn.ModuleList.
        [dict] { $container } is a plain dictionary, and parameters() skips the layers in it. Make it an nn.ModuleDict.
        [yes] If its layer is in a plain list or dictionary, parameters() skips it: use nn.ModuleList or nn.ModuleDict. Otherwise pass it to the optimizer, or set requires_grad=False if it should stay fixed.
        [new] The optimizer holds the parameters that the model had when the optimizer was created. Create it after the last line that replaces or adds parameters.
        [thawed] Its requires_grad was set after training began. Add it to the optimizer there, with add_param_group.
       *[no] Pass it to the optimizer. If it should stay fixed, as in a target network, set requires_grad=False or detach its results.
    }
diagnosis-layer-in-forward = A new layer is created in every round
    .cause = { $code } creates new random parameters each time this line runs ({ COUNTED($rounds, "time", "times") } here). They get a gradient, but no optimizer holds them, so they learn nothing.{ $name ->
        [none] {""}
       *[other] {" "}The optimizer holds { $name }, which gets no gradient.
    }
    .repair = Create the layer once, in __init__, and call it here.
diagnosis-never-stepped = { $optimizer } never takes a step
    .cause = { $names } got gradients in { COUNTED($rounds, "round", "rounds") }, but the program never calls { $optimizer }.step(), so nothing is learned.
    .repair = Call { $optimizer }.step() after backward().
diagnosis-stepped-twice = { $how ->
        [by_hand] { $name } is updated twice in each round
       *[steps] { $optimizer } takes two steps for one backward
    }
    .cause = { $how ->
        [by_hand] { $code } and the step of { $optimizer } both update { $name } with its gradient, in all { COUNTED($rounds, "round", "rounds") }.
       *[steps] { $code } repeats the step on line { $line } with the same gradients in all { COUNTED($rounds, "round", "rounds") }, so each round updates the parameters twice.
    }
    .repair = Remove one of them.
diagnosis-step-before-backward = { $optimizer } steps before backward
    .cause = { $code } runs before the backward on line { $line }, in all { COUNTED($rounds, "round", "rounds") }. { $cleared ->
        [yes] Each round starts with zero_grad(), so no step finds a gradient and nothing is learned.
       *[no] The first step finds no gradient, and each later step uses the previous round's gradient.
    }
    .repair = Call { $code } after backward().
diagnosis-optimizer-renewed = { $optimizer } is created again in every round
    .cause = { $code } runs in all { COUNTED($rounds, "round", "rounds") }. { $class } averages gradients over many steps, but here the averages restart from 0 each time.
    .repair = Create the optimizer once, before the loop.
diagnosis-step-scaled = { $how ->
        [clip] Gradients are clipped while they are still scaled
       *[step] The step uses scaled gradients
    }
    .cause = { $how ->
        [clip] { $scaler } multiplied the loss by { $factor }, so the gradients are that much larger when { $code } clips them. { $scaler }.step divides them only afterwards, which leaves almost nothing of each gradient.
       *[step] { $scaler } multiplied the loss by { $factor }, so every gradient is that many times too large, and { $code } uses it unchanged.
    }
    .repair = { $how ->
        [clip] Call { $unscale } before clipping.
       *[step] Call { $scaler }.step({ $optimizer }) and { $scaler }.update() instead.
    }
diagnosis-accumulation-lost = Gradients are cleared before they are used
    .cause = { $count } backward calls run before each step of { $optimizer }, but this line clears the gradients after each call, so the step uses only the last gradient.
    .repair = Clear the gradients once per step, after it.
diagnosis-frozen-moves = { $name } is frozen but still changes
    .cause = { $line ->
        [0] The program sets the gradient of the same rows to 0 before every step, but the weight_decay of { $optimizer } also shrinks weights without a gradient. These rows changed from { $was } to { $now }.
       *[set] Line { $line } set requires_grad=False, but { $name } kept its old .grad, and { $code } still uses it: { $name } changed from { $was } to { $now }.
    }
    .repair = { $line ->
        [0] Put { $name } into a separate parameter group with weight_decay=0, or write the old rows back after each step.
       *[set] Clear the gradient when freezing, { $name }.grad = None, or pass the optimizer only the parameters to train.
    }
diagnosis-setting-misspelt = This setting has no effect
    .cause = { $code } creates a new attribute that torch never reads.
    .repair = Write { $meant }.
diagnosis-penalty-constant = { $how ->
        [residual] Training treats the derivative as a constant
        [cleared] A term of the loss trains nothing
       *[other] A term of the loss is a constant
    }
    .cause = { $how ->
        [varies] In { $term } a Python number is added: { $first } in the first round, { $last } in the last. A number has no history, so whatever it was computed from gets no gradient from this term.
        [lost] { $code } depends on trained parameters, but it was computed with recording off or from a cut graph. So it only adds a number in { $term } and trains nothing.
        [cleared] In every round { $code } gives a gradient only to { $names }. The next step doesn't train them, and the gradients are cleared before a step could use them.
        [apart] { $code } compares tensors that don't depend on any trained parameter, so the term only adds a number to the loss and trains nothing. Should one tensor be the prediction?
       *[other] { $code } returns { $how ->
            [number] a Python number
            [detached] a tensor without a history
           *[gradient] a gradient without a history
        }, so { $how ->
            [residual] it is a constant in { $term }. Training ignores that the derivative depends on the parameters.
           *[other] the term added in { $term } has no gradient and trains nothing.
        }
    }
    .repair = { $how ->
        [varies] Compute the term with tensors, without NumPy, item() or float(), and add the tensor.
        [lost] Compute the term with recording on, from tensors with a history, and add it as it is.
        [cleared] Compute the term from the parameters that this loss should train, without detach on the way.
        [apart] Compare the output that is trained with the target.
        [number] Add the tensor itself to the loss.
        [detached] Compute the term with recording on, and add it unchanged.
       *[gradient] Call autograd.grad with create_graph=True.
    }
diagnosis-loss-dropped = A loss is computed but not used
    .cause = { $name ->
        [none] { $code } is computed { COUNTED($rounds, "time", "times") }, but backward() starts from only { $used } of these losses, the last of each inner loop. Nothing reads the others.
       *[other] { $code } is computed in { COUNTED($rounds, "round", "rounds") }, but no backward() includes it. { $name } is in the optimizer and gets no gradient.
    }
    .repair = { $name ->
        [none] Call backward() for each of them within the inner loop, or add them up first.
       *[other] Add it to the loss that backward() is called on.
    }
diagnosis-targets-cut = The targets lose their fractions
    .cause = { $code } turns { $given } into the whole numbers { $made }, and { $loss } uses those as targets.
    .repair = Keep the targets as floats.
diagnosis-parameter-scaled = { $name } is a result, not a parameter
    .cause = { $code } computes { $name } once from an unnamed tensor with requires_grad=True. The gradients go to that tensor, which is in no optimizer, and { $name } stays unchanged in all { COUNTED($rounds, "round", "rounds") }.
    .repair = Compute the values first, then create the parameter: nn.Parameter(values), or values.requires_grad_().
diagnosis-leaf-rebound = { $name } no longer refers to the leaf
    .cause = { $code } creates a new tensor and calls it { $name }. It is a result, not the leaf, so later gradients are not stored in its .grad.
    .repair = Update in place under torch.no_grad(): { $name } -= …
diagnosis-loss-not-renewed = { $how ->
        [one] Every round differentiates the same loss
       *[sum] Every round differentiates the losses of earlier rounds again
    }
    .cause = { $how ->
        [again] { $name } contains the losses of the rounds before, and backward() goes through their graphs again, in { COUNTED($rounds, "round", "rounds") }. Their gradients are added each time.
        [one] { $name } was computed once, on line { $line }, and backward() goes through its graph in { COUNTED($rounds, "round", "rounds") }. { $leaf } has changed since, but the gradients still belong to its first values.
       *[sum] { $name } contains the losses of the rounds before, and backward() goes through their graphs again, in { COUNTED($rounds, "round", "rounds") }. { $leaf } has changed since, but their gradients still belong to its earlier values.
    }
    .repair = { $how ->
        [one] Compute the loss inside the loop, before each backward(). retain_graph=True is then unnecessary.
       *[sum] Call backward() on the current round's loss, and add loss.item() to the running total. retain_graph=True is then unnecessary.
    }
diagnosis-gradient-left = { $how ->
        [attached] One model's loss also trains the other model
       *[left] { $optimizer } also uses the gradients of { $other }'s loss
    }
    .cause = { $how ->
        [attached] { $code } adds a gradient to { $name }, and nothing clears it. The next step of { $optimizer } uses it together with the gradient of its own loss. For { $other } the gradient from the second loss is cleared each time.
       *[left] backward() on line { $line } is for the step of { $other }, but it also reaches { $name } and leaves a gradient there. The loss for { $optimizer } then adds its own gradient, and this step uses the sum.
    }
    .repair = { $how ->
        [attached] Use .detach() on the generator's result in the first loss, or clear the gradients of { $optimizer } before the second backward.
       *[left] Call { $optimizer }.zero_grad() right before the backward() of its loss.
    }
diagnosis-draws-repeat = { $how ->
        [noise] The noise is the same in every round
        [shift] Every row is changed by the same numbers
       *[rows] Every round draws the same rows
    }
    .cause = { $how ->
        [noise] { $code } draws the same values in each of { COUNTED($rounds, "round", "rounds") }, because the generator starts with the same seed every time. The loss is always based on the same sample.
        [shift] { $code } makes new numbers for each row, but they are equal in all { $rounds } calls. A generator that is created with a fixed seed in each call always starts with the same numbers.
       *[rows] { $code } returns the same { $drawn } positions in all { COUNTED($rounds, "round", "rounds") }. The other rows of { $name } ({ $rows } in total) are never used.
    }
    .repair = { $how ->
        [shift] Create the generator once, for example in __init__.
       *[rows] Set the seed once, before the loop.
    }
diagnosis-argument-unused = { $how ->
        [cut] The function leaves the graph, so its gradient is 0
       *[unread] The function ignores the arguments that it is differentiated with respect to
    }
    .cause = { $how ->
        [cut] { $code } returns zeros: the function reads those arguments, but no recorded path leads from them to its result.
       *[unread] { $code } returns zeros because the function reads none of those arguments.
    }
    .repair = { $how ->
        [cut] Compute the result from the arguments without detach, no_grad or NumPy.
       *[unread] Compute with the arguments, as in functional_call(model, params, (x,)) instead of model(x).
    }
diagnosis-paths-cancel = Two paths cancel, so { $name } learns nothing
    .cause = { $where ->
        [leaf] In every round { $name } gets gradients on several paths from { $code }, such as { $first } and { $second }. They add up to exactly 0, and no other parameter gets a nonzero gradient.
       *[result] The result of { $code } gets gradients on several paths, such as { $first } and { $second }. They add up to exactly 0, so everything it was computed from gets 0.
    }
    .repair = Detach the result on the path that should carry no gradient: a sample in its log_prob, the old value in a ratio, the difference in x + (q - x).
diagnosis-moved-for-each = Two parameters that share memory are both updated
    .cause = { $name } and { $source } share the same memory, and { $optimizer } holds both. Each step updates them twice, with separate optimizer state for each.
    .repair = Assign the parameter itself instead of its .data. There is then one parameter, and its gradient is the sum.
diagnosis-loss-swapped = Labels and predictions are swapped
    .cause = { $loss } takes the predictions first and the labels second. In { $code } the first argument has no history, and its entries are zeros and ones: { $entries }.
    .repair = Swap the first two arguments.
diagnosis-gradient-unread = backward of { $function } ignores { $name }
    .cause = It never reads the incoming gradient { $name }, so its result is correct only if that gradient is 1.
    .repair = Multiply the derivative by { $name } (chain rule).
diagnosis-update-lost = { $how ->
        [result] The result is not used
       *[bare] The update is discarded
    }
    .cause = { $how ->
        [bare] { $code } creates a new tensor that nothing reads. { $name } stays unchanged.
        [result] { $code } creates a new tensor that nothing reads. Later lines use the unchanged { $name }.
        [copy] { $method } makes a copy, and { $code } writes into it. Nothing reads the copy, and { $name } stays unchanged.
       *[name] { $code } creates a new tensor and assigns it to { $name }. The parameter itself stays unchanged.
    }
    .repair = { $how ->
        [bare] Change { $name } itself, with { $method }_.
        [result] Assign the result, { $name } = { $code }, or remove the line.
        [copy] Assign into { $name } itself: { $name }[…] = …
        [loop] Write into the parameter under torch.no_grad(): { $name }.copy_(…)
       *[name] Update in place under torch.no_grad(): { $name } -= …
    }
diagnosis-not-called = { $method } is never called
    .cause = Without parentheses, { $code } only refers to the method and does not run it.
    .repair = Write { $code }().
diagnosis-nan-forward = { $how ->
        [overflow] Values overflow here
        [pole] ∞ starts here
        [infinite] ∞ starts here
        [unaligned] The target is too long for its input
        [written] { $what } is written here
       *[nan] NaN starts here
    }
    .cause = { $how ->
        [overflow] { $code } overflows: its inputs are finite ({ $given }), but its result is ∞.{ $only ->
            [inf] {""}
           *[nan] {" "}Later this becomes NaN.
        }
        [infinite] { $code } is infinite although its inputs ({ $given }) are finite.{ $only ->
            [inf] {""}
           *[nan] {" "}Later this becomes NaN.
        }
        [unaligned] { $code } is infinite. It needs one input step for every label of a target and one more between two equal neighbours. A target here needs more steps than its input has.
        [pole] { $code } is infinite because one of its inputs ({ $given }) is 0.{ $only ->
            [inf] {""}
           *[nan] {" "}Later this becomes NaN.
        }
        [nothing] { $code } averages over nothing: it gets no entries, or every target is ignore_index. The result is 0 / 0, which is NaN.
        [row] { $code } takes the softmax of a row with only −∞, for example because a mask removes everything. The result is NaN.
        [written] { $code } writes { $what }, and { $what ->
            [NaN] it reaches
           *[other] { $only ->
                [inf] it reaches
               *[nan] this leads to NaN, which reaches
            }
        } the result.
        [masked] { $code } also masks the diagonal and thus all of row 0. In { $given } that row has only −∞ left, so it is NaN.
       *[nan] { $code } is NaN although its inputs are not, and the NaN reaches the result.
    }
    .repair = { $how ->
        [overflow] { $grown ->
            [yes] The parameters have grown more than a thousandfold. Use smaller steps: a smaller learning rate.
           *[no] { $exp ->
                [yes] Keep its inputs smaller. For a logarithm of a sum of exponentials use torch.logsumexp.
               *[no] Keep its inputs smaller, for example by scaling the data.
            }
        }
        [infinite] Keep its inputs away from points where the function is infinite.
        [unaligned] Remove such pairs, or pass zero_infinity=True: they then count as 0 and pass no gradient.
        [pole] { $exp ->
            [yes] Use F.log_softmax instead of the logarithm of softmax.
           *[no] Keep its inputs away from 0.
        }
        [nothing] Skip batches with no entries left, or sum and divide by a count of at least 1.
        [row] Remove such rows, or keep at least one entry in each.
        [written] Exclude these entries from the loss, or write finite values.
        [masked] Don't mask the diagonal: diagonal=1.
       *[nan] Keep its inputs ({ $given }) in the range where the function is defined.
    }
diagnosis-nan-given = { $how ->
        [unfilled] { $root } is computed from memory that was never filled
        [gradient] { $root } is computed from a gradient that is not finite
       *[data] { $root } is { $what } because of the data
    }
    .cause = { $how ->
        [unfilled] { $code } allocates memory without setting its entries: { $bad } of { $size } are not finite.
        [gradient] { $code } reads a gradient in which { $bad } of { $size } entries are not finite.
       *[data] { $bad } of { $size } entries of { $named ->
            [no] { $code }
           *[yes] { $name }
        } are not finite before any operation uses them. Every result computed from NaN is NaN too.
    }
    .repair = { $how ->
        [unfilled] Use torch.zeros, or write every entry before the first use.
        [gradient] First find out why that gradient is not finite.
       *[data] Remove or replace such entries before training, for example with torch.nan_to_num(x), or drop their rows. In a table, df.isna().sum() counts them in each column, and df.dropna() drops their rows.
    }
diagnosis-root-nonfinite = { $root } is { $what }
    .cause = { $root } is { $what } when backward starts.
    .repair = Check every input with torch.isfinite(x).all(), starting with the data.
diagnosis-nan-backward = A gradient becomes { $what } in backward
    .cause = { $forward ->
        [unknown] {""}
        [finite] { $root } is finite.{" "}
        [entry] { $root } is finite, although entry { $place } of { $code } is { $made }.{" "}
       *[scalar] { $root } is finite, although { $code } is { $made }.{" "}
    }The backward of { $code } ({ $node }) turns the gradient { $arrived } into { $passed }, so the gradient of { $name } becomes { $grad }.{ $other ->
        [none] {""}
       *[other] {" "}Change line { $other_line } as well: the backward of { $other } also makes a finite gradient non-finite{ $more ->
            [0] {""}
            [1] , and so does one more operation
           *[other] , and so do { $more } more operations
        }.
    }
    .repair = { $meets ->
        [tied] Two singular values or eigenvalues are equal, so their vectors are not unique and have no derivative. Use only the values, or a function of the matrix that needs no vectors, or start from a matrix whose values differ.
        [zero] Change the inputs before the operation, not its result after it. A gradient of 0 times a slope that is infinite or NaN is NaN, not 0.
        [grown] The parameters have grown more than a thousandfold. Use a smaller learning rate.
        [overflow] The slope is finite, but the product is too large for its dtype. Scale down the inputs or the loss.
        [slope] Change the inputs before the operation, not its result after it. Its slope there is not finite.
       *[other] Change the inputs before the operation, not its result after it.
    }
diagnosis-loss-broadcast = { $how ->
        [compared] Each prediction is compared with every label
       *[loss] Each row is paired with every row: shapes { $first } and { $second }
    }
    .cause = { $how ->
        [compared] { $code } combines { $first } with { $second }. Broadcasting makes the result { $made }, so the average is over all pairs.
       *[loss] { $code } combines { $first } with { $second }. Broadcasting makes the result { $made }, so a value meant for one row, such as its target or weight, is paired with all rows.
    }
    .repair = { $how ->
        [compared] Give both the same shape, for example with squeeze(1).
       *[loss] Give both the same shape, for example with squeeze or unsqueeze.
    }
diagnosis-probabilities-as-scores = Probabilities instead of scores
    .cause = { $twice ->
        [yes] { $code } applies { $applied } to the result of { $made }, which already applied it. The second { $applied } flattens the gradient.
        [other] { $loss } expects scores and applies { $applied } itself. { $made } passes it probabilities, between 0 and 1, which flattens the gradient.
       *[no] { $loss } applies { $applied } itself. { $made } has already applied it, which flattens the gradient.
    }
    .repair = { $twice ->
        [yes] Apply it once.
       *[no] Pass the unchanged scores to the loss.
    }
diagnosis-not-log-probabilities = { $loss } expects log-probabilities
    .cause = { $given ->
        [probabilities] { $code } got probabilities, from { $made }, but { $loss } expects their logarithms.
        [axis] { $code } expects log_softmax over axis 1, the classes, but { $made } took it over another axis.
        [last] { $code } gets rows whose entries are the classes, so { $made } must take log_softmax over its last axis. It uses another axis.
       *[scores] { $code } got the scores of a layer, from { $made }, but { $loss } expects log-probabilities. With scores the loss has no lower bound.
    }{ $sums ->
        [none] {""}
       *[other] {" "}exp of each row should sum to 1, but the sums are { $sums }.
    }
    .repair = { $given ->
        [axis] Apply log_softmax over the classes: dim=1.
        [last] Apply log_softmax over the classes: dim=-1.
       *[other] { $loss ->
            [nll_loss] Apply log_softmax first, or use cross_entropy on the scores.
           *[other] { $given ->
                [probabilities] Apply log_softmax instead of softmax.
               *[other] Apply log_softmax first.
            }
        }
    }
diagnosis-shuffled-apart = { $how ->
        [alone] The examples are shuffled, but their targets are not
        [pairs] The two sides of a pair are shuffled differently
        [drawn] The target is drawn apart from the input
       *[apart] Examples and targets are shuffled differently
    }
    .cause = { $how ->
        [alone] { $code } puts the { COUNTED($rows, "example", "examples") } into a random order. { $target }, which the loss compares with them, keeps its original order, so examples are paired with other examples' targets.
        [pairs] { $first } and { $second }, with { COUNTED($rows, "row", "rows") } each, are read in two different orders, but { $code } takes rows at the same position as pairs.
        [drawn] In all { $rows } rounds { $first } adds one draw to the data, but { $second } is another draw. Only this loss reads it, so it is unrelated to the input.
       *[apart] { $first } and { $second } put the same { COUNTED($rows, "row", "rows") } into two different orders, so examples and targets no longer match.
    }
    .repair = { $how ->
        [alone] Use one permutation for both: order = torch.randperm(n); x, y = x[order], y[order].
        [pairs] Read both from one dataset and one loader.
        [drawn] Compare with the draw that was added.
       *[apart] Create one permutation and use it for both.
    }
diagnosis-wrong-mode = { $mode ->
        [frozen] { $module } is frozen, but its statistics change
       *[other] The model is in { $mode ->
            [training] training
           *[eval] evaluation
        } mode here
    }
    .cause = { $mode ->
        [frozen] The parameters of { $module } have requires_grad=False. It is in training mode, so { $code } still normalizes with batch statistics and updates running_mean and running_var.
        [training] { $code } runs after a step, and no backward uses it, but its layer is still in training mode: its results are random, or the call changes its statistics.
        [copied] { $code } normalizes with its initial running_mean = 0 and running_var = 1. Its weights were updated since, but no batch was measured and no statistics were copied.
        [unmeasured] { $code } learns in evaluation mode and normalizes with its initial running_mean = 0 and running_var = 1. No batch was ever measured, so it normalizes nothing.
       *[eval] { $code } learns in evaluation mode, which was set for a test and never reset.
    }
    .repair = { $mode ->
        [frozen] Call eval() on the frozen layers after train().
        [copied] Copy the buffers with the parameters (load_state_dict does), or measure batches with torch.optim.swa_utils.update_bn.
        [training] Call { $model }.eval() first.
       *[eval] Call { $model }.train() first.
    }
diagnosis-dropout-always = { $code } also drops entries in eval mode
    .cause = { $how ->
        [made] { $code } creates a new layer in each call. A new layer is in training mode, so it drops entries even after eval().
        [listed] { $code } runs a layer that its module does not hold, for example from a plain list. eval() does not reach it, so it still drops entries.
       *[function] { $code } does not depend on the module's mode, so it drops entries even after eval().
    }
    .repair = { $how ->
        [made] Create the layer once, in __init__, and call it here.
        [listed] Keep the layers in nn.ModuleList, so that train() and eval() reach them.
       *[function] Drop entries only if self.training is True, for example with training=self.training, or use nn.Dropout, which eval() switches off.
    }
diagnosis-loss-grows = The loss grows
    .cause = { $uphill ->
        [True] { $losses }: this line adds the gradient, which increases the loss.
        [first] The first update is { COUNTED($ratio, "time", "times") } the size of all weights. No later loss gets as low as the one before it: { $losses }.
        [steps] From step { $step } on, the loss grows at every step: { $losses }.{ $ratio ->
            [none] {""}
           *[long] {" "}The update after it is { COUNTED($ratio, "time", "times") } the size of all weights.
        }
       *[False] { $losses }: the steps are too large.
    }
    .repair = { $uphill ->
        [True] Subtract the gradient.
       *[False] Use a smaller learning rate.
    }
diagnosis-graph-kept = The sum keeps { $graphs } finished graphs
    .cause = { $code } keeps the graph of each round's loss in memory, although backward() has already used it.
    .repair = Add plain values instead, with .item() or .detach().
diagnosis-symmetric = All { COUNTED($rows, "row", "rows") } of { $name } stay equal
    .cause = They start equal and get equal gradients, so they stay copies of each other. The layer acts like a single unit.
    .repair = Initialize with random values.
diagnosis-truncated = Fractions are cut off
    .cause = { $code } puts { $lost } into a { $dtype } tensor, which holds only whole numbers.
    .repair = Create the tensor with a float dtype.
diagnosis-integer-wraps = A number does not fit into { $dtype }
    .cause = The result of { $code } is { $exact }, which { $dtype } cannot hold. It becomes { $made }.
    .repair = Convert first: { $given }.float().
diagnosis-float-equality = Floats compared with ==
    .cause = In { $code }, { $first } and { $second } differ only by { $apart }, a rounding error, so == returns False.
    .repair = Compare with torch.isclose or torch.allclose.
diagnosis-quotient-lost = h is lost in rounding
    .cause = { $sum } has the same value with and without h = { $h }, so the difference is 0 and so is the quotient.
    .repair = Use a larger h, or float64.
diagnosis-zeros-hold = Weights that start at 0 stay 0
    .cause = { $names } are 0 in all { COUNTED($rounds, "round", "rounds") }, and so are their gradients, because the gradient of each is multiplied by the other, which is 0.
    .repair = Initialize them with small random values, as nn.Linear does automatically. Only one of two consecutive weights may start at 0.
diagnosis-data-lost = Every entry becomes 0
    .cause = { $code } is whole-number division, so { $before } become 0, 0, 0, … { $used } then multiplies by these zeros, and its gradient is 0 too.
    .repair = Divide with / instead of //, and convert to floats before, not after.
diagnosis-kept-weights-shared = { $how ->
        [named] Two names for one model
        [same] Two names for one model
        [listed] Entries of { $back } share memory
        [itself] { $name } is copied onto itself
       *[other] The saved weights change with the model
    }
    .cause = { $how ->
        [listed] { $code } makes no copy. Every entry that line { $line } appends to { $back } shares memory with { $name }, which every step changes. In the end they all show its last values.
        [same] In { $code } both names refer to the same tensor in all { $steps } calls, first { $name }. There is no second model, and this line writes into the trained weights.
        [named] { $code } copies nothing: both names refer to the same model. { $back } (line { $line }) copies { $name } onto itself and changes nothing.
        [itself] { $code } shares memory with { $name }. { $back } (line { $line }) copies { $name } onto itself and changes nothing.
        [added] { $code } makes no copy: it shares memory with { $name }, and { $steps ->
            [1] 1 later step
           *[other] { $steps } later steps
        } changed it too. { $back } (line { $line }) adds { $name } to itself: this is not an average, and it changes { $name }.
       *[written] { $code } makes no copy: it shares memory with { $name }, and { $steps ->
            [1] 1 later step
           *[other] { $steps } later steps
        } changed it too. { $back } (line { $line }) copies { $name } onto itself and changes nothing.
    }
    .repair = { $how ->
        [named] Copy the model: copy.deepcopy({ $copied }).
        [same] Copy the model with copy.deepcopy(), because copy.copy() and = share its parameters.
        [listed] Keep a copy: { $name }.detach().clone().
       *[other] Keep a copy: copy.deepcopy({ $model }.state_dict()), or tensor.detach().clone().
    }
diagnosis-clip-unused = { $how ->
        [nothing] This clips no gradients
       *[other] No step uses clipped gradients
    }
    .cause = { $how ->
        [nothing] { $code } got no tensors. A generator such as net.parameters() yields its values only once, and it was already used up.
        [late] { $code } runs after step(), and the gradients are cleared before the next backward(). The steps used norms up to { $norm }; the bound is { $bound }.
       *[early] { $code } runs before backward(). There is no gradient yet, so nothing is clipped, and step() uses the unclipped gradients.
    }
    .repair = { $how ->
        [nothing] Call net.parameters() again here, or keep list(net.parameters()).
       *[other] Clip between backward() and step().
    }
diagnosis-hook-zeroes = A hook turns every gradient of { $name } into 0
    .cause = In { $rounds } of { COUNTED($rounds, "round", "rounds") } the hook { $code } turned the gradient of { $name } (first { $arrived }) into zeros.
    .repair = Return the changed gradient, or None to leave it unchanged. To freeze { $name }, set requires_grad=False.
diagnosis-weights-untied = { $name } is a copy of { $source }, not tied to it
    .cause = { $code } copies { $source }. Since then both are trained separately, and their largest difference is { $apart } at the end.
    .repair = To tie them, use the same parameter: assign { $source } itself, without clone().
diagnosis-data-rescaled = { $how ->
        [part] { $random ->
            [yes] Random changes accumulate in { $name }
           *[no] Changes accumulate in { $name }
        }
       *[whole] { $name } is changed in place in every round
    }
    .cause = { $how ->
        [part] { $code } writes into a part of { $name }, so later rounds started from the changes of earlier rounds ({ COUNTED($times, "time", "times") }).
       *[whole] { $code } ran { COUNTED($rounds, "time", "times") } on the same data. The norm of { $name } changed from { $first } to { $last }.
    }
    .repair = { $how ->
        [part] Create a new tensor, such as x = x + noise, instead of writing into the part, or clone the part first.
       *[whole] Scale once before the loop, or assign the result to a new name.
    }
diagnosis-layer-repeated = One layer is used in several places
    .cause = { $code } creates one { $layer } and repeats it, so all { $count } places share the same parameters.
    .repair = Create a separate layer for each place: [{ $layer }(…) for _ in range({ $count })].
diagnosis-sign-flipped = { $how ->
        [similarity] Training makes the similarity smaller
        [divergence] The divergence has the wrong sign
        [overlap] Training makes the overlap smaller
       *[likelihood] Training lowers the probability of the labels
    }
    .cause = { $how ->
        [similarity] Backward starts from { $code }, cosine similarities with { $target }. A step turns the results away from it.
        [divergence] The loss falls as { $code } grows, in every backward and for every entry: training pushes the means and variances of { $variance } away without bound.
        [overlap] In every backward, the gradient of { $made } is positive where { $target } is 1 and negative where it is 0. So the loss falls as each probability moves away from its target.
       *[likelihood] { $code } is the mean log-probability of the labels, from { $made }. Backward starts there, and a step makes it smaller.
    }
    .repair = { $how ->
        [similarity] Negate it, or use 1 minus the similarity.
        [overlap] Negate the overlap, or use 1 minus it.
        [divergence] Flip the sign: the divergence is −0.5 · Σ (1 + log σ² − μ² − σ²).
       *[likelihood] Negate it, or use cross_entropy or nll_loss, which already negate.
    }
diagnosis-losses-apart = One loss drowns out the other
    .cause = { $code } adds { $large } ({ $most }) and { $small } ({ $least }). The first is { COUNTED($times, "time", "times") } as large in every round, so it makes up almost the whole sum.
    .repair = Scale the targets, or weight the losses so that both count.
diagnosis-target-without-effect = The targets have no effect
    .cause = Backward starts from { $code }, the plain differences from { $name }, in all { COUNTED($rounds, "round", "rounds") }. The gradient does not depend on the targets, and the loss falls without bound.
    .repair = Square the differences or take their absolute values, as F.mse_loss and F.l1_loss do.
diagnosis-labels-pick-rows = The labels fill whole rows
    .cause = { $code } uses the labels as row numbers. It sets whole rows of { $name }, not one entry per row.
    .repair = Index the rows too, { $name }[torch.arange(len({ $labels })), { $labels }] = 1, or use F.one_hot.
diagnosis-scores-cut = { $function ->
        [relu] No score can fall below 0
       *[dropout] Dropout sets the loss's scores to 0
    }
    .cause = { $function ->
        [relu] { $loss } gets the result of { $code }. { $low ->
            [yes] A score of 0 means probability 0.5, so labels of 0 can't get a lower probability.
           *[no] All classes with a negative score get the score 0, and no gradient.
        }
       *[dropout] { $loss } gets the result of { $code }. In training this sets random scores to 0, sometimes the score of the right class.
    }
    .repair = Pass the unchanged scores of the last layer to the loss.
diagnosis-several-classes = cross_entropy gets several classes per row
    .cause = In { $code } the probabilities of a row sum to 1, so the classes exclude each other. { $name } has up to { $most } ones in a row.
    .repair = If several classes can be true at once, use F.binary_cross_entropy_with_logits. Otherwise make each row sum to 1.
diagnosis-mask-too-weak = The mask does not remove the scores
    .cause = { $how ->
        [fill] { $code } sets the masked scores to { $value }
       *[times] { $code } multiplies the masked scores by 0
    }. softmax takes the exp of each score, here about 1, so the masked entries keep a weight.
    .repair = Set them to float("-inf") or -1e9 before softmax, with masked_fill.
diagnosis-normalized-over-batch = Normalized along the examples
    .cause = { $code } scales each column of { $shape } to length 1, along the examples. { $product } then multiplies rows, which have other lengths, so the products are not cosines.
    .repair = Normalize the rows: dim=1.
diagnosis-best-learned = The loss trains the best action, not the action taken
    .cause = { $code } takes the largest value in each row of { $scores }. The loss moves it towards the reward of the action taken, which may be a different action.
    .repair = Use the value of that action: { $scores }.gather(1, actions.unsqueeze(1)).
diagnosis-padding-attended = { $padding ->
        [none] Only later positions are attended to
       *[other] Only the padding is attended to
    }
    .cause = { $padding ->
        [none] { $code } removes each position and all earlier positions. softmax then attends only to later positions, and at the last position to nothing.
       *[other] { $code } removes every key except keys with index { $padding }, the padding of { $embedding }. softmax then attends only to the padding.
    }
    .repair = { $padding ->
        [none] Invert the mask: remove later positions.
       *[other] Invert the mask: remove the keys with index { $padding }.
    }
diagnosis-batch-read-as-time = The layer treats examples as time steps
    .cause = Without batch_first=True, { $layer } reads axis 0 of { $shape } as time and axis 1 as the examples. { $code } then { $how ->
        [first] uses the first example at each of { $rows } times
        [last] uses the last example at each of { $rows } times
       *[all] combines all examples at each of { $rows } times
    }, and the result is compared with one target for each example.
    .repair = Create the layer with batch_first=True.
diagnosis-target-moves = The gradient also flows through the target
    .cause = { $how ->
        [next] { $code } is not detached. It is computed with { $name }, which is trained towards it, so each step moves the target too.
        [both] In all { $rounds } rounds the loss only compares results that depend on { $name }, and the gradient flows into both sides of { $code }. If one side is the target, each step moves it too.
       *[copy] { $name } began as a copy of { $other }. { $code } compares the results of both, and an optimizer trains both: a teacher or reference moves towards its student.
    }
    .repair = { $how ->
        [next] Compute the target under torch.no_grad(), or detach it.
        [both] If one side is the target, detach it. Otherwise add a term that keeps the results of different inputs apart.
       *[copy] Compute the result of { $name } under torch.no_grad(), and pass the optimizer only the parameters to train.
    }
diagnosis-axes-mixed = This reshape may need to be a transpose
    .cause = { $how ->
        [apart] { $other } flattens predictions of { $before }, { $code } targets of { $after }. The axes of sizes { $first } and { $second } are in a different order, so the loss compares most predictions with other predictions' targets.
        [batch] { $code } gives { $before } the shape { $after }, but the { $first } examples are on axis { $second } of { $before }. The entries keep their order, so each row mixes several examples, while its target belongs to one example.
       *[one] { $code } gives { $before } the shape { $after }. The entries keep their order, so the axes of sizes { $first } and { $second } are not swapped and their entries are mixed.
    }
    .repair = { $how ->
        [batch] Put the examples first with transpose or permute, then reshape.
       *[other] Swap axes with transpose or permute. Use reshape only to merge or split adjacent axes.
    }
diagnosis-mean-over-batch = All { COUNTED($rows, "example", "examples") } get the same prediction
    .cause = { $code } computes the { $method } of { $shape } over its { COUNTED($rows, "example", "examples") }, and the result is compared with the targets of all { $rows }.
    .repair = Reduce another axis (dim=1), or compare each example with its target first and reduce the loss.
diagnosis-schedule-first = The scheduler steps before the optimizer
    .cause = { $code } ran before the first step of { $optimizer }: { $lost ->
        [yes] the rate { $rate } was never used, and the first step used { $used }.
       *[no] every rate change happens one call too early.
    }
    .repair = Call the scheduler after { $step }.
diagnosis-rate-falls = The learning rate falls from { $first } to { $last }
    .cause = { $batches ->
        [yes] { $code } ran { $count } times, once for each batch. { $scheduler } usually counts epochs: after { $steps } steps the rate is { $last }.
       *[no] { $code } ran { $count } times. For most of the { $steps } steps the rate was below a ten-thousandth of { $first }, so these steps change almost nothing.
    }
    .repair = { $batches ->
        [yes] Call { $code } once per epoch, outside the loop over batches, or choose its steps for batches.
       *[no] Let the rate fall more slowly: a larger gamma, or fewer calls of { $code }.
    }
diagnosis-schedule-pace = { $scheduler } was made for { $planned } calls and got { $count }
    .cause = { $pace ->
        [round] { $code } ran once in each round, while { $optimizer } took { $steps } steps. The schedule ended at the rate { $last }, after { $count } of its { $planned } calls.
        [again] { $code } ran { $count } times. The rate falls for { $planned } calls and then climbs back toward { $first }, again and again.
       *[step] { $code } ran after each of { $steps } steps, but { $planned } is the number of outer rounds. The schedule was over after { $planned } steps.
    }
    .repair = { $pace ->
        [round] Call { $code } after each step, or create the schedule for { $count } calls.
        [again] Create the schedule for { $count } calls, or call { $code } less often. For intended restarts there is CosineAnnealingWarmRestarts.
       *[step] Call { $code } once in each round, after the loop over batches, or create the schedule for { $steps } calls.
    }
diagnosis-wrapper-bypassed = The ranks never exchange their gradients
    .cause = { $code } calls the model inside DistributedDataParallel. Gradients are averaged across ranks only after a forward of { $name } itself, and no line calls that.
    .repair = Call { $name }(…), and use { $name }.module only to save the state.
diagnosis-nothing-loaded = load_state_dict loaded nothing
    .cause = With strict=False, names that do not match are skipped. None of the given names matches here, so { $name } keeps its weights.
    .repair = Check the returned missing_keys and unexpected_keys. Often the names have a prefix such as "module.", which must be removed.
diagnosis-plateau-upside-down = The scheduler expects the loss to grow
    .cause = With mode="max", { $code } waits for a larger value. The loss fell from { $first } to { $last }, and the rate was lowered to { $rate }.
    .repair = Use mode="min" for a loss. "max" is for values such as accuracy.
diagnosis-loss-as-epoch = { $scheduler } uses the loss as epoch number
    .cause = { $code } passes { $given } as the epoch number, so the rate of { $optimizer } depends on the loss, not on the number of calls.
    .repair = Call step() without an argument. Only ReduceLROnPlateau takes a loss.
diagnosis-never-scheduled = { $how ->
        [elsewhere] The scheduler belongs to another optimizer
       *[unused] { $name } never takes a step
    }
    .cause = { $how ->
        [elsewhere] { $code } sets the rate of an optimizer that never steps, most recently to { $rate }. { $optimizer } updates the same parameters and keeps the rate { $used }.
       *[unused] { $code } creates a { $scheduler }. Its optimizer took { COUNTED($steps, "step", "steps") }, and nothing called the scheduler's step().
    }
    .repair = { $how ->
        [elsewhere] Create a new scheduler with { $optimizer } where { $optimizer } is created.
       *[unused] Call { $name }.step() after the optimizer's step, or after each epoch.
    }
diagnosis-rate-tiny = The learning rate is too small to change anything
    .cause = { $optimizer } uses the rate { $rate }. In { COUNTED($steps, "step", "steps") } no parameter changed by more than { $moved }.
    .repair = Use a larger rate. Adam usually starts near 0.001, SGD near 0.01.
diagnosis-decay-dominates = { $adaptive ->
        [yes] Weight decay outweighs the gradient
       *[no] Weight decay shrinks the weights to almost 0
    }
    .cause = { $adaptive ->
        [yes] weight_decay={ $decay } outweighs the gradient tenfold. The norm of { $names } went from { $first } to { $last } in { $steps } steps.
       *[no] weight_decay={ $decay } at rate { $rate } removes { $part } % of every weight in each step. The norm of { $names } went from { $first } to { $last } in { $steps } steps.
    }
    .repair = Use a smaller decay. 0.0001 to 0.1 is usual.
diagnosis-cannot-learn = Most weights of { $optimizer } cannot learn
    .cause = { $rounds ->
        [1] In the only round
       *[other] In all { $rounds } rounds
    }, { $lost } of { $count } weights get { $largest ->
        [none] a gradient of exactly 0
       *[other] gradients with a norm of at most { $largest }
    }, for example { $names }. The loss is { $loss }. Even a change of such a weight by its whole size would change it by less than its rounding.
    .repair = Use ReLU, normalization or skip connections between the layers, or larger starting weights.
diagnosis-gradient-vanishes = The gradient vanishes on its way to { $name }
    .cause = In the first round the gradient norm is { $norm } for { $name } and { $large } for { $other }. For { $name } it stays below 0.000001 in every round. Every path to it passes through { $count } or more calls of sigmoid or tanh, and each call multiplies the gradient by its slope.
    .repair = Use ReLU, normalization or skip connections between the layers.
diagnosis-activation-saturated = { $function } is saturated
    .cause = { $saturated } of { $entries } { $sampled ->
        [yes] sampled outputs
       *[no] outputs
    } of { $code } are at a limit from the first round on, because their inputs range from { $low } to { $high }. The slope there is almost 0.{ $data ->
        [none] {""}
       *[other] {" "}{ $data } is already large.
    }
    .repair = Keep the inputs in a range around 0: scale the data to mean 0 and deviation 1, or start with smaller weights.
diagnosis-softmax-axis = { $how ->
        [batch] softmax runs over the examples, not the classes
       *[other] softmax runs over the { $how ->
            [others] axis { $axis }, not the keys
            [examples] examples, not within each example
           *[queries] queries, not the keys
        }
    }
    .cause = { $how ->
        [batch] { $code } normalizes over the examples, axis 0 of { $shape }. The loss then compares the classes of each row, { $low ->
            [none] whose probabilities do not sum to 1.
           *[other] but the rows sum to { $low } … { $high }, not to 1.
        }
       *[other] { $how ->
            [others] { $code } normalizes over axis { $axis } of the scores { $shape }. { $product } then sums over the keys, axis −1, where the weights do not sum to 1.
            [examples] { $code } normalizes over the examples, axis 0 of { $shape }. { $product } then sums over axis 1, where the weights do not sum to 1.
           *[queries] { $code } normalizes over the queries, axis −2 of the scores { $shape }. { $product } then sums over the keys, axis −1, where the weights do not sum to 1.
        }
    }
    .repair = { $how ->
        [batch] Normalize the classes: dim=1 (or dim=-1).
        [examples] Normalize over the summed axis: dim=1.
       *[queries] Normalize the keys: dim=-1.
    }
diagnosis-advantage-attached = The policy loss also trains the value
    .cause = In { $code }, { $weight } depends on { $name }, which the same optimizer trains. The value learns to change the weights of the log-probabilities, not to predict.
    .repair = Detach the weight: { $weight }.detach().
diagnosis-noise-scaled = The noise's variance does not match the divergence
    .cause = The divergence uses { $variance } as the variance. { $code } scales the noise by { $scale }, { $how ->
        [none] the logarithm itself
        [uniform] but the noise is uniform from 0 to 1, not normal: its mean is 0.5
       *[power] whose square is a different number
    }.
    .repair = { $how ->
        [uniform] Draw normal noise: torch.randn_like.
       *[power] Scale the noise by the square root of the variance: (0.5 * { $log }).exp() if { $log } is log σ².
    }
diagnosis-updates-stop = No update since round { $since } of { $rounds }
    .cause = Until round { $rounds } each backward computes gradients, but { $optimizer } takes no step after round { $since }, and nothing else uses them. The last step is { $code }.
    .repair = Check the condition around { $code }.
diagnosis-moved-in-backward = backward() itself changes { $names }
    .cause = In each of { $rounds } rounds the values change during backward(), before { $optimizer } steps. In the first round the norm of one goes from { $before } to { $after }. A hook must have written to them.
    .repair = A hook of register_post_accumulate_grad_hook gets the parameter. To change its gradient, write to p.grad.
diagnosis-autocast-idle = autocast has no effect here
    .cause = { COUNTED($operations, "operation runs", "operations run") } inside autocast, and all results keep their full precision. autocast casts only the operations on its list, such as matmul, linear and conv.
    .repair = Use one of these operations, cast the inputs, or remove autocast.
diagnosis-factor-on-other-axis = { $name } has one number for each row, but is aligned with columns
    .cause = { $code } aligns the { $rows } numbers of { $name } with the last axis of { $other }. It works only because that axis is as long as the batch: { $rounds } of { $rounds } times.
    .repair = Add axes behind the first, for example { $name }.view(-1, 1, 1, 1) for images, so that each row gets its own number.
diagnosis-scores-scaled-up = The scores are multiplied by { $factor }, the root of their width { $width }
    .cause = { $product } adds up { $width } products. Dividing by √{ $width } keeps such sums at the size of one product, but { $code } multiplies by it.
    .repair = Divide by { $factor } instead.
diagnosis-padding-averaged = The mean counts the padding
    .cause = { $code } divides by all { $count } positions. In some rows more of them have index { $padding }, the padding of { $embedding }, than in others.
    .repair = Add up the other positions only, and divide by their number in each row.
diagnosis-one-row-for-all = { $row } has one row, { $batch } has { $rows }
    .cause = { $code } gives all { $rows } rows of { $batch } the same single row of { $row }, in { $rounds } of { $rounds } rounds.
    .repair = If each row of { $batch } has its own partner, build { $row } with { $rows } rows.
diagnosis-inputs-unscaled = { $name } has whole numbers up to { $top }
    .cause = They go straight into { $weight }. Weights start for inputs of about size 1, so the first results are very large.
    .repair = Scale them, for example with x / 255, or start with a normalization.
diagnosis-normalized-elsewhere = The weights add up to 1 over { $over }, but are summed over { $onto }
    .cause = They were divided by their sums over { $over }. { $code } adds the results up over { $onto }, so the weights that meet in one place do not add up to 1.
    .repair = Use the same index for both.
diagnosis-target-in-input = The target { $name } is part of the model's input
    .cause = { $how ->
        [column] In all { $rounds } rounds { $name } equals column { $column } of the model's input, counted from 0. The model can copy it.
       *[noise] In { $rounds } of { $rounds } rounds the model gets { $name }, noise included, as columns of its input, and no layer in between is narrower. It can reach a loss of 0 by copying them.
    }
    .repair = { $how ->
        [column] Leave the column out of the input.
       *[noise] Compare the prediction with the values without noise, or with the noise itself.
    }
diagnosis-players-agree = The loss of { $second } moves the scores like the loss of { $first }
    .cause = In { $rounds } of { $rounds } rounds both losses push the scores of generated examples in the same direction, and the scores of real ones go the other way. The generator learns to be recognized.
    .repair = Compare the scores of generated examples with the label of real ones in { $code }, or change the sign.
diagnosis-merge-differs = The merged model gives other results
    .cause = { $code } merges { $names } into { $name }. The same input then gives results that differ by up to { $differs }.
    .repair = Add exactly what the forward added, with the same factor.
diagnosis-inputs-zero = { $name } is all 0 in { $zeros } of { $rounds } rounds
    .cause = In the other rounds no row of { $name } is 0. Nothing is learned from a batch of zeros except biases.
    .repair = Check where these batches come from, such as a transfer that had not finished or a buffer that was never filled.
diagnosis-answers-differ = { $second } and { $first } have equal weights, but answer differently
    .cause = Both got the same input, { $first } on line { $line }. The results differ by up to { $differs }, because { $how ->
            [number] { $code } computes with { $was } in { $first } and with { $now } in { $second }
           *[state] { $name } differs
        }: it was not copied or saved with the weights.
    .repair = { $how ->
        [number] Set the same number in { $second }, or make it a buffer with self.register_buffer, so that state_dict contains it.
       *[state] Make it a buffer with self.register_buffer, so that state_dict contains it, or copy buffers as well as parameters.
    }
diagnosis-state-strayed = { $optimizer } continues with the state of other parameters
    .cause = { $name } starts with the state of { $other }, such as its running averages{ $leaves ->
        [1] {""}
       *[other] ; { $leaves } parameters are affected
    }. load_state_dict matches saved states by position, not by name.
    .repair = Create the optimizer with its parameters in the order in which they were saved.
diagnosis-targets-far-ahead = The classes are the tokens { $ahead } positions later
    .cause = In all { $rounds } rounds, the class of each position in { $name } is the input { $ahead } positions later, and no loss learns the next token. The targets may have been shifted twice: when the batch was made, and at the loss.
    .repair = Shift them once.
diagnosis-step-multiplied = { $names } { $leaves ->
        [one] moves
       *[other] move
    } { $along ->
        [yes] { $factor } times as far as
       *[no] differently from
    } a step of { $optimizer }
    .cause = This is so in all { $steps } steps that were compared with torch's own step, which ran on copies of the weights, gradients and state. { $how ->
        [twice] { $optimizer } lists the same parameters twice.
        [optimizer] { $other } holds them too, and { $code } moves them again in the same round.
        [write] { $code } moves them too.
       *[unseen] No recorded line explains the rest.
    }
    .repair = { $how ->
        [twice] List each parameter once.
        [optimizer] Let only one optimizer hold them.
        [write] Remove one of the two updates.
       *[unseen] Check what changes the parameters or their gradients around step(), such as a hook.
    }
diagnosis-grad-of-constant = { $name }.grad is None
    .cause = Line { $line } reads it, but { $name } does not require a gradient, so backward() computes none, although the result depends on { $name }.
    .repair = Create it with requires_grad=True or as an nn.Parameter.
diagnosis-inputs-rescaled = Training and evaluation get differently scaled inputs
    .cause = { $how ->
        [evaluation] Evaluation on { $name } uses whole numbers up to 255, but the model learns from { $other }, which has small fractions.
       *[training] Evaluation on { $name } uses small fractions, but the model learns from { $other }, which has whole numbers up to 255.
    }
    .repair = Scale both the same way, for example with x / 255.
diagnosis-eps-as-momentum = { $eps } is eps here, not momentum
    .cause = The second argument of { $code } is eps. { $eps } is added to each variance, and momentum stays 0.1.
    .repair = Name the argument. torch's momentum is the weight of the new batch, so momentum={ $eps } in another library is often 1 minus that here.
diagnosis-policy-upside-down = Steps make actions less likely if { $weight } is above 0
    .cause = If { $weight } is above 0, the loss falls as the log-probability in { $code } falls, and the optimizer makes the loss smaller. That is right for a cost and wrong for a return.
    .repair = If { $weight } is a return or an advantage, flip the sign: the loss is −log_prob · { $weight }.
diagnosis-target-never-follows = The target network keeps its first weights
    .cause = { $code } computes targets with a second network, { COUNTED($uses, "time", "times") } in this run. Nothing wrote to { $name } in the meantime, while { $other } was trained.
    .repair = Copy the weights at the start and every few steps: { $target }.load_state_dict({ $online }.state_dict()).
diagnosis-target-out-of-reach = The targets are out of reach
    .cause = { $code } compares { $made } with { $target }, which has entries from { $low } to { $high }. A { $function } never returns values that { $function ->
        [relu] are below 0
        [sigmoid] are below 0 or above 1
       *[tanh] are below −1 or above 1
    }.
    .repair = Remove the last { $function }, or scale the targets into its range.
diagnosis-padding-learned = The loss counts the padding
    .cause = The target is { $number } exactly where { $ids } is { $padding }, the padding of { $embedding }. { $code } also averages over these positions, so part of the training is spent on padding.
    .repair = Exclude them with ignore_index={ $number }.
diagnosis-mean-averaged = A sum of means is divided by the number of examples
    .cause = { $loss } is already a mean over { COUNTED($rows, "example", "examples") }, and { $total } adds one such mean per batch. Dividing by the number of examples makes the average too small by a factor of the batch size.
    .repair = Divide by the number of batches, len(loader), or add { $loss }.item() times the batch size.
diagnosis-average-fails = { $how ->
        [rounded] The moving average never moves
        [still] The moving average never moves
        [away] The average moves away from the value it should follow
        [sum] The weights of the average do not add up to 1
        [back] The trained weights are pulled back
       *[short] The average forgets at once
    }
    .cause = { $how ->
        [rounded] { $code } ran in { $rounds } rounds, but { $name } still has its initial entries. Each step toward { $other } is too small for { $dtype } and is rounded away.
        [still] { $code } ran in { $rounds } rounds, but { $name } still has its initial entries, while { $other } moves.
        [away] Measured over { $rounds } rounds: in each, { $code } moves { $name } by { $last } of the way to { $other }. A negative share means away from it.
        [sum] Measured over { $rounds } rounds: in { $code } the weights of { $name } and of { $other } add up to { $sum } in each round, so the average is on a different scale from { $other }.
        [back] In each of { $rounds } rounds { $code } moves { $name }, which the optimizer trains, by { $last } of the way to { $other }, and { $other } never moves. A moving average works the other way around.
       *[short] Measured over { $rounds } rounds: { $code } moves { $name } by { $first } of the way to { $other } in the first round and by { $last } in the last. Values older than a few rounds hardly count.
    }
    .repair = { $how ->
        [rounded] Keep the average in float32: copy.deepcopy({ $model }).float().
        [still] Use a share above 0 for the new weights.
        [away] Flip the sign: average += (1 - decay) * (weight - average).
        [sum] Use decay and 1 - decay: average = decay * average + (1 - decay) * weight.
        [back] Swap the two: the average is written, the trained weights are read.
       *[short] Use a decay near 1, such as 0.999. If a warm-up changes it, keep it in a separate variable. Check which of the two numbers belongs to the average.
    }
diagnosis-own-similarity = Every row is most similar to itself
    .cause = { $code } compares all { COUNTED($rows, "row", "rows") } of { $name } with each other, and { $loss } gets the whole table. The largest score of each row is with itself. Training cannot change that, and no row has itself as its class.
    .repair = Exclude the diagonal before the loss: { $scores }.fill_diagonal_(float("-inf")).
diagnosis-ratio-of-itself = The ratio compares the policy with itself
    .cause = { $code } is exactly 1 in all { $rounds } rounds, even after a step on the same data, because both sides come from the current policy. So clipping has no effect.
    .repair = Store the log-probabilities of the acting policy before the first step, and use them as the old ones in every round.
diagnosis-byte-inverted = ~ of integers is not a mask
    .cause = { $name } is { $dtype }, so ~ flips its bits: zeros and ones become { $after }, and { $used } uses these numbers.
    .repair = Convert the mask to bool first: { $name }.bool().
diagnosis-targets-are-inputs = The targets are the inputs
    .cause = In all { $rounds } rounds { $name }, the classes of this loss, equals the input of { $embedding } at every position, so each position only has to repeat its input.
    .repair = For a language model, shift them by one: inputs ids[:, :-1], targets ids[:, 1:].
diagnosis-loss-climbs = Each step makes this loss larger
    .cause = { $code } enters the total loss with a negative weight ({ $weight }) in all { $rounds } rounds, so each step makes it larger. { $name }, which the optimizer trains and no other loss reaches, is moved that way too.
    .repair = Add the loss instead. If a gradient reversal layer comes before it, that layer already flips the sign for the earlier part.
diagnosis-rate-jumps-back = The learning rate jumps back
    .cause = Training continues with the same weights, and a line loads the state of a scheduler, but { $optimizer } starts at the rate { $rate } again, after ending at { $last }. The rate and the momentum belong to the optimizer's state, which no line loads.
    .repair = Save and load the state of the optimizer too: { $optimizer }.load_state_dict(…).
diagnosis-momentum-stays = The momentum never fades
    .cause = Measured over { COUNTED($steps, "step", "steps") }: each update of { $optimizer } contains { $part } times the update before it, so old updates never fade.
    .repair = Use a momentum below 1, such as 0.9.
diagnosis-clipped-to-nothing = Gradients are clipped to 0
    .cause = The bound in { $code } is 0. The gradients, with a norm of up to { $norm }, become 0, so no step learns from them.
    .repair = Choose a bound above 0, such as 1.0.
diagnosis-argument-overwritten = The argument is overwritten
    .cause = { $code } writes into the memory of its argument { $name }. { $twice ->
        [yes] The same tensor goes through this line again, so it is changed twice.
       *[no] { $again } on line { $line } reads it afterwards and gets the changed entries.
    }
    .repair = Create a new tensor: { $name } = { $name } + … instead of { $name } += ….
# Of the steps of a training. $step, $before: a step, as "48 (epoch = 3, i = 17)".

diagnosis-began = It starts at step { $began }.
diagnosis-of-part = Based only on the recorded part of the run.
diagnosis-thinned = One step in { $stride } of this loop was kept, so it may have started slightly earlier.
diagnosis-loss-nonfinite = The loss becomes { $what }
    .cause = The loss is { $what } { $stays ->
        [yes] from step { $step } on.
       *[no] at step { $step }.
    }{ $how ->
        [line] {" "}{ $code } on line { $line } turns finite numbers into { $made }.
        [update] {" "}The update after step { $before } made { $parameter } infinite.
        [gradient] {" "}The update after step { $before } used a gradient of { $parameter } that contains NaN or infinity.
       *[unknown] {""}
    }
    .repair = { $how ->
        [line] Keep the inputs of { $code } in the range where its result is finite. If the updates pushed them out of it, use a smaller learning rate.
        [unknown] Find the first tensor that is not finite. The report shows where NaN and infinity start.
       *[other] Use a smaller learning rate, or clip the gradients.
    }
diagnosis-gradient-nonfinite = A gradient becomes NaN or infinite
    .cause = At step { $step } the loss is still { $loss }, but { $leaves ->
        [one] the gradient of { $names } contains
       *[other] the gradients of { $names } contain
    } NaN or infinity.
    .repair = Keep the inputs of functions with an infinite slope, such as the square root, away from that point. If the updates pushed them there, use a smaller learning rate.
diagnosis-zero = { $which ->
        [every] Every gradient becomes 0
       *[some] Gradients stay 0
    }
    .cause = { $which ->
        [every] From step { $step } on, every gradient is exactly 0 and nothing learns.
        [always] { $leaves ->
            [one] The gradient of { $names } is
           *[other] The gradients of { $names } are
        } exactly 0 in every step.
       *[some] From step { $step } on, { $leaves ->
            [one] the gradient of { $names } is
           *[other] the gradients of { $names } are
        } exactly 0.
    }{ $how ->
        [reverse] {" "}The reverse direction starts at the last input, and { $code } takes the step at which it has read only that input, before its recurrent weights are used.
        [flat] {" "}{ $code } on line { $line } has slope 0 for all of its inputs, so no gradient passes.
       *[unknown] {""}
    }
    .repair = { $how ->
        [reverse] Use the last state of each direction, as in torch.cat((h[-2], h[-1]), dim=1), where h is the layer's final hidden state.
        [flat] Use a function that has a slope there, such as LeakyReLU. If the updates pushed its inputs there, use a smaller learning rate.
       *[unknown] Click Why? in the graph of that step to see where the gradient becomes 0.
    }
diagnosis-vanishing = The gradient vanishes on its way to { $name }
    .cause = { $always ->
        [yes] The gradient of { $name } is below 1e−7 in every step
       *[no] From step { $step } on, the gradient of { $name } is below 1e−7
    }, and { $norm } at the end. The gradient of { $other }, nearer to the loss, is about { $large }.{ $moves ->
        [no] {" "}{ $name } never changes.
        [rounded] {" "}{ $name } never changes because the updates are lost in rounding.
       *[yes] {""}
    }
    .repair = { $normalized ->
        [yes] Click Why? in the graph of that step to follow the gradient from operation to operation.
       *[no] Use ReLU, normalization or skip connections between the layers.
    }
diagnosis-dead-units = { $dead } of { $units } units of { $layer } are dead
    .cause = They get no gradient { $always ->
        [yes] in any step.
       *[no] from step { $step } on.
    }
    .repair = Use LeakyReLU or a smaller learning rate.
diagnosis-unmoved = { $which ->
        [all] Nothing changes
       *[some] { $leaves ->
            [one] { $names } never changes
           *[other] { $names } never change
        }
    }
    .cause = { $which ->
        [all] At the end { $leaves ->
            [one] the parameter still has its initial value.
           *[other] all { $leaves } parameters still have their initial values.
        }
       *[some] The gradient is not 0, but the values stay unchanged.
    }{ $how ->
        [rate] {" "}The learning rate is 0.
        [emptied] {" "}backward computes a nonzero gradient, but each step finds a .grad of 0. Something writes zeros in between.
        [nothing] {" "}No optimizer step changes { $leaves ->
            [one] it.
           *[other] them.
        }
       *[unknown] {""}
    }
    .repair = { $how ->
        [rate] Use a nonzero learning rate.
        [emptied] Clear or change .grad after step() or before backward(), not in between.
        [unknown] Check the code between backward() and step(), and any code that writes to the parameters afterwards.
       *[nothing] Pass them to an optimizer, and call its step().
    }

diagnosis-term-cancels = { $term } cancels in this sum
    .cause = { $how ->
        [turned] { $code } adds { $term } without its gradient and subtracts it with its gradient. Its value cancels, but the subtraction sends the gradient back to it with the opposite sign.
       *[both] { $code } adds { $term } and subtracts it again, with a gradient both times. Its value and its gradient cancel{ $rest ->
            [one] , so only { $left } is left
           *[more] {""}
        }.
    }
    .repair = For a straight-through gradient, detach the difference, as in x + (y - x).detach(). Otherwise remove { $term } from the sum.
diagnosis-result-unused = { $how ->
        [last] Only the last round uses { $name } ({ $unused } of { $rounds } rounds are lost)
        [state] The state of { $name } is never updated
       *[all] Nothing uses { $name }{ $rounds ->
            [1] {""}
           *[other] { " " }({ $unused } of { $rounds } rounds)
        }
    }
    .cause = { $how ->
        [last] { $code } is computed in each round of the inner loop, and only its last round has an effect. What the earlier rounds computed is thrown away.
        [state] All { $rounds } calls { $code } of a loop start from the same state. None gets the state that the call before returned.
        [name] The loop sets { $name }, but no line of the program reads it.
       *[all] The result of { $code } reaches no loss, no trained tensor, no branch and nothing that is printed.
    }
    .repair = { $how ->
        [state] Assign the new state in each round.
        [last] Carry the result into the next round, or compute it once after the loop.
       *[all] Use the result where it is meant, or remove the line.
    }

diagnosis-optimizer-unused = { $name } never takes a step
    .cause = The { $kind } of this line holds the same parameters as the optimizer of line { $line }, which takes all steps. A state loaded into this one has no effect.
    .repair = Keep one optimizer. Load its state after it is created.

diagnosis-rows-rewritten = Each write to { $name } replaces rows that were just written
    .cause = Each of { $writes } writes fills { $rows } rows of { $name }, and { $again } of them are rows that the write before it filled. { $untouched } of its { $size } rows keep their first entries.
    .repair = Move the position on by as many rows as a write fills.
