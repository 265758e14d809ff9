# What is wrong although nothing failed: a title, the cause with its numbers, what to do.

diagnosis-fault = Fault
diagnosis-note = Note
diagnosis-info = Info
diagnosis-if-meant = If this is meant, write # fine: { $kind } on the line. Otherwise:
diagnosis-at = { $place }: { $what }

diagnosis-gradient-falsified = The gradient was computed with overwritten numbers
    .cause = { $code } saved { $name } = { $was } for its backward. Before backward read it, this line wrote { $now } there, past torch's version counter, so nothing warned.
    .repair = Write only after backward(), or write into a copy.
diagnosis-gradient-stale = { $name }.grad was not cleared: this update used both gradients
    .cause = { $name }.grad was { $before } from an earlier round and was not cleared; backward added to it, which gave { $after }. This line updates with both.
    .repair = Clear the gradient once per update: optimizer.zero_grad(), or { $name }.grad = None.
diagnosis-gradient-cut = { $reach ->
        [penalty] Only a penalty reaches { $name }
       *[none] No gradient reaches { $name }
    }
    .cause = { $reach ->
        [penalty] The terms beside the penalty depend on { $name }, but that history ends here
       *[none] The result depends on { $name }, but its history ends here
    }: { $how ->
        [off] { $code } ran while recording was off, by { $switch } on line { $at }.
        [unrecorded] { $code } ran while recording was off.
        [sampling] { $code } draws a sample, which has no derivative.
        [comparison] { $code } compares, and true or false has no derivative.
        [function] The Function in { $code } returns None for it from its own backward.
        [made] the result of { $code } becomes a new tensor here, which does not know where its entries came from.
       *[other] { $code } records nothing for backward.
    }
    .repair = { $by ->
        [argmax] argmax has no derivative. The place that softmax expects has one; to learn classes, give the scores to cross_entropy.
       *[other] { $how ->
            [off] Compute it with recording on; if the cut is meant, nothing needs to change.
            [unrecorded] Compute it with recording on, outside of no_grad and its like; if the cut is meant, nothing needs to change.
            [sampling] Use the log_prob of the sample in the loss, or rsample() where the distribution has it.
            [comparison] Use the values themselves in the loss, or a smooth function such as sigmoid.
            [function] Return its gradient from that backward; if the cut is meant, nothing needs to change.
            [made] Compute with the result itself instead of a new tensor of its entries; if the cut is meant, nothing needs to change.
           *[other] Keep the tensor itself on this way, without { $by }; if the cut is meant, nothing needs to change.
        }
    }
diagnosis-root-is-leaf = backward() began at a tensor without a history
    .cause = { $code } makes { $name } a leaf: nothing leads from it to the parameters, so they get no gradient. { $how ->
        [off] On line { $line } { $cut } ran while recording was off, by { $switch } on line { $at }.
        [unrecorded] On line { $line } { $cut } ran while recording was off.
        [sampling] On line { $line } { $cut } draws a sample, which has no derivative.
        [comparison] On line { $line } { $cut } compares, and true or false has no derivative.
        [position] On line { $line } { $cut } gives positions, which have no derivative.
       *[other] { $line ->
            [0] {""}
           *[known] The history ends on line { $line }, at { $cut }.
        }
    }
    .repair = { $how ->
        [off] Compute it with recording on, and leave requires_grad away from the result.
        [unrecorded] Compute it with recording on, and leave requires_grad away from the result.
        [sampling] Use the log_prob of the sample in the loss, as in −(log_prob · reward).mean(), or rsample() where the distribution has it.
        [comparison] Use the values before the comparison in the loss, or a smooth function such as sigmoid. A share of right answers is for looking at, not for learning.
        [position] Give the scores to the loss, as to cross_entropy. A share of right answers is for looking at, not for learning.
       *[other] Call backward() on a result that torch computed from the parameters, without leaving torch on the way.
    }
diagnosis-asked-too-late = Asked for a gradient too late
    .cause = { $code } comes after { $name } was used: what ran before recorded nothing for it.
    .repair = Ask before the first use.
diagnosis-grad-of-result = .grad of a result stays empty
    .cause = { $name } was computed from other tensors. torch stores .grad only in leaves, so { $code } is None.
    .repair = Call { $name }.retain_grad() before backward(), or, where { $name } itself is to be trained, make it a leaf: { $name } = { $name }.detach().requires_grad_().
diagnosis-never-used = { $now ->
        [none] { $name } takes no part
       *[other] The optimizer holds { $name }, which was replaced
    }
    .cause = { $now ->
        [none] The optimizer holds { $name }, but nothing that was run ever reads it, so it gets no gradient and never changes.
       *[other] The optimizer still holds { $name }, which the model no longer has. The gradients go to { $now }, which no optimizer holds, so it never changes.
    }
    .repair = { $now ->
        [none] Use it in the computation, or leave it out.
       *[other] Make the optimizer after the last line that replaces a part of the model.
    }
diagnosis-step-function = A step has slope 0
    .cause = { $code } is constant between its steps. Its backward turns the gradient { $arrived } into 0, so { $name } gets only zeros.
    .repair = Use a smooth function, or pass the gradient straight through: x + (f(x) - x).detach().
diagnosis-gradient-stopped = The gradient stops at a flat place
    .cause = { $bias ->
        [none] { $code } is flat for all these numbers
        [dropped] The dropout in { $code } has the rate 1 and drops every entry
       *[other] { $wrote } makes every input of the relu in { $code } negative (at most { $largest }; without { $bias } at most { $without }), where it is flat
    }. Its backward turns the gradient { $arrived } into 0, so { $name } gets only zeros.
    .repair = { $bias ->
        [dropped] The rate is the share that is dropped: choose one below 1.
        [none] Bring its inputs to where the function has a slope: other starting values, scaled data, or another function.
       *[other] Start { $bias } at 0 or near it.
    }
diagnosis-sample-stops = The gradient stops at a drawn number
    .cause = { $code } draws its result. torch takes it for a constant: of the gradient { $arrived } it passes 0 on, toward { $name }.
    .repair = { $normal ->
        [yes] Draw the noise alone, and compute the sample: mean + std * torch.randn_like(mean), or rsample() of a distribution.
       *[no] Use rsample() of a distribution that has it, or a loss of the logarithm of its probability, log_prob().
    }
diagnosis-softmax-of-one = softmax over one entry is always 1
    .cause = Axis { $axis } of { $shape } has one entry: whatever goes into { $code }, its probability is 1 and its gradient 0.
    .repair = For two classes with one score use sigmoid; otherwise give one score per class.
diagnosis-step-without-gradient = { $cause ->
        [generator] { $optimizer } has a group without parameters
        [copy] { $optimizer } trains a copy
        [replaced] { $optimizer } trains what was replaced
        [other] { $optimizer } trains other tensors
       *[unknown] A step that changes nothing
    }
    .cause = { $cause ->
        [generator] { $optimizer }{ $line ->
            [0] {""}
           *[other] {" "}(line { $line })
        } holds a group with 0 parameters, so { $received } is in no group and never changes. A generator gives its parameters once: something had already read it to the end.
        [copy] { $optimizer }{ $line ->
            [0] {""}
           *[other] {" "}(line { $line })
        } holds { $held }, a copy of { $received } with the same numbers in other memory. The loss is computed from { $received }: the copy gets no gradient.
        [replaced] { $optimizer }{ $line ->
            [0] {""}
           *[other] {" "}(line { $line })
        } holds { $held }, which was replaced later by the copy { $received }. The loss is computed from the copy, and { $optimizer } still holds the old one.
        [other] { $optimizer }{ $line ->
            [0] {""}
           *[other] {" "}(line { $line })
        } holds { $held }. The gradients went to { $received }, which it does not hold.
        [none] The program never calls backward(): the tensors of { $optimizer } have no gradient, and step() changes nothing.
        [cleared] The tensors of { $optimizer } had gradients before, but none had one when it stepped: they were cleared in between.
       *[unknown] Gradients were computed before, but none of the tensors this optimizer holds had one when it stepped.
    }
    .repair = { $cause ->
        [generator] Make the parameters a list, list(model.parameters()), or call model.parameters() again for the optimizer.
        [copy] Give the optimizer { $received } itself, not a clone, detach or deepcopy of it.
        [replaced] Make the optimizer after the last line that replaces or copies the model.
        [other] Give the optimizer the parameters of the model that the loss is computed with.
        [none] Call loss.backward() before step().
        [cleared] Call zero_grad() before backward(), not between it and step().
       *[unknown] Call zero_grad() before backward(), not between it and step(); and give the optimizer the tensors in use.
    }
diagnosis-not-in-optimizer = { $name } is never changed
    .cause = { $name } gets gradients like the tensors that are trained, but no optimizer holds it, and nothing changed it in this run.
    .repair = { $hidden ->
        [buffer] parameters() leaves buffers out: write self.… = nn.Parameter(…) in place of register_buffer, or register a tensor without requires_grad if it is to stay.
        [yes] If a plain list or dictionary holds its layer, parameters() leaves it out: use nn.ModuleList or nn.ModuleDict. Otherwise give it to the optimizer, or set requires_grad=False if it is to stay.
        [new] The optimizer holds what the model had when it was made: make it after the last line that replaces or adds parameters.
        [thawed] It requires a gradient since the training began: give it to the optimizer there, with add_param_group.
       *[no] Give it to the optimizer; or, if it is to stay, as in a target network, set requires_grad=False or detach what it computes.
    }
diagnosis-layer-in-forward = A new layer is made in every round
    .cause = { $code } makes new random parameters each time this line runs ({ COUNTED($rounds, "time", "times") } here). They get a gradient, but no optimizer holds them, so nothing is learned.{ $name ->
        [none] {""}
       *[other] {" "}The optimizer holds { $name }, which gets no gradient.
    }
    .repair = Make the layer once, in __init__, and call it here.
diagnosis-never-stepped = { $optimizer } never takes a step
    .cause = { $names } got gradients in { COUNTED($rounds, "round", "rounds") }, but the program never calls { $optimizer }.step(), so nothing is learned.
    .repair = Call { $optimizer }.step() after backward().
diagnosis-stepped-twice = { $optimizer } takes two steps for one backward
    .cause = { $code } follows the step on line { $line } with the same gradients, in all { COUNTED($rounds, "round", "rounds") }: each round moves the parameters twice.
    .repair = Remove one of the two.
diagnosis-moved-by-hand = { $name } moves twice in each round
    .cause = { $code } moves { $name } by its gradient, and so does the step of { $optimizer }, in all { COUNTED($rounds, "round", "rounds") }.
    .repair = Remove one of the two.
diagnosis-step-before-backward = { $optimizer } takes its step before backward
    .cause = { $code } runs before the backward on line { $line }, in all { COUNTED($rounds, "round", "rounds") }. { $cleared ->
        [yes] Each round begins with zero_grad(), so no step finds a gradient, and nothing is learned.
       *[no] The first step finds no gradient, and each later one uses the gradient of the round before.
    }
    .repair = Call { $code } after backward().
diagnosis-optimizer-renewed = { $optimizer } is made again in every round
    .cause = { $code } runs in all { COUNTED($rounds, "round", "rounds") }, and each { $class } takes one step. { $class } gathers averages of the gradients over many steps; here they begin at 0 each time.
    .repair = Make the optimizer once, before the loop.
diagnosis-clip-of-nothing = This clips no gradients
    .cause = { $code } got no tensors. A generator such as net.parameters() gives its values once, and something had read it to the end before.
    .repair = Call net.parameters() again here, or keep list(net.parameters()).
diagnosis-clip-scaled = Gradients are clipped while they are still scaled
    .cause = { $scaler } multiplied the loss by { $factor }, so the gradients are that much larger when { $code } clips them. { $scaler }.step divides them only afterwards: almost nothing is left of each gradient.
    .repair = Call { $scaler }.unscale_(optimizer) before clipping.
diagnosis-step-scaled = The step uses scaled gradients
    .cause = { $scaler } multiplied the loss by { $factor }, so every gradient is that many times as large, and { $code } uses it as it is.
    .repair = Write { $scaler }.step({ $optimizer }) and { $scaler }.update().
diagnosis-accumulation-lost = Gradients are cleared before they are used
    .cause = { $count } backward calls come before each step of { $optimizer }, but this line clears the gradients after each of them: the step uses the last one only.
    .repair = Clear the gradients once per step, after it.
diagnosis-frozen-moves = { $name } is frozen and still changes
    .cause = { $line ->
        [0] The program sets the gradient of the same rows to 0 before every step, but { $optimizer } also shrinks weights without a gradient, by its weight_decay: these rows moved from { $was } to { $now }.
       *[set] Line { $line } set requires_grad=False, but { $name } kept its old .grad, and { $code } goes on using it: { $name } moved from { $was } to { $now }.
    }
    .repair = { $line ->
        [0] Put { $name } into a group of its own with weight_decay=0, or write the old rows back after each step.
       *[set] Clear the gradient when freezing, { $name }.grad = None, or give the optimizer only the parameters that train.
    }
diagnosis-setting-misspelt = This setting has no effect
    .cause = { $code } sets a new name that torch never reads.
    .repair = Write { $meant }.
diagnosis-comparison-broadcast = Each prediction is compared with every label
    .cause = { $code } has { $first } against { $second }: broadcasting makes { $made }, so the average is over all pairs.
    .repair = Give both the same shape, for example with squeeze(1).
diagnosis-penalty-constant = { $how ->
        [residual] The derivative is a constant for the training
       *[other] A term of the loss is a constant
    }
    .cause = { $code } returns { $how ->
        [number] a Python number
        [detached] a tensor without a history
       *[gradient] a gradient without a history
    }, so { $how ->
        [residual] in { $term } it is a constant: the loss is trained as if the derivative did not depend on the parameters.
       *[other] the term that { $term } adds has no gradient and trains nothing.
    }
    .repair = { $how ->
        [number] Add the tensor itself to the loss.
        [detached] Compute the term with recording on, and add it as it is.
       *[gradient] Call autograd.grad with create_graph=True.
    }
diagnosis-loss-dropped = A loss is computed and not used
    .cause = { $name ->
        [none] { $code } is computed { COUNTED($rounds, "time", "times") }, but backward() begins at { $used } of these losses: the last one of each inner loop. Nothing reads the others.
       *[other] { $code } is computed in { COUNTED($rounds, "round", "rounds") }, but goes into no backward: { $name } is in the optimizer and gets no gradient.
    }
    .repair = { $name ->
        [none] Call backward() for each of them within the inner loop, or add them up first.
       *[other] Add it to the loss that backward() is called on.
    }
diagnosis-targets-cut = The targets lose their fractions
    .cause = { $code } turns { $given } into the whole numbers { $made }, and { $loss } then compares with these.
    .repair = Keep the targets as floats.
diagnosis-parameter-scaled = { $name } is a result, not a parameter
    .cause = { $code } computes { $name } once from a tensor with requires_grad=True that has no name. The gradients go to that tensor, no optimizer holds it, and { $name } stays as it is in all { COUNTED($rounds, "round", "rounds") }.
    .repair = Compute the values first, then make the parameter: nn.Parameter(values), or values.requires_grad_().
diagnosis-leaf-rebound = { $name } no longer refers to the leaf
    .cause = { $code } makes a new tensor and calls it { $name }. It is a result, not the leaf: later gradients do not go into its .grad.
    .repair = Update in place under torch.no_grad(): { $name } -= …
diagnosis-loss-not-renewed = { $how ->
        [one] Every round begins at the same loss
       *[sum] Every round differentiates the losses of earlier rounds again
    }
    .cause = { $how ->
        [one] { $name } was computed once, on line { $line }, and backward() goes through its graph in { COUNTED($rounds, "round", "rounds") }. { $leaf } has moved since, but the gradients stay those of its first values.
       *[sum] { $name } contains the losses of the rounds before, and backward() goes through their graphs again, in { COUNTED($rounds, "round", "rounds") }. { $leaf } has moved since, but their gradients stay those of its earlier values.
    }
    .repair = { $how ->
        [one] Compute the loss within the loop, before each backward(); retain_graph=True is then not needed.
       *[sum] Call backward() on the loss of the round, and add loss.item() to the running number; retain_graph=True is then not needed.
    }
diagnosis-gradient-left = { $optimizer } also steps by the gradients of { $other }'s loss
    .cause = backward() on line { $line } is for the step of { $other }, but it goes through { $name } as well and leaves a gradient there. It is still there when the own loss adds its gradient, and this step uses the sum.
    .repair = Call { $optimizer }.zero_grad() right before the backward() of its own loss.
diagnosis-batch-repeats = Every round draws the same rows
    .cause = { $code } gives the same { $drawn } positions in all { COUNTED($rounds, "round", "rounds") }: of the { $rows } rows of { $name } only these are ever seen.
    .repair = Set the seed once, before the loop.
diagnosis-argument-unused = The function does not use what it is differentiated by
    .cause = { $code } returns zeros: the function reads none of the arguments that it is differentiated by.
    .repair = Compute with the arguments, as by functional_call(model, params, (x,)) in place of model(x).
diagnosis-paths-cancel = Two paths cancel, so { $name } learns nothing
    .cause = { $where ->
        [leaf] In every round { $name } gets gradients on several paths from { $code }, such as { $first } and { $second }. They add up to exactly 0, and no other parameter gets a nonzero gradient.
       *[result] The result of { $code } gets gradients on several paths, such as { $first } and { $second }. They add up to exactly 0, so everything it was computed from gets 0.
    }
    .repair = Detach the result on the path that should carry no gradient: a sample in its log_prob, the old value in a ratio, the difference in x + (q - x).
diagnosis-moved-for-each = Two parameters in one memory are both stepped
    .cause = { $name } and { $source } are the same numbers in memory, and { $optimizer } holds both: each step moves them twice, with moments of its own for each.
    .repair = Assign the parameter itself instead of its .data: then there is one, and its gradient is the sum.
diagnosis-loss-swapped = Labels and predictions are swapped
    .cause = { $loss } takes the predictions first and the labels second. In { $code } the first has no history, and its entries are zeros and ones: { $entries }.
    .repair = Swap the first two arguments.
diagnosis-gradient-unread = backward of { $function } ignores { $name }
    .cause = It never reads { $name }, the gradient that arrives, so what it returns is right only where that is 1.
    .repair = Multiply the derivative by { $name }, as the chain rule says.
diagnosis-update-lost = { $how ->
        [result] The result is not used
       *[bare] The update is thrown away
    }
    .cause = { $how ->
        [bare] { $code } makes a new tensor, and nothing reads it; { $name } stays what it was.
        [result] { $code } makes a new tensor, and nothing reads it; what follows uses { $name } as it was.
        [copy] { $method } makes a copy, and { $code } writes into it; nothing reads the copy, and { $name } stays what it was.
       *[name] { $code } makes a new tensor and gives it the name { $name }; the parameter itself stays what it was.
    }
    .repair = { $how ->
        [bare] Change { $name } itself, with { $method }_.
        [result] Assign the result: { $name } = { $code }; or remove the line.
        [copy] Write into { $name } itself, by an assignment: { $name }[…] = …
        [loop] Write into the parameter under torch.no_grad(): { $name }.copy_(…)
       *[name] Update in place under torch.no_grad(): { $name } -= …
    }
diagnosis-not-called = { $method } is named, not called
    .cause = { $code } without brackets only names the method. It did not run.
    .repair = Write { $code }().
diagnosis-nan-forward = { $how ->
        [overflow] The numbers overflow here
        [pole] ∞ starts here
        [infinite] ∞ starts here
        [unaligned] The target is too long for its input
        [written] { $what } is written here
       *[nan] NaN starts here
    }
    .cause = { $how ->
        [overflow] { $code } overflows: its inputs are finite ({ $given }), its result is ∞.{ $only ->
            [inf] {""}
           *[nan] {" "}Later this becomes NaN.
        }
        [infinite] { $code } is infinite although its inputs ({ $given }) are finite.{ $only ->
            [inf] {""}
           *[nan] {" "}Later this becomes NaN.
        }
        [unaligned] { $code } is infinite: it needs a step of the input for every label of a target, and one more between two equal neighbours. A target here has more.
        [pole] { $code } is infinite because one of its inputs ({ $given }) is 0.{ $only ->
            [inf] {""}
           *[nan] {" "}Later this becomes NaN.
        }
        [nothing] { $code } averages over nothing: it gets no entries, or every target is ignore_index. That is 0 / 0, NaN.
        [row] { $code } gets a row that is −∞ throughout, as where a mask leaves nothing: its softmax is NaN.
        [written] { $code } writes { $what }, and { $what ->
            [NaN] it reaches
           *[other] { $only ->
                [inf] it reaches
               *[nan] NaN comes of it and reaches
            }
        } the result.
        [masked] { $code } masks the diagonal too, and with it all of row 0: { $given } has nothing left there but −∞, and is NaN.
       *[nan] { $code } is NaN although its inputs are not, and the NaN reaches the result.
    }
    .repair = { $how ->
        [overflow] { $grown ->
            [yes] The parameters have grown more than a thousandfold: take a smaller learning rate.
           *[no] Keep the numbers smaller, or use a function that does not overflow, as logsumexp for a logarithm of exponentials.
        }
        [infinite] Keep its inputs away from where the function is infinite.
        [unaligned] Leave such pairs out, or give zero_infinity=True: they then count as 0 and pass no gradient.
        [pole] Keep its inputs away from 0, or use a function that computes both at once, as log_softmax for the logarithm of softmax.
        [nothing] Leave out a batch of which nothing is left, or sum and divide by a count that is at least 1.
        [row] Leave such rows out, or keep at least one entry of each.
        [written] Leave these entries out of the loss, or write finite numbers.
        [masked] Leave the diagonal out: diagonal=1.
       *[nan] Keep its inputs ({ $given }) out of where the function is not defined.
    }
diagnosis-missing-cells = { $missing ->
        [one] A missing value
       *[other] { $missing } missing values
    } in { $tables } { $missing ->
        [one] makes
       *[other] make
    } { $root } NaN
    .cause = Missing values: { $columns }. { $code } turns them into NaN{ $named ->
        [no] {""}
       *[yes] {" "}in { $name }
    }. Every result computed from NaN is NaN too, and so are the gradients.
    .repair = Fill them before this line: { $table } = { $table }.fillna({ $table }.mean(numeric_only=True)). Or drop the incomplete rows: { $table } = { $table }.dropna(). Drop a row that has no label instead of filling it in.
diagnosis-nan-given = { $how ->
        [unfilled] { $root } is computed from memory that was never filled
        [gradient] { $root } is computed from a gradient that is not finite
       *[data] { $root } is { $what } because of the data
    }
    .cause = { $how ->
        [unfilled] { $code } allocates memory without setting its entries: { $bad } of { $size } are not finite.
        [gradient] { $code } reads a gradient of which { $bad } of { $size } entries are not finite.
       *[data] { $bad } of { $size } entries of { $named ->
            [no] { $code }
           *[yes] { $name }
        } are not finite before any operation uses them. Every result computed from NaN is NaN too.
    }
    .repair = { $how ->
        [unfilled] Use torch.zeros, or write every entry before the first use.
        [gradient] First find out why that gradient is not finite.
       *[data] Remove or replace such entries before training, for example with torch.nan_to_num(x), or leave their rows out.
    }
diagnosis-root-nonfinite = { $root } is { $what }
    .cause = { $root } is { $what } when backward begins.
    .repair = Check the inputs with torch.isfinite(x).all(), from the data onwards.
diagnosis-nan-backward = A gradient becomes { $what } in backward
    .cause = { $forward ->
        [unknown] {""}
        [finite] { $root } is finite.{" "}
        [entry] { $root } is finite, although entry { $place } of { $code } is { $made }.{" "}
       *[scalar] { $root } is finite, although { $code } is { $made }.{" "}
    }The backward of { $code } ({ $node }) turns the gradient { $arrived } into { $passed }. So the gradient of { $name } becomes { $grad }.
    .repair = { $meets ->
        [zero] Change the inputs before the operation, not its result after it: a gradient of 0 times a slope that is infinite or NaN is NaN, not 0.
        [grown] The parameters have grown more than a thousandfold: take a smaller learning rate.
        [overflow] The slope is finite, and the product is too large for its dtype: scale the inputs or the loss down.
        [slope] Change the inputs before the operation, not its result after it: its slope there is not finite.
       *[other] Change the inputs before the operation, not its result after it.
    }
diagnosis-loss-broadcast = Each row meets every other row: shapes { $first } and { $second }
    .cause = { $code } has { $first } against { $second }: broadcasting makes { $made } of it, so what belongs to one row, as its target or its weight, meets all rows.
    .repair = Give both the same shape, for example with squeeze or unsqueeze.
diagnosis-probabilities-as-scores = Probabilities where scores belong
    .cause = { $twice ->
        [yes] { $code } applies { $applied } to what { $made } made with { $applied }: the second time flattens the gradient.
        [other] { $loss } expects scores and applies { $applied } itself. { $made } gives it probabilities, between 0 and 1, which flattens the gradient.
       *[no] { $loss } applies { $applied } itself. { $made } has done so already, which flattens the gradient.
    }
    .repair = { $twice ->
        [yes] Apply it once.
       *[no] Give the loss the scores as they are.
    }
diagnosis-not-log-probabilities = { $loss } got no log-probabilities
    .cause = { $given ->
        [probabilities] { $code } got probabilities, from { $made }, but { $loss } expects their logarithms.
        [axis] { $code } expects logarithms that log_softmax took over axis 1, the classes; { $made } took them over another axis.
        [last] { $code } gets rows whose entries are the classes, so log_softmax has to run over the last axis of { $made }; it runs over another one.
       *[scores] { $code } got the scores of a layer, from { $made }, but { $loss } expects logarithms of probabilities. With scores the loss has no lower limit.
    }{ $sums ->
        [none] {""}
       *[other] {" "}exp of each row should sum to 1; the sums are { $sums }.
    }
    .repair = { $given ->
        [axis] Take log_softmax over the classes: dim=1.
        [last] Take log_softmax over the classes: dim=-1.
       *[other] { $loss ->
            [nll_loss] Apply log_softmax first, or use cross_entropy on the scores.
           *[other] { $given ->
                [probabilities] Apply log_softmax in place of softmax.
               *[other] Apply log_softmax first.
            }
        }
    }
diagnosis-shuffled-apart = Two shuffles that differ
    .cause = { $first } and { $second } put the same { COUNTED($rows, "row", "rows") } into two different orders: examples and targets no longer belong together.
    .repair = Make one permutation and use it for both.
diagnosis-wrong-mode = The model is in { $mode ->
        [training] training
       *[eval] evaluation
    } mode here
    .cause = { $mode ->
        [training] { $code } runs without gradients after training, but its layer still behaves as in training: its results are random or change its statistics.
        [copied] { $code } normalizes by running_mean = 0 and running_var = 1, with which it was made: its weights were updated since, but no batch was measured and no statistics were copied.
        [unmeasured] { $code } learns in evaluation mode and normalizes by running_mean = 0 and running_var = 1, with which it was made: no batch was ever measured, so it normalizes nothing.
       *[eval] { $code } learns in evaluation mode: it was set for a test and not set back.
    }
    .repair = { $mode ->
        [copied] Copy the buffers with the parameters, as load_state_dict does, or measure batches, as torch.optim.swa_utils.update_bn does.
        [training] Call model.eval() before.
       *[eval] Call model.train() before.
    }
diagnosis-frozen-statistics = { $module } is frozen, but its statistics change
    .cause = The parameters of { $module } have requires_grad=False. It is in training mode, so { $code } still normalizes with batch statistics and updates running_mean and running_var.
    .repair = Call eval() on the frozen layers after train().
diagnosis-dropout-always = { $code } drops in eval mode, too
    .cause = { $how ->
        [made] { $code } makes a new layer in each call. A new layer is in training mode, so it drops entries always, also after eval().
       *[function] { $code } is a function and knows no mode of a module: without training= it drops entries always, also after eval().
    }
    .repair = { $how ->
        [made] Make the layer once, in __init__, and call it here.
       *[function] Write training=self.training in the call, or use nn.Dropout, which eval() switches off.
    }
diagnosis-loss-grows = The loss grows
    .cause = { $uphill ->
        [True] { $losses }: this line adds the gradient, which climbs.
        [steps] From step { $step } on the loss grows at every step: { $losses }.{ $ratio ->
            [none] {""}
           *[long] {" "}The update after it is { COUNTED($ratio, "time", "times") } the size of all weights.
        }
       *[False] { $losses }: the steps are too long.
    }
    .repair = { $uphill ->
        [True] Subtract the gradient.
       *[False] Take a smaller learning rate.
    }
diagnosis-graph-kept = The sum keeps { $graphs } finished graphs
    .cause = { $code } holds the graph of each round's loss in memory, although backward() has been through them.
    .repair = Add numbers instead: .item(), or .detach().
diagnosis-symmetric = All { COUNTED($rows, "row", "rows") } of { $name } stay equal
    .cause = They begin equal and get equal gradients, so they remain copies of one another: the layer acts like one unit.
    .repair = Begin with random numbers.
diagnosis-truncated = Fractions are cut off
    .cause = { $code } puts { $lost } into a tensor of { $dtype }, which keeps whole numbers only.
    .repair = Make the tensor one of floats.
diagnosis-integer-wraps = A number does not fit into { $dtype }
    .cause = { $code } gives { $exact }, which { $dtype } cannot hold: it becomes { $made }.
    .repair = Convert first, as in x.float() - 128.
diagnosis-float-equality = Floats compared with ==
    .cause = In { $code }, { $first } and { $second } differ by { $apart } only, a rounding error; == says False.
    .repair = Compare with torch.isclose or torch.allclose.
diagnosis-quotient-lost = h is too small to be seen
    .cause = { $sum } gives the same number as without h = { $h }: the difference is 0 and so is the quotient.
    .repair = Take a larger h, or float64.
diagnosis-layer-forgotten = { $name } is in no optimizer
    .cause = { $names } get a gradient in every round, like the layers before and behind, but { $optimizer ->
        [none] no optimizer holds them
       *[other] { $optimizer } does not hold them
    }. They never change, and nothing clears their gradient: the norm of { $name }.grad goes from { $first } to { $last } in { COUNTED($rounds, "round", "rounds") }.
    .repair = Give them to the optimizer; or set requires_grad=False if they are to stay as they are.
diagnosis-frozen-in-optimizer = { $optimizer } holds tensors that get no gradient
    .cause = { $optimizer } holds { $names } with requires_grad=False: backward brings it no gradient, so no step ever changes it.
    .repair = Ask for its gradient where it is made: requires_grad=True; or leave it out of the optimizer.
diagnosis-zeros-hold = Weights that start at 0 stay 0
    .cause = { $names } are 0 in all { COUNTED($rounds, "round", "rounds") }, and so are their gradients: the gradient of each is multiplied by the other, which is 0.
    .repair = Start them with small random numbers, as nn.Linear does by itself; only one of two weights in a row may start at 0.
diagnosis-data-lost = Every entry becomes 0
    .cause = { $code } divides into whole numbers: { $before } become 0, 0, 0, … Then { $used } multiplies by these zeros, and its gradient is 0 too.
    .repair = Divide with / instead of //, and convert to floats before, not after.
diagnosis-kept-weights-shared = { $how ->
        [named] Two names for one model
        [same] Two names for one model
        [listed] Entries of { $back } share one memory
        [itself] { $name } is written onto itself
       *[other] The kept weights change with the model
    }
    .cause = { $how ->
        [listed] { $code } keeps no copy: every entry that line { $line } appends to { $back } lies in the memory of { $name }, which every step changes. In the end they all show its last values.
        [same] In { $code } both names mean one tensor in all { $steps } calls, first { $name }: there is no second model, and what this line writes goes into the weights that are trained.
        [named] { $code } copies nothing: both names mean one model. { $back } (line { $line }) writes { $name } onto itself and changes nothing.
        [itself] { $code } lies in the memory of { $name }: { $back } (line { $line }) writes { $name } onto itself and changes nothing.
        [added] { $code } keeps no copy: it lies in the memory of { $name }, and { $steps ->
            [1] 1 later step
           *[other] { $steps } later steps
        } changed it too. { $back } (line { $line }) adds { $name } to itself: this is no average, and it changes { $name }.
       *[written] { $code } keeps no copy: it lies in the memory of { $name }, and { $steps ->
            [1] 1 later step
           *[other] { $steps } later steps
        } changed it too. { $back } (line { $line }) writes { $name } onto itself and changes nothing.
    }
    .repair = { $how ->
        [named] Copy the model: copy.deepcopy({ $copied }).
        [same] Copy the model with copy.deepcopy(); copy.copy() and = share its parameters.
        [listed] Keep a copy: { $name }.detach().clone().
       *[other] Keep a copy: copy.deepcopy(model.state_dict()), or tensor.detach().clone().
    }
diagnosis-softmax-over-batch = softmax runs over the examples, not the classes
    .cause = { $code } normalizes axis 0 of { $shape }, the examples. The loss then compares the classes of each row, { $low ->
        [none] whose probabilities do not sum to 1.
       *[other] but the rows sum to { $low } … { $high }, not to 1.
    }
    .repair = Normalize the classes: dim=1 (or dim=-1).
diagnosis-clip-unused = No step uses the clipped gradients
    .cause = { $order ->
        [late] { $code } runs after step(), and the gradients are cleared before the next backward(). The steps used norms up to { $norm }; the bound is { $bound }.
       *[early] { $code } runs before backward(): there is no gradient yet, so nothing is clipped. step() then uses what backward() brings.
    }
    .repair = Clip between backward() and step().
diagnosis-hook-zeroes = A hook turns every gradient of { $name } into 0
    .cause = In { $rounds } of { COUNTED($rounds, "round", "rounds") } the hook { $code } turned the gradient of { $name } (first { $arrived }) into zeros.
    .repair = Return the changed gradient, or None to leave it as it is; to freeze { $name }, set requires_grad=False.
diagnosis-weights-untied = { $name } is a copy of { $source }, not tied to it
    .cause = { $code } copies { $source }. Both are trained apart since; their largest difference is { $apart } at the end.
    .repair = To tie them, use the same parameter: assign { $source } itself, without clone().
diagnosis-data-rescaled = { $name } is changed in place in every round
    .cause = { $code } ran { COUNTED($rounds, "time", "times") } on the same data: the norm of { $name } went from { $first } to { $last }.
    .repair = Scale once before the loop, or write to a new name in the loop.
diagnosis-layer-repeated = One layer takes several places
    .cause = { $code } makes one { $layer } and repeats it: all { $count } places have the same parameters.
    .repair = Make one for each place: [nn.{ $layer }(…) for _ in range({ $count })].
diagnosis-data-augmented = { $random ->
        [yes] Random changes pile up in { $name } itself
       *[no] Changes pile up in { $name } itself
    }
    .cause = { $code } writes into { $name }, of which it has a part: { COUNTED($times, "time", "times") } a later round began with what the rounds before had left.
    .repair = Make a new tensor in place of writing into the part, such as x = x + noise; or clone the part first.
diagnosis-likelihood-falls = Training lowers the probability of the labels
    .cause = { $code } is the mean of the log-probabilities of the labels, from { $made }. Backward begins there, and a step makes it smaller.
    .repair = Put a minus before it; or use cross_entropy, or nll_loss, which has the minus.
diagnosis-losses-apart = One loss drowns the other
    .cause = { $code } adds { $large } ({ $most }) and { $small } ({ $least }): in every round the first is { COUNTED($times, "time", "times") } as large, and the sum is almost that alone.
    .repair = Scale the targets, or give each loss a weight that makes both count.
diagnosis-target-without-effect = The targets have no effect
    .cause = Backward begins at { $code }, the plain differences from { $name }, in all { COUNTED($rounds, "round", "rounds") }: the gradient is the same whatever the targets are, and the loss falls without end.
    .repair = Square the differences or take their absolute values, as F.mse_loss and F.l1_loss do.
diagnosis-labels-pick-rows = The labels fill whole rows
    .cause = { $code } takes the labels for row numbers: it sets whole rows of { $name }, not one entry of each row.
    .repair = Give the rows too: { $name }[torch.arange(len({ $labels })), { $labels }] = 1; or use F.one_hot.
diagnosis-scores-cut = { $function ->
        [relu] No score can fall below 0
       *[dropout] Dropout sets scores of the loss to 0
    }
    .cause = { $function ->
        [relu] { $loss } gets the result of { $code }. { $low ->
            [yes] A score of 0 means the probability 0.5, so no label of 0 gets a lower one.
           *[no] All classes with a negative score get the score 0, and no gradient.
        }
       *[dropout] { $loss } gets the result of { $code }: in training it sets scores to 0 at random, also that of the right class.
    }
    .repair = Give the loss the scores of the last layer as they are.
diagnosis-similarity-falls = Training makes the similarity smaller
    .cause = Backward begins at { $code }, cosine similarities with { $target }: a step turns the results away from it.
    .repair = Put a minus before it, or use 1 minus the similarity.
diagnosis-several-classes = cross_entropy gets several classes in a row
    .cause = In { $code } the probabilities of a row sum to 1, so the classes exclude each other. { $name } has up to { $most } ones in a row.
    .repair = If several classes can hold at once, use F.binary_cross_entropy_with_logits; otherwise give each row shares that sum to 1.
diagnosis-mask-too-weak = The mask does not remove the scores
    .cause = { $how ->
        [fill] { $code } sets the masked scores to { $value }
       *[times] { $code } multiplies the masked scores by 0
    }. softmax takes exp of that, about 1, so the masked entries keep a weight.
    .repair = Set them to float("-inf") or -1e9 before softmax, with masked_fill.
diagnosis-normalized-over-batch = Normalized along the examples
    .cause = { $code } makes each column of { $shape } a vector of length 1, along the examples. { $product } then multiplies rows, which have other lengths, so the products are not cosines.
    .repair = Normalize the rows: dim=1.
diagnosis-best-learned = The best action learns, not the one that was taken
    .cause = { $code } takes the largest value in each row of { $scores }. The loss moves it towards the reward of the action that was taken, which may be another one.
    .repair = Take the value of that action: { $scores }.gather(1, actions.unsqueeze(1)).
diagnosis-padding-attended = { $padding ->
        [none] Only later positions are attended to
       *[other] Only the padding is attended to
    }
    .cause = { $padding ->
        [none] { $code } removes each position and all before it: softmax then attends to later positions alone, and at the last position to none.
       *[other] { $code } removes every key but those whose index is { $padding }, the padding of { $embedding }: softmax then attends to the padding alone.
    }
    .repair = { $padding ->
        [none] Turn the mask around: remove what comes later.
       *[other] Turn the mask around: remove the keys whose index is { $padding }.
    }
diagnosis-batch-read-as-time = The layer takes the examples for time steps
    .cause = Without batch_first=True, { $layer } reads axis 0 of { $shape } as time and axis 1 as the examples. { $code } then { $how ->
        [first] takes the first example at each of { $rows } times
        [last] takes the last example at each of { $rows } times
       *[all] combines all examples at each of { $rows } times
    }, and that is compared with one target for each example.
    .repair = Make the layer with batch_first=True.
diagnosis-target-moves = The gradient also goes through the target
    .cause = { $code } is made with { $name }, which is trained to come closer to it, and it is not detached: each step moves the target too.
    .repair = Compute the target under torch.no_grad(), or detach it.
diagnosis-axes-mixed = A reshape where a transposition may be meant
    .cause = { $how ->
        [apart] { $other } flattens predictions of { $before }, { $code } targets of { $after }: the axes of sizes { $first } and { $second } come in another order, so the loss compares most predictions with targets of others.
        [batch] { $code } gives { $before } the shape { $after }, but the { $first } examples stand on axis { $second } of { $before }. The entries keep their order, so each row has entries of several examples, and its target is that of one.
       *[one] { $code } gives { $before } the shape { $after }. The entries keep their order, so the axes of sizes { $first } and { $second } do not change places: their entries are mixed.
    }
    .repair = { $how ->
        [batch] Put the examples first with transpose or permute, then reshape.
       *[other] Exchange axes with transpose or permute; merge or split only axes that stand side by side.
    }
diagnosis-mean-over-batch = All { COUNTED($rows, "example", "examples") } get the same prediction
    .cause = { $code } takes the { $method } of { $shape } over its { COUNTED($rows, "example", "examples") }, and the result is compared with the targets of all { $rows }.
    .repair = Reduce another axis (dim=1), or reduce the loss, after each example was compared with its target.
diagnosis-schedule-first = The scheduler steps before the optimizer
    .cause = { $code } ran before the first step of { $optimizer }: { $lost ->
        [yes] the rate { $rate } was never used, the first step used { $used }.
       *[no] every change of the rate comes one call too early.
    }
    .repair = Call the scheduler after optimizer.step().
diagnosis-schedule-elsewhere = The scheduler belongs to another optimizer
    .cause = { $code } sets the rate of an optimizer that takes no step, at last to { $rate }. { $optimizer } moves the same parameters and keeps the rate { $used }.
    .repair = Make the scheduler again where { $optimizer } is made, with { $optimizer } as its optimizer.
diagnosis-rate-falls = The learning rate falls from { $first } to { $last }
    .cause = { $batches ->
        [yes] { $code } ran { $count } times, once for each batch. { $scheduler } usually counts epochs: after { $steps } steps the rate is { $last }.
       *[no] { $code } ran { $count } times. For most of the { $steps } steps the rate was below a ten-thousandth of { $first }, so they change almost nothing.
    }
    .repair = { $batches ->
        [yes] Call { $code } once per epoch, outside the loop over the batches; or choose its steps for batches.
       *[no] Let the rate fall more slowly: a larger gamma, or fewer calls of { $code }.
    }
diagnosis-schedule-pace = { $scheduler } was made for { $planned } calls and got { $count }
    .cause = { $pace ->
        [round] { $code } ran once in each round, { $optimizer } took { $steps } steps: the schedule ended at the rate { $last }, after { $count } of its { $planned } calls.
       *[step] { $code } ran after each of { $steps } steps, and { $planned } is the number of rounds around them: the schedule was over after { $planned } steps.
    }
    .repair = { $pace ->
        [round] Call { $code } after each step, or make the schedule for { $count } calls.
       *[step] Call { $code } once in each round, after the loop over the batches; or make the schedule for { $steps } calls.
    }
diagnosis-wrapper-bypassed = The ranks never exchange their gradients
    .cause = { $code } calls the model inside of DistributedDataParallel. Gradients are averaged over the ranks only after a forward of { $name } itself, and no line calls that.
    .repair = Call { $name }(…); use { $name }.module to save the state.
diagnosis-nothing-loaded = load_state_dict loaded nothing
    .cause = With strict=False names that do not fit are left out, and here no parameter of { $name } was written: the weights are the random ones.
    .repair = Look at what the call returns, missing_keys and unexpected_keys: often the names have a prefix such as "module.", which has to be removed.
diagnosis-fake-attached = The loss of the one model also trains the other
    .cause = { $code } brings { $name } a gradient, and nothing clears it: the next step of { $optimizer } uses the sum with the gradient of its own loss. For { $other } what the second loss brings is cleared each time.
    .repair = Use .detach() of the generator's result in the first loss, or clear the gradients of { $optimizer } before the second backward.
diagnosis-plateau-upside-down = The scheduler takes a falling loss for a bad sign
    .cause = With mode="max" { $code } waits for a larger number. The loss fell from { $first } to { $last }, and the rate was lowered to { $rate }.
    .repair = Use mode="min" for a loss; "max" is for an accuracy.
diagnosis-loss-as-epoch = { $scheduler } takes the loss for an epoch
    .cause = { $code } gives { $given } as the number of the epoch: the rate of { $optimizer } then depends on the loss, not on the number of calls.
    .repair = Call step() without an argument. Only ReduceLROnPlateau takes a loss.
diagnosis-never-scheduled = { $name } is never called
    .cause = { $code } makes a { $scheduler }, but no other line has its name: the learning rate stays what it is.
    .repair = Call { $name }.step() after the optimizer's step, or after each epoch.
diagnosis-rate-tiny = With this learning rate nothing moves
    .cause = { $optimizer } uses the rate { $rate }: in { COUNTED($steps, "step", "steps") } no parameter moved by more than { $moved }.
    .repair = Use a larger rate; Adam usually starts near 0.001, SGD near 0.01.
diagnosis-decay-dominates = { $adaptive ->
        [yes] Weight decay outweighs the gradient
       *[no] Weight decay shrinks the weights to almost 0
    }
    .cause = { $adaptive ->
        [yes] weight_decay={ $decay } outweighs the gradient tenfold: the norm of { $names } went from { $first } to { $last } in { $steps } steps.
       *[no] weight_decay={ $decay } at the rate { $rate } takes { $part } % of every weight in each step: the norm of { $names } went from { $first } to { $last } in { $steps } steps.
    }
    .repair = Use a smaller decay; 0.0001 to 0.1 is usual.
diagnosis-gradient-vanishes = The gradient vanishes on its way to { $name }
    .cause = In the first round the gradient of { $name } has the norm { $norm }, that of { $other } { $large }; it stays below 0.000001 in every round. Every way to it leads through { $count } or more calls of sigmoid or tanh, and each multiplies the gradient by its slope.
    .repair = Use ReLU, normalization or skip connections between the layers.
diagnosis-activation-saturated = { $function } is saturated
    .cause = { $saturated } of { $entries } { $sampled ->
        [yes] sampled outputs
       *[no] outputs
    } of { $code } lie at a limit from the first round on, as their inputs reach from { $low } to { $high }. There the slope is almost 0.{ $data ->
        [none] {""}
       *[other] {" "}{ $data } is large already.
    }
    .repair = Bring the inputs to a range around 0: scale the data to mean 0 and deviation 1, or start with smaller weights.
diagnosis-softmax-over-queries = softmax runs over the { $how ->
        [examples] examples, not over the parts of each
       *[queries] queries, not the keys
    }
    .cause = { $how ->
        [examples] { $code } normalizes axis 0 of { $shape }, the examples. { $product } then sums over axis 1, whose weights do not sum to 1.
       *[queries] { $code } normalizes axis −2 of the scores { $shape }, the queries. { $product } then sums over axis −1, the keys, whose weights do not sum to 1.
    }
    .repair = { $how ->
        [examples] Normalize what is summed: dim=1.
       *[queries] Normalize the keys: dim=-1.
    }
diagnosis-sample-attached = The sample keeps its gradient, and log_prob cancels it
    .cause = { $code } draws with rsample, so the gradient of { $product } also flows through the sample, against that of log_prob: the two cancel for a shift of the whole distribution. The mean learns nothing from this term.
    .repair = Draw with sample(), or detach the sample before log_prob.
diagnosis-advantage-attached = The loss of the policy also moves the value
    .cause = In { $code }, { $weight } depends on { $name }, which the same optimizer trains: the value is pushed to change the weights of the log-probabilities, not to predict.
    .repair = Detach the weight: { $weight }.detach().
diagnosis-noise-scaled = The noise does not have the variance that the divergence says
    .cause = The divergence takes { $variance } as the variance. { $code } scales the noise by { $scale }, { $how ->
        [none] the logarithm itself
        [uniform] but that noise is uniform from 0 to 1, not normal: its mean is 0.5
       *[power] whose square is another number
    }.
    .repair = { $how ->
        [uniform] Draw normal noise: torch.randn_like.
       *[power] Scale the noise by the square root of the variance: with { $log } for log σ², (0.5 * { $log }).exp().
    }
diagnosis-divergence-falls = The divergence has the wrong sign
    .cause = The loss falls as { $code } grows, in every backward and for every entry: training pushes the means and variances of { $variance } away without bound.
    .repair = Flip the sign: the divergence is −0.5 · Σ (1 + log σ² − μ² − σ²).
diagnosis-state-empty = The state is always 0
    .cause = { $what ->
        [cell] { $code } begins with zeros in each of the { COUNTED($steps, "step", "steps") } before the first backward, and in all later ones
       *[layer] { $code } gets sequences of one step and begins with zeros
    }: { $name } multiplies zeros, never gets a gradient other than 0, and nothing is remembered.
    .repair = { $what ->
        [cell] Create the state once before the loop over the steps, and give the result of each step to the next.
       *[layer] Give the layer whole sequences, with time on its own axis; or give it the last state.
    }
diagnosis-inputs-rescaled = Training and evaluation get differently scaled inputs
    .cause = { $how ->
        [evaluation] The evaluation on { $name } gives the model whole numbers up to 255. It learns from { $other }, small fractions.
       *[training] The evaluation on { $name } gives the model small fractions. It learns from { $other }, whole numbers up to 255.
    }
    .repair = Scale both in the same way, as by x / 255.
diagnosis-eps-as-momentum = { $eps } is eps here, not momentum
    .cause = The second argument of { $code } is eps: { $eps } is added to each variance, and momentum stays 0.1.
    .repair = Name the argument. torch's momentum is the share of the new batch: momentum={ $eps } elsewhere is often 1 minus that here.
diagnosis-noise-repeats = The noise is the same in every round
    .cause = { $code } draws the same values in each of { COUNTED($rounds, "round", "rounds") }: the generator begins with the same seed every time. The loss is always that of this one draw.
    .repair = Seed once before the loop.
diagnosis-policy-upside-down = Steps make actions less likely where { $weight } is above 0
    .cause = The loss falls as the log-probability in { $code } falls wherever { $weight } is above 0, and the optimizer makes the loss smaller.
    .repair = Turn the sign around: the loss is −log_prob · { $weight }.
diagnosis-target-never-follows = The target network keeps its random weights
    .cause = { $code } takes the value of the next state from a second network. No line copies weights into it: { $name } still has its first random entries, while { $other } is trained.
    .repair = Copy the weights at the start and every few steps: target.load_state_dict(online.state_dict()).
diagnosis-target-out-of-reach = The targets are out of reach
    .cause = { $code } compares { $made } with { $target }, which has entries from { $low } to { $high }. A { $function } never returns values that { $function ->
        [relu] are below 0
        [sigmoid] are below 0 or above 1
       *[tanh] are below −1 or above 1
    }.
    .repair = Leave the last { $function } out, or scale the targets into its range.
diagnosis-padding-learned = The loss counts the padding
    .cause = Where { $ids } is { $padding }, the padding of { $embedding }, the target is { $number } and nowhere else. { $code } averages these positions too: a part of the training is spent on padding.
    .repair = Leave them out: ignore_index={ $number }.
diagnosis-mean-averaged = A sum of means is divided by the number of examples
    .cause = { $loss } is already a mean over { COUNTED($rows, "example", "examples") }, and { $total } adds one of them per batch. Dividing by the number of examples makes the average too small by a factor of the batch size.
    .repair = Divide by the number of batches, len(loader), or add { $loss }.item() times the batch size.
diagnosis-shuffled-alone = The examples are shuffled, their targets are not
    .cause = { $code } puts the { COUNTED($rows, "example", "examples") } into a random order. { $target }, which the loss compares with them, stays in the order of the data, so examples meet targets of others.
    .repair = Use the same permutation for both, as in order = torch.randperm(n); x, y = x[order], y[order].

# Of the steps of a training. $step, $before: a step, as "48 (epoch = 3, i = 17)".

diagnosis-began = It begins at step { $began }.
diagnosis-of-part = This counts only the recorded part of the run.
diagnosis-thinned = Of this loop one step in { $stride } was kept: it may have begun a little before.
diagnosis-loss-nonfinite = The loss becomes { $what }
    .cause = The loss is { $what } { $stays ->
        [yes] from step { $step } on.
       *[no] at step { $step }.
    }{ $how ->
        [line] {" "}{ $code } on line { $line } turns finite numbers into { $made }.
        [update] {" "}The update after step { $before } made { $parameter } infinite.
        [gradient] {" "}The update after step { $before } used a gradient of { $parameter } with NaN or infinity in it.
       *[unknown] {""}
    }
    .repair = { $how ->
        [line] Keep the inputs of { $code } in the range where its result is finite. If the updates pushed them out of it, use a smaller learning rate.
        [unknown] Find the first tensor that is not finite; the report says where NaN and infinity start.
       *[other] Take a smaller learning rate, or clip the gradients.
    }
diagnosis-gradient-nonfinite = A gradient becomes NaN or infinite
    .cause = At step { $step } the loss is still { $loss }, but { $leaves ->
        [one] the gradient of { $names } holds
       *[other] the gradients of { $names } hold
    } NaN or infinity.
    .repair = Keep the inputs of functions with an infinite slope, such as the square root, away from that place. If the steps carried them there, take a smaller learning rate.
diagnosis-zero = { $which ->
        [every] Every gradient becomes 0
       *[some] Gradients stay 0
    }
    .cause = { $which ->
        [every] From step { $step } on every gradient is exactly 0: nothing learns any more.
        [always] { $leaves ->
            [one] The gradient of { $names } is
           *[other] The gradients of { $names } are
        } exactly 0 in every step.
       *[some] From step { $step } on { $leaves ->
            [one] the gradient of { $names } is
           *[other] the gradients of { $names } are
        } exactly 0.
    }{ $how ->
        [reverse] {" "}The reverse direction begins at the last input, and { $code } takes the step at which it has read just that one: its recurrent weights are not used yet.
        [flat] {" "}{ $code } in line { $line } has slope 0 for every one of its inputs, so no gradient passes.
       *[unknown] {""}
    }
    .repair = { $how ->
        [reverse] Take the last state of each direction, as in torch.cat((h[-2], h[-1]), dim=1), where h is the layer's final hidden state.
        [flat] Use a function that has a slope there, such as LeakyReLU. If the steps carried its inputs there, take a smaller learning rate.
       *[unknown] Ask Why? in the graph of that step: it names the place at which the gradient becomes 0.
    }
diagnosis-vanishing = The gradient vanishes on its way to { $name }
    .cause = { $always ->
        [yes] The gradient of { $name } is below 1e−7 in every step
       *[no] The gradient of { $name } is below 1e−7 from step { $step } on
    }, { $norm } in the end; that of { $other }, nearer to the loss, is about { $large }.{ $moves ->
        [no] {" "}It never moves.
        [rounded] {" "}It never moves: what the optimizer adds is lost in rounding.
       *[yes] {""}
    }
    .repair = { $normalized ->
        [yes] Ask Why? in the graph of that step: it follows the gradient from operation to operation.
       *[no] Use ReLU, normalization or skip connections between the layers.
    }
diagnosis-dead-units = { $dead } of { $units } units of { $layer } are dead
    .cause = They get no gradient { $always ->
        [yes] in any step.
       *[no] from step { $step } on.
    }
    .repair = Use LeakyReLU, or take a smaller learning rate.
diagnosis-unmoved = { $which ->
        [all] Nothing moves
       *[some] { $leaves ->
            [one] { $names } never moves
           *[other] { $names } never move
        }
    }
    .cause = { $which ->
        [all] In the end { $leaves ->
            [one] the parameter is what it was.
           *[other] all { $leaves } parameters are what they were.
        }
       *[some] The gradient is not 0, but the values stay what they were.
    }{ $how ->
        [rate] {" "}The learning rate is 0.
        [emptied] {" "}Each step finds a .grad of 0, though backward brought more: something writes zeros between the two.
        [nothing] {" "}No step of an optimizer changes { $leaves ->
            [one] it.
           *[other] them.
        }
       *[unknown] {""}
    }
    .repair = { $how ->
        [rate] Give the optimizer a learning rate that is not 0.
        [emptied] Clear or change .grad after step(), or before backward(), not between them.
        [unknown] Look at what is between backward() and step(), and at what writes to the parameters afterwards.
       *[nothing] Hand them to an optimizer, and call its step().
    }
diagnosis-rate-zero = The learning rate falls to 0
    .cause = It is 0 from step { $step } on, { $rate } before: nothing learns any more.
    .repair = End the schedule later, or above 0.
