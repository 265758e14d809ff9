# What an example shows, in one sentence, and one question to think about; told while its program stands there unchanged.

close = Close
lesson-dismiss = Close this line

example-see-two-paths = w is used twice, so its gradient is a sum: 2 arrives through a, 3 through b.
example-ask-two-paths = What becomes of w.grad when line 4 says b = w * 1?
example-see-chain-rule = Each wire multiplies by one local derivative: −2 reaches a*b, and times b = −3 that is 6 at a.
example-ask-chain-rule = If a grows by 0.01, by how much does L grow?
example-see-vector = y has four entries, so backward needs a weight for each of them: x.grad is 2 · x · v.
example-ask-vector = Which v makes x.grad the derivative of y.sum()?
example-see-accumulate = The second backward adds its ones to the 4 · x that x.grad already held.
example-ask-accumulate = Where must x.grad.zero_() stand, so that the second print shows only ones?
example-see-detach = For backward u is a constant: z = u · x gives u = x², not the 3 · x² of x³.
example-ask-detach = What would x.grad be without .detach()?
example-see-control-flow = Autograd records what ran: twelve doublings, so the slope is 4096 = d / a.
example-ask-control-flow = Does the slope stay the same when a grows a little, and where does it change?
example-see-training = One graph per round, built anew and freed by its backward; the picture is that of the last one, when the loss is 0.16.
example-ask-training = What happens to the loss when zero_grad is left out?
example-see-second-derivative = create_graph=True makes the gradient 3 · x² a result with a graph of its own, which is differentiated once more: 6 · x.
example-ask-second-derivative = Both are 12 here. At which other x are they equal?
example-see-broadcast-trap = (3, 1) against (3,) gives (3, 3) differences: each prediction is compared with all three targets, and the gradient is 0 though two are wrong.
example-ask-broadcast-trap = Which shape must target have, and what is the gradient then?
example-see-where-nan = where does not choose sqrt(x) at −1 and 0, but its backward runs there too: 0 times infinity, or times NaN, is NaN.
example-ask-where-nan = How can sqrt be kept from ever seeing these two entries?
example-see-overflow = exp(1000) is beyond what 32 bits hold: infinity, and in backward 0 times infinity is NaN; the true gradient is ½ for each.
example-ask-overflow = Does torch.logsumexp(x, 0) do better, and why?
example-see-silently-wrong = y was computed with x = 2, but backward reads x after the write through .data, 20: the gradient is 40 in place of 4, and nothing warns.
example-ask-silently-wrong = What does torch say when line 3 is x.detach().mul_(10)?
example-see-backward-twice = The first backward frees what the graph had saved, so the second one finds nothing to multiply with.
example-ask-backward-twice = What is x.grad when line 3 says y.backward(retain_graph=True)?
example-see-classifier = What cross entropy sends back to the scores is softmax minus one-hot, divided by the two examples.
example-ask-classifier = Why does each row of that gradient sum to 0?
example-see-attention = Each row of weights says how much one query takes of each value; the rows add up to 1.
example-ask-attention = Which of Q, K and V would still get a gradient other than 0 if softmax gave a constant?

tensors-see-first = Twelve entries become shape (3, 4), then three sums, then one number; the gradient flows back through all three to Y.
tensors-ask-first = Which shape has the gradient of Y, and which tensors never get one?
tensors-see-views = X, T, row, column and block are views: they read the memory of x. flat had to be copied.
tensors-ask-views = The write to X[1, 2] changes several names at once: which, and why not flat?
tensors-see-kinds = A type decides which numbers there are: bfloat16 turns 65504 into 65536, half keeps it.
tensors-ask-kinds = What does half make of 65505, and what of 70000?
tensors-see-ranks = The weights (3, 1, 1) stretch over every pixel of both images, and the sum over axis 1 makes them grey.
tensors-ask-ranks = How many entries of images.grad are not 0?
tensors-see-numpy = numpy(), from_numpy, detach and data share memory; tensor(n) and clone copy.
tensors-ask-numpy = raw is multiplied by 100: which of w, kept and apart change with it?
tensors-see-wrong = Six of the seven cells fail, each for a reason of its own; torch says which.
tensors-ask-wrong = huge has a thousand million entries. How many bytes does it take?

bc-ask-outer = Which entries of the result change when one entry of a does?
bc-ask-product = Which numbers add up to the 1, and which to the 3?
bc-ask-mse = Which shape must the target have so that the loss is 0?
bc-ask-centre = Which keyword of mean makes the shapes fit?
bc-ask-silent = Nothing fails: how would you notice?
bc-ask-rows = Which shape must the sums have, so that each row is divided by its own?
bc-ask-keepdim = What does each row of the result add up to?
bc-ask-scalar = How many numbers add up to the gradient of the scalar?
bc-ask-empty = What is a sum of nothing?
bc-ask-flat = Over which axis is the gradient of a summed, and over which that of b?
bc-ask-deep = How often is one entry of b read?
bc-ask-box = Over which axes is the gradient of the row summed?
bc-ask-three = Does the order of the operands matter for the shape of the result?

derivatives-see-parabola = The slope at 1 is 2: the smaller h, the nearer the quotient.
derivatives-ask-parabola = Where is the slope 0?
derivatives-see-pole = Wherever the function is defined its slope is positive, 4 at x = 1.
derivatives-ask-pole = Does the curve then rise everywhere?
derivatives-see-mixed = Product, chain and quotient rule in one line: the slope at 1 is 2 · sin 1 − 1.
derivatives-ask-mixed = Which of the three terms of the derivative vanishes at x = 1?
derivatives-see-cubic = The slope is 3 · x²: 12 at 2, and never negative.
derivatives-ask-cubic = At 0 it is 0. Is that a minimum?
derivatives-see-relu = From the left the slope is 0, from the right 1: there is no derivative at 0, and autograd answers 0.
derivatives-ask-relu = Would another number between 0 and 1 do as well?
derivatives-see-maximum = The same curve as relu, but where the two are equal autograd gives each one half, so the slope at 0 is ½.
derivatives-ask-maximum = One function, written in two ways, two answers: is one of them wrong?
derivatives-see-abs = From the left the slope is −1, from the right 1: there is no derivative at 0, and autograd answers 0.
derivatives-ask-abs = Which lines through 0 stay below the curve?
derivatives-see-branch = Autograd follows the branch that ran; at 1 that is x, with slope 1.
derivatives-ask-branch = Which branch runs at 0, and what is the slope then?
derivatives-see-root = At 0 the curve stands upright: its slope is infinite.
derivatives-ask-root = What does a gradient of 0 become when it is multiplied by that?
derivatives-see-root-of-square = The curve is that of |x|, but the chain rule multiplies 0 by infinity at 0: NaN.
derivatives-ask-root-of-square = Which other way of writing it avoids that?
derivatives-see-where = At −1 the curve has slope 1, but autograd answers NaN: the branch that was not chosen is differentiated too.
derivatives-ask-where = Why does it not help that its share is multiplied by 0?
derivatives-see-where-mended = The inner where hands sqrt a 1 wherever x is not positive: the slope at −1 is 1.
derivatives-ask-where-mended = Why must the inner where stand inside sqrt and not outside?
derivatives-see-round = Between its jumps the curve is flat: the slope is 0 wherever there is one.
derivatives-ask-round = How far does gradient descent get on it?
derivatives-see-straight-through = The value is that of round(x); for autograd the detached part is a constant, so the slope is 1.
derivatives-ask-straight-through = The quotients say 0, autograd 1: which of them does a network train with?
derivatives-see-reversed = The function is x², but its own backward turns the sign: autograd says −6 where the quotients say 6.
derivatives-ask-reversed = Where would gradient descent go?
derivatives-see-sigmoids = Each sigmoid multiplies the slope by at most ¼: after ten of them 0.0000004 is left.
derivatives-ask-sigmoids = About how much would twenty leave?
derivatives-see-residual = Adding x in every round keeps a slope of at least 1: here it is 2.24 after ten.
derivatives-ask-residual = Why can no round make it smaller?
derivatives-see-power = At 0.5 the slope is 0.00004, at 1 it is 20.
derivatives-ask-power = What does that mean for a weight that starts near 0?
derivatives-see-tan = At 0 the slope is 1; towards the poles it grows without bound.
derivatives-ask-tan = Is there an x where it is below 1?
derivatives-see-bowl = Minus the gradient crosses the contour at a right angle; it is the steepest way down.
derivatives-ask-bowl = Does it point at the minimum?
derivatives-see-saddle = Down along y, up along x: at 0 the gradient is 0, and it is no minimum.
derivatives-ask-saddle = Where does descent end that starts at (1, 0)?
derivatives-see-rosenbrock = At its minimum the gradient is 0; the valley there is steep across and almost flat along.
derivatives-ask-rosenbrock = Why does descent need such a small rate for it?
derivatives-see-line = Each point of the plane is a line w · x + b; at w = 2, b = 1 it goes through all four points.
derivatives-ask-line = Why do the contours lie aslant?
derivatives-see-line-diverges = With rate 0.13 every step lands farther away, on the other side of the valley.
derivatives-ask-line-diverges = Which number sets the highest rate that works?
derivatives-see-norm = At 0 the root is upright and what it is multiplied by is 0: the gradient is NaN.
derivatives-ask-norm = What would be a sensible answer there?
derivatives-see-logsumexp = exp(1000) is infinite in 32 bits, so there is no gradient to follow.
derivatives-ask-logsumexp = What can be subtracted from both numbers first, and added again at the end?
derivatives-see-logaddexp = The same function, computed without large numbers: the gradient is ½ for both.
derivatives-ask-logaddexp = Why do the two always add up to 1?
derivatives-see-two-by-two = One row for each output, one column for each input: vᵀJ mixes rows, J u mixes columns.
derivatives-ask-two-by-two = Which v gives the first row?
derivatives-see-polar = The two columns are at right angles; the determinant is the radius, 2.
derivatives-ask-polar = What becomes of the columns when the radius is 0?
derivatives-see-softmax = The matrix is symmetric, and each of its rows adds up to 0.
derivatives-ask-softmax = Which property of softmax makes that so?
derivatives-see-wide = One output: the Jacobian is a single row, and one backward gives all of it.
derivatives-ask-wide = How many products J u would be needed for the same?
