# What an example shows, in one sentence, and one question to think about, shown while its program is unchanged.

close = Close
lesson-dismiss = Close this line

example-see-two-paths = w is used twice, so its gradient is a sum: 2 arrives through a, 3 through b.
example-ask-two-paths = What is w.grad if line 4 is b = w * 1?
example-see-chain-rule = Each wire multiplies by one local derivative: −2 reaches a*b, and times b = −3 this is 6 at a.
example-ask-chain-rule = If a grows by 0.01, by how much does L grow?
example-see-vector = y has four entries, so backward needs a weight for each: x.grad is 2 · x · v.
example-ask-vector = Which v makes x.grad the derivative of y.sum()?
example-see-accumulate = The second backward adds its ones to the 4 · x that x.grad already held.
example-ask-accumulate = Where does x.grad.zero_() have to be so that the second print shows only ones?
example-see-detach = For backward u is a constant: z = u · x gives u = x², not the 3 · x² of x³.
example-ask-detach = What would x.grad be without .detach()?
example-see-control-flow = Autograd records what ran: twelve doublings, so the slope is 4096 = d / a.
example-ask-control-flow = Does the slope stay the same if a grows a little, and where does it change?
example-see-training = Each round builds a new graph, which its backward frees. The picture shows the last graph, when the loss is 0.16.
example-ask-training = What happens to the loss without zero_grad?
example-see-second-derivative = create_graph=True gives the gradient 3 · x² its own graph, so it can be differentiated again: 6 · x.
example-ask-second-derivative = Both are 12 here. At which other x are they equal?
example-see-broadcast-trap = (3, 1) against (3,) gives (3, 3) differences: each prediction is compared with all three targets, and the gradient is 0 although two are wrong.
example-ask-broadcast-trap = What shape must target have, and what is the gradient then?
example-see-where-nan = where does not choose sqrt(x) at −1 and 0, but its backward runs there too: 0 times infinity or NaN is NaN.
example-ask-where-nan = How can you keep sqrt from ever seeing these two entries?
example-see-overflow = exp(1000) overflows 32 bits to infinity, and in backward 0 times infinity is NaN. The true gradient is ½ for each.
example-ask-overflow = Does torch.logsumexp(x, 0) do better, and why?
example-see-silently-wrong = y was computed with x = 2, but backward reads x after the write through .data, when it is 20. The gradient is 40 instead of 4, without a warning.
example-ask-silently-wrong = What does torch do if line 3 is x.detach().mul_(10)?
example-see-backward-twice = The first backward frees the graph's saved values, so the second has nothing to multiply with.
example-ask-backward-twice = What is x.grad if line 3 is y.backward(retain_graph=True)?
example-see-classifier = The gradient of cross entropy at the scores is softmax minus one-hot, divided by the number of examples, 2.
example-ask-classifier = Why does each row of that gradient sum to 0?
example-see-attention = Each row of weights shows how much of each value one query takes. The rows add up to 1.
example-ask-attention = Which of Q, K and V would still get a nonzero gradient if softmax returned a constant?
example-see-first = Twelve entries become shape (3, 4), then three sums, then one number. The gradient flows back through all three to Y.
example-ask-first = What is the shape of Y's gradient, and which tensors never get a gradient?
example-see-views = X, T, row, column and block are views: they read the memory of x. flat had to be copied.
example-ask-views = The write to X[1, 2] changes several names at once. Which, and why not flat?
example-see-kinds = A dtype determines which numbers exist: bfloat16 turns 65504 into 65536, half keeps it.
example-ask-kinds = What does half make of 65505, and what of 70000?
example-see-ranks = The weights (3, 1, 1) stretch over every pixel of both images, and the sum over axis 1 makes them grey.
example-ask-ranks = How many entries of images.grad are not 0?
example-see-numpy = numpy(), from_numpy, detach and data share memory. tensor(n) and clone copy.
example-ask-numpy = raw is multiplied by 100. Which of w, kept and apart change with it?
example-see-wrong = Six of the seven cells fail, each for a different reason. torch's messages say why.
example-ask-wrong = huge has a billion entries. How many bytes does it take?

bc-ask-outer = Which entries of the result change when one entry of a does?
bc-ask-product = Which numbers add up to the 1, and which to the 3?
bc-ask-mse = What shape must the target have so that the loss is 0?
bc-ask-centre = Which keyword of mean makes the shapes fit?
bc-ask-silent = Nothing fails. How would you notice?
bc-ask-rows = What shape must the sums have so that each row is divided by its own sum?
bc-ask-keepdim = What does each row of the result add up to?
bc-ask-scalar = How many numbers add up to the gradient of the scalar?
bc-ask-empty = What is an empty sum?
bc-ask-flat = Over which axis is the gradient of a summed, and over which is b's?
bc-ask-deep = How many times is one entry of b read?
bc-ask-box = Over which axes is the gradient of the row summed?
bc-ask-three = Does the order of the operands matter for the shape of the result?

derivatives-see-parabola = The slope at 1 is 2. The smaller h is, the closer the quotient.
derivatives-ask-parabola = Where is the slope 0?
derivatives-see-pole = Wherever the function is defined its slope is positive, 4 at x = 1.
derivatives-ask-pole = Does the curve then rise everywhere?
derivatives-see-mixed = Product, chain and quotient rule in one line: the slope at 1 is 2 · sin 1 − 1.
derivatives-ask-mixed = Which of the three terms of the derivative vanishes at x = 1?
derivatives-see-cubic = The slope is 3 · x²: 12 at 2, and never negative.
derivatives-ask-cubic = At 0 it is 0. Is that a minimum?
derivatives-see-relu = From the left the slope is 0, from the right 1. There is no derivative at 0, and autograd returns 0.
derivatives-ask-relu = Would any other number between 0 and 1 be just as good?
derivatives-see-maximum = The same curve as relu, but where the two are equal autograd gives each half of the gradient, so the slope at 0 is ½.
derivatives-ask-maximum = One function, written in two ways, has two answers. Is one of them wrong?
derivatives-see-abs = From the left the slope is −1, from the right 1. There is no derivative at 0, and autograd returns 0.
derivatives-ask-abs = Which lines through 0 stay below the curve?
derivatives-see-branch = Autograd follows the branch that ran. At 1 this is x, with slope 1.
derivatives-ask-branch = Which branch runs at 0, and what is the slope then?
derivatives-see-root = At 0 the curve is vertical: its slope is infinite.
derivatives-ask-root = What does a gradient of 0 become when multiplied by this slope?
derivatives-see-root-of-square = The curve is that of |x|, but the chain rule multiplies 0 by infinity at 0: NaN.
derivatives-ask-root-of-square = Which other way of writing it avoids that?
derivatives-see-where = At −1 the curve has slope 1, but autograd returns NaN, because the branch that was not chosen is differentiated too.
derivatives-ask-where = Why doesn't it help that this branch's gradient is multiplied by 0?
derivatives-see-where-mended = The inner where passes 1 to sqrt wherever x is not positive, so the slope at −1 is 1.
derivatives-ask-where-mended = Why must the inner where be inside sqrt and not outside?
derivatives-see-round = Between its jumps the curve is flat, so the slope is 0 wherever it exists.
derivatives-ask-round = How far does gradient descent get on it?
derivatives-see-straight-through = The value is round(x), but for autograd the detached part is a constant, so the slope is 1.
derivatives-ask-straight-through = The quotients are 0, autograd says 1. Which of them does a network train with?
derivatives-see-reversed = The function is x², but its custom backward flips the sign: autograd returns −6, while the quotients are 6.
derivatives-ask-reversed = Where would gradient descent go?
derivatives-see-sigmoids = Each sigmoid multiplies the slope by at most ¼. After ten of them, 0.0000004 is left.
derivatives-ask-sigmoids = About how much would twenty leave?
derivatives-see-residual = Adding x in every round keeps the slope at 1 or more. Here it is 2.24 after ten rounds.
derivatives-ask-residual = Why can no round make it smaller?
derivatives-see-power = At 0.5 the slope is 0.00004, at 1 it is 20.
derivatives-ask-power = What does that mean for a weight that starts near 0?
derivatives-see-tan = At 0 the slope is 1. Towards the poles it grows without bound.
derivatives-ask-tan = Is there an x where it is below 1?
derivatives-see-bowl = The negative gradient crosses the contour at a right angle. It is the steepest way down.
derivatives-ask-bowl = Does it point at the minimum?
derivatives-see-saddle = Down along y, up along x: at 0 the gradient is 0, but it is not a minimum.
derivatives-ask-saddle = Where does descent from (1, 0) end?
derivatives-see-rosenbrock = At its minimum the gradient is 0. The valley there is steep across and almost flat along.
derivatives-ask-rosenbrock = Why does descent need such a small rate for it?
derivatives-see-line = Each point of the plane is a line w · x + b. At w = 2, b = 1 it passes through all four points.
derivatives-ask-line = Why are the contours tilted?
derivatives-see-line-diverges = With rate 0.13 every step lands farther away, on the other side of the valley.
derivatives-ask-line-diverges = Which number sets the highest rate that works?
derivatives-see-norm = At 0 the root's slope is infinite and is multiplied by 0, so the gradient is NaN.
derivatives-ask-norm = What would be a sensible answer there?
derivatives-see-logsumexp = exp(1000) is infinite in 32 bits, so there is no gradient to follow.
derivatives-ask-logsumexp = What can you subtract from both numbers first and add back at the end?
derivatives-see-logaddexp = The same function, computed without large numbers: the gradient is ½ for both.
derivatives-ask-logaddexp = Why do the two always add up to 1?
derivatives-see-two-by-two = One row for each output, one column for each input: vᵀJ mixes rows, J u mixes columns.
derivatives-ask-two-by-two = Which v gives the first row?
derivatives-see-polar = The two columns are at right angles. The determinant is the radius, 2.
derivatives-ask-polar = What happens to the columns when the radius is 0?
derivatives-see-softmax = The matrix is symmetric, and each of its rows adds up to 0.
derivatives-ask-softmax = Which property of softmax causes this?
derivatives-see-wide = With one output the Jacobian is a single row, and one backward computes all of it.
derivatives-ask-wide = How many products J u would you need instead?
