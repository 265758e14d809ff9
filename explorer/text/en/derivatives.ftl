# The Derivatives page.

derivatives-title = Derivatives
derivatives-lede = Move the second point towards the first. The secant’s slope settles on one number: the derivative.
derivatives-f = f({ $names })
derivatives-at = at x
derivatives-low = x from
derivatives-high = to
derivatives-try = Examples
derivatives-try-first = Choose a function
derivatives-def = { $of ->
    [g] Write f(x, y) as a def
    [outputs] Write the outputs as a def
   *[other] Write a def
}
derivatives-def-hint = Write f as a function with several lines, with loops and if
derivatives-line = { $of ->
    [g] f(x, y) as one expression
    [outputs] The outputs as one expression
   *[other] One expression
}
derivatives-ctrl-enter = Ctrl+Enter draws it
derivatives-run = Draw it
derivatives-run-hint = This function came with a link. It runs when you ask for it.
derivatives-by-autograd = by autograd
derivatives-autograd-answers = autograd answers { $slope }
derivatives-no-slope = no { $name }′({ $at })
derivatives-tangent-line = tangent

derivatives-picture = Graph of { $text } with tangent and secant at { $at }
derivatives-point = Point on the curve; arrow keys move it
derivatives-slider = Distance h of the second point
derivatives-secant = secant
derivatives-tangent = tangent
derivatives-quotients = Difference quotient
derivatives-quotients-lede = Rise over run between { $at } and { $at } { $way } h.
derivatives-quotient = quotient
derivatives-from-left = quotient from the left
derivatives-from-right = from the right

derivatives-note-constant = A constant: every quotient is 0, so its derivative is 0 everywhere.
derivatives-note-kink = No derivative at { $at }: the quotients tend to { $left } from the left and to { $right } from the right.
derivatives-note-vertical = No derivative at { $at }: the quotients tend to { $left } from both sides, so the tangent is vertical.
derivatives-note-answer = autograd answers { $slope }, by convention.
derivatives-note-differs = The quotients tend to { $limit }, but autograd answers { $slope }. autograd applies one rule per operation, so detach, a convention at a kink, or a custom backward can lead to another number.
derivatives-note-restless = No derivative at { $at }: the quotients keep oscillating as h gets smaller.
derivatives-note-jump = No derivative at { $at }: f jumps there. It tends to { $left } from the left and to { $right } from the right; f({ $at }) = { $value }.
derivatives-note-jumps = No derivative at { $at }: f jumps there.
derivatives-note-pole = f is unbounded at { $at }: it tends to { $left } from the left and to { $right } from the right.
derivatives-note-pole-left = f is unbounded left of { $at }: it tends to { $left }.
derivatives-note-pole-right = f is unbounded right of { $at }: it tends to { $right }.
derivatives-note-hole = f({ $at }) is { $value }, but f tends to { $limit } from both sides: only this point is missing.
derivatives-note-end-left = f ends at { $at }: only quotients from the left exist, and they tend to { $slope }.
derivatives-note-end-right = f begins at { $at }: only quotients from the right exist, and they tend to { $slope }.
derivatives-note-nan = f({ $at }) = { $value } is finite, yet autograd’s slope is NaN. Somewhere 0 is multiplied by ∞ or NaN, possibly in a branch of where that is not taken.
derivatives-note-domain = f({ $at }) is { $value }: the point is outside the domain of f.
derivatives-note-infinite = f({ $at }) is { $value }: either f is unbounded here, or its value is too large for float64.
derivatives-note-pointwise = f doesn't accept many x at once, so it was called for each of { $count } points.
derivatives-note-trouble = No value at x = { $where }: { $why }
derivatives-note-trouble-more = No value at { $count } kinds of points, first at x = { $where }: { $why }

derivatives-python = In Python:
derivatives-open-two = Open f(x, y) as a program
derivatives-open-vector = Open the Jacobian as a program
derivatives-more = More
derivatives-more-orders = f′, f″, …
derivatives-more-two = Two variables
derivatives-more-vector = Vector functions

derivatives-orders-lede = Each derivative is computed by running autograd on the previous one, with create_graph=True. Orange is above zero, blue below.
derivatives-orders-picture = f and its first four derivatives, one below another

derivatives-precision-title = How small should h be?
derivatives-precision = { $course ->
    [both] The error falls with h, until rounding takes over: f(x + h) and f(x) then agree in most digits.
    [falls] The error falls with h.
    [small] For small h the quotients are exact.
    [rounding] The only error here is rounding.
    [exact] Every quotient is exact here.
   *[none] The quotients and autograd have no common slope here, so there is no error to draw.
}
derivatives-errors-picture = Error of the difference quotient over h, in three dtypes
derivatives-error-axis = |quotient − { $slope }|

derivatives-two-lede = The gradient points uphill, across the level lines, and is as long as the tangent plane is steep.
derivatives-two-at = at ({ $names })
derivatives-two-x = { $name } from, to
derivatives-rate = rate
derivatives-steps = steps
derivatives-step = step
derivatives-two-kink = No derivative along { $name } here: the quotients tend to { $left } from below and to { $right } from above. autograd answers { $slope }.
derivatives-two-none = No derivative along { $name } here. autograd answers { $slope }.
derivatives-two-differs = Along { $name } the quotients tend to { $left }, but autograd answers { $slope }.
derivatives-at-point = At the point
derivatives-hessian = Hessian
derivatives-surface = Surface and tangent plane
derivatives-contours = Level lines, gradient, gradient descent
derivatives-descent = Gradient descent, { COUNTED($steps, "step", "steps") } at rate { $rate }: f goes from { $first } to { $last }.
derivatives-descent-diverges = Gradient descent diverges: { COUNTED($steps, "step", "steps") } at rate { $rate } take f from { $first } to { $last }.
derivatives-descent-nan = Gradient descent stops: after { COUNTED($step, "step", "steps") } the gradient is not finite.
derivatives-descent-limit = On a parabola with this Hessian it converges below rate { $limit } = 2 / largest eigenvalue.

derivatives-vector-lede = Row i of the Jacobian is the gradient of output i. backward never builds it: it multiplies it by a vector.
derivatives-vector-field = outputs
derivatives-vector-f = outputs, separated by commas
derivatives-vector-at = at ({ $names })
derivatives-vector-v = v, one entry per output
derivatives-vector-u = u, one entry per input
derivatives-jacobian = Jacobian
derivatives-vjp = Vector-Jacobian product v · J
derivatives-jvp = Jacobian-vector product J · u
derivatives-vjp-cost = One backward pass. The whole Jacobian takes { $rows }: one per row.
derivatives-jvp-cost = One forward pass. The whole Jacobian takes { $columns }: one per column.

derivatives-try-parabola = 3x² − 4x at 1
derivatives-try-pole = x³ − 1/x at 1
derivatives-try-mixed = log(x²) · sin x + 1/x at 1
derivatives-try-cubic = x³ at 2
derivatives-try-relu = relu at its kink
derivatives-try-maximum = maximum of equal values: ½
derivatives-try-abs = |x| at 0
derivatives-try-branch = a Python if
derivatives-try-root = square root at 0
derivatives-try-root-of-square = √x² at 0: NaN
derivatives-try-where = where produces NaN
derivatives-try-where-mended = where, fixed
derivatives-try-round = round: slope 0
derivatives-try-straight-through = round, straight through
derivatives-try-reversed = gradient reversal
derivatives-try-sigmoids = ten sigmoids
derivatives-try-residual = ten residual sigmoids
derivatives-try-power = x²⁰
derivatives-try-tan = tan x and its poles
derivatives-try-bowl = a bowl
derivatives-try-saddle = a saddle
derivatives-try-rosenbrock = Rosenbrock’s valley at its minimum
derivatives-try-line = fitting a line: rate .1 converges
derivatives-try-line-diverges = fitting a line: rate .13 diverges
derivatives-try-norm = distance at 0, written out: NaN
derivatives-try-logsumexp = log of exponentials: overflow
derivatives-try-logaddexp = the same by logaddexp
derivatives-try-two-by-two = (x²y, 5x + sin y)
derivatives-try-polar = polar coordinates
derivatives-try-softmax = softmax of three
derivatives-try-wide = one output, four inputs

derivatives-stale = Last successful picture.
derivatives-place-line = line { $line }
derivatives-problem-empty = There is no function yet. Write an expression in { $names }, such as x**2.
derivatives-problem-stopped = You stopped the run. Press Run or change the function to start it again.
derivatives-problem-long = The function is too long: at most { $most } characters.
derivatives-problem-statement = This is more than one expression. Use one, or write a def with several lines.
derivatives-problem-syntax = Invalid Python syntax.
derivatives-problem-fails = f stopped with an error.
derivatives-problem-no-tensor = f must return a tensor computed from { $names }; it returned something else.
derivatives-problem-vector = f must return one number; it returned a tensor of shape { $shape }.
derivatives-problem-no-vector = f must return a vector or several numbers; it returned a tensor of shape { $shape }.
derivatives-problem-complex = f must return a real number; it returned a complex one.
derivatives-problem-dtype = f must return a floating-point number; it returned { $dtype }, which has no derivative.
derivatives-problem-cut = f changes with { $names }, but autograd has no path back to it: detach, item, math or a plain number cuts it.
derivatives-problem-random = f is random: two calls at the same point returned { $first } and { $second }.
derivatives-problem-nowhere = f has no finite value between { $low } and { $high }.
derivatives-problem-nowhere-2 = f has no finite value in this window.
derivatives-problem-limit-time = f did not end within { $bound } s.
derivatives-problem-limit = f exceeded a limit of this run ({ $limit }).
derivatives-problem-refused = { $what } is not available in programs here.
derivatives-problem-window-number = The window needs two numbers.
derivatives-problem-window-reversed = The window ends before it begins: { $low } to { $high }. Swap them.
derivatives-problem-window-empty = The window has no width: it begins and ends at { $low }.
derivatives-problem-window-narrow = The window from { $low } to { $high } is too narrow: the points of the curve would differ only in their last digits.
derivatives-problem-point-number = The point must be a number.
derivatives-problem-number = “{ $found }” is not a number. { $field } needs one, such as 0.5 or 1e-3.
derivatives-problem-numbers = “{ $found }” is not a list of numbers. { $field } needs numbers separated by commas, such as 1, 0.5.
derivatives-problem-count = { $field } needs { COUNTED($wanted, "number", "numbers") }, not { $found }.
derivatives-problem-steps = Gradient descent takes 0 to 200 steps here, not { $found }.

derivatives-hint-right-side = Write only the right side of the equals sign.
derivatives-hint-number = torch’s functions take tensors. For a plain number write 2**0.5 or math.sqrt(2).
derivatives-hint-bars = Write the absolute value as abs(x).
derivatives-hint-numpy = Use torch’s functions, without np: sin(x), exp(x), …
derivatives-hint-call = Put a function’s argument in parentheses: sin(x), not sinx.
derivatives-hint-name = Use the variables of f and torch functions such as sin, exp and relu.
derivatives-hint-ln = The natural logarithm is log(x).
derivatives-hint-no-rule = torch has no derivative for this operation. Write whole division a // b as floor(a / b).
derivatives-hint-scalar = max, min and if look at single numbers. On a tensor, use maximum, minimum and where.
derivatives-hint-torch = math’s functions return plain numbers, which autograd can't follow: use sqrt(x), sin(x), …
