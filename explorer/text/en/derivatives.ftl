# The Derivatives page.

derivatives-lede =
    .one = Move the second point towards the first. The secant’s slope settles on one number: the derivative.
    .two = The gradient points uphill, across the level lines. Its length is the steepness of the tangent plane.
derivatives-f = f({ $names })
derivatives-at = at x
derivatives-low = x from
derivatives-high = to
derivatives-try-first = Choose a function
derivatives-def = Write a def
derivatives-def-hint = Write f as a function of several lines, which may use loops and if
derivatives-line = One expression
derivatives-ctrl-enter = Ctrl+Enter draws it
derivatives-run = Draw it
derivatives-run-hint = This function is from a link. Press Draw it to run it.
derivatives-by-autograd = by autograd
derivatives-autograd-answers = autograd returns { $slope }
derivatives-no-slope = no { $name }′({ $at })

derivatives-picture = Graph of { $text } with tangent and secant at { $at }
derivatives-point = Point on the curve. Arrow keys move it
derivatives-slider = Distance h of the second point
derivatives-secant = secant
derivatives-tangent = tangent
derivatives-quotients = Difference quotient
derivatives-quotients-lede = Rise over run between { $at } and { $at } { $way } h.
derivatives-quotient = quotient
derivatives-from-left = quotient from the left
derivatives-from-right = from the right

derivatives-note =
    .constant = A constant: every quotient is 0, so its derivative is 0 everywhere.
    .kink = No derivative at { $at }: the quotients tend to { $left } from the left and to { $right } from the right.
    .vertical = No derivative at { $at }: the quotients tend to { $left } from both sides, so the tangent is vertical.
    .answer = autograd returns { $slope }, by convention.
    .differs = The quotients tend to { $limit }, but autograd returns { $slope }. autograd applies one rule per operation, so detach, a convention at a kink, or a custom backward can lead to another number.
    .restless = No derivative at { $at }: the quotients keep oscillating as h gets smaller.
    .jump = No derivative at { $at }: f jumps there.{ $finite ->
            [yes] {" "}It tends to { $left } from the left and to { $right } from the right, and f({ $at }) = { $value }.
           *[no] {""}
        }
    .pole = f is unbounded { $side ->
            [left] left of { $at }: it tends to { $left }.
            [right] right of { $at }: it tends to { $right }.
           *[both] at { $at }: it tends to { $left } from the left and to { $right } from the right.
        }
    .hole = f({ $at }) is { $value }, but f tends to { $limit } from both sides: only this point is missing.
    .end = f { $side ->
            [left] ends
           *[right] begins
        } at { $at }: only quotients from the { $side } exist, and they tend to { $slope }.
    .nan = f({ $at }) = { $value } is finite, yet autograd’s slope is NaN. Somewhere 0 is multiplied by ∞ or NaN, possibly in an unused branch of torch.where.
    .domain = f({ $at }) is { $value }: the point is outside the domain of f.
    .infinite = f({ $at }) is { $value }: either f is unbounded here, or its value is too large for float64.
    .pointwise = f doesn't accept many x at once, so it was called for each of { $count } points.
    .trouble = No value at { $count ->
            [one] x
           *[other] { $count } kinds of points, first at x
        } = { $where }: { $why }

derivatives-python = In Python:
derivatives-variables = Number of variables
    .one = One variable
    .two = Two variables


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

derivatives-two-at = at ({ $names })
derivatives-two-x = { $name } from, to
derivatives-rate = rate
derivatives-steps = steps
derivatives-step = step
derivatives-two-sides = { $kind ->
        [differs] Along { $name } the quotients tend to { $left }, but autograd returns { $slope }.
        [kink] No derivative along { $name } here: the quotients tend to { $left } from below and to { $right } from above. autograd returns { $slope }.
       *[none] No derivative along { $name } here. autograd returns { $slope }.
    }
derivatives-at-point = At the point
derivatives-hessian = Hessian
derivatives-surface = Surface and tangent plane
derivatives-contours = Level lines, gradient, gradient descent
derivatives-descent = Gradient descent{ $diverges ->
        [yes] {" "}diverges
       *[no] {""}
    }: { COUNTED($steps, "step", "steps") } at rate { $rate } take f from { $first } to { $last }.
derivatives-descent-nan = Gradient descent stops: after { COUNTED($step, "step", "steps") } the gradient is not finite.
derivatives-descent-limit = On a quadratic function with this Hessian it converges below rate { $limit } = 2 / largest eigenvalue.


derivatives-try-parabola = 3x² − 4x at 1
    .see = The slope at 1 is 2. The smaller h is, the closer the quotient.
    .ask = Where is the slope 0?
derivatives-try-pole = x³ − 1/x at 1
    .see = Wherever the function is defined its slope is positive, 4 at x = 1.
    .ask = Does the curve then rise everywhere?
derivatives-try-mixed = log(x²) · sin x + 1/x at 1
    .see = Product, chain and quotient rule in one line: the slope at 1 is 2 · sin 1 − 1.
    .ask = Which of the three terms of the derivative vanishes at x = 1?
derivatives-try-cubic = x³ at 2
    .see = The slope is 3 · x²: 12 at 2, and never negative.
    .ask = At 0 it is 0. Is that a minimum?
derivatives-try-relu = relu at its kink
    .see = From the left the slope is 0, from the right 1. There is no derivative at 0, and autograd returns 0.
    .ask = Would any other number between 0 and 1 be just as good?
derivatives-try-maximum = maximum of equal values: ½
    .see = The same curve as relu, but autograd splits the gradient equally at ties, so the slope at 0 is ½.
    .ask = One function, written in two ways, has two answers. Is either of them wrong?
derivatives-try-abs = |x| at 0
    .see = From the left the slope is −1, from the right 1. There is no derivative at 0, and autograd returns 0.
    .ask = Which lines through 0 stay below the curve?
derivatives-try-branch = a Python if
    .see = Autograd follows the branch that ran. At 1 this is x, with slope 1.
    .ask = Which branch runs at 0, and what is the slope then?
derivatives-try-root = square root at 0
    .see = At 0 the curve is vertical: its slope is infinite.
    .ask = What does a gradient of 0 become when multiplied by this slope?
derivatives-try-root-of-square = √x² at 0: NaN
    .see = The curve is the same as |x|, but at 0 the chain rule multiplies 0 by infinity: NaN.
    .ask = Which other way of writing it avoids that?
derivatives-try-where = where produces NaN
    .see = At −1 the curve has slope 1, but autograd returns NaN, because the branch that was not chosen is differentiated too.
    .ask = Why doesn't it help that this branch's gradient is multiplied by 0?
derivatives-try-where-mended = where, fixed
    .see = The inner where passes 1 to sqrt wherever x is not positive, so the slope at −1 is 1.
    .ask = Why must the inner where be inside sqrt and not outside?
derivatives-try-round = round: slope 0
    .see = Between its jumps the curve is flat, so the slope is 0 wherever it exists.
    .ask = How far does gradient descent get on it?
derivatives-try-straight-through = round, straight through
    .see = The value is round(x), but for autograd the detached part is a constant, so the slope is 1.
    .ask = The quotients are 0, but autograd returns 1. Which does a network train with?
derivatives-try-reversed = gradient reversal
    .see = The function is x², but its custom backward flips the sign: autograd returns −6, while the quotients are 6.
    .ask = Where would gradient descent go?
derivatives-try-sigmoids = ten sigmoids
    .see = Each sigmoid multiplies the slope by at most ¼. After ten of them, 0.0000004 is left.
    .ask = About how much would twenty leave?
derivatives-try-residual = ten residual sigmoids
    .see = Adding x in every round keeps the slope at 1 or more. Here it is 2.24 after ten rounds.
    .ask = Why can't any round make it smaller?
derivatives-try-power = x²⁰
    .see = At 0.5 the slope is 0.00004, at 1 it is 20.
    .ask = What does that mean for a weight that starts near 0?
derivatives-try-tan = tan x and its poles
    .see = At 0 the slope is 1. Towards the poles it grows without bound.
    .ask = Is it below 1 for any x?
derivatives-try-bowl = a bowl
    .see = The negative gradient crosses the contour at a right angle. It is the steepest way down.
    .ask = Does it point at the minimum?
derivatives-try-saddle = a saddle
    .see = Down along y, up along x: at 0 the gradient is 0, but it is not a minimum.
    .ask = Where does descent from (1, 0) end?
derivatives-try-rosenbrock = Rosenbrock’s valley at its minimum
    .see = At its minimum the gradient is 0. The valley there is steep across and almost flat along.
    .ask = Why does descent need such a small rate for it?
derivatives-try-line = fitting a line: rate .1 converges
    .see = Each point of the plane is a line w · x + b. At w = 2, b = 1 it passes through all four points.
    .ask = Why are the contours tilted?
derivatives-try-line-diverges = fitting a line: rate .13 diverges
    .see = With rate 0.13 every step lands farther away, on the other side of the valley.
    .ask = Which number sets the highest rate that works?
derivatives-try-norm = distance at 0, written out: NaN
    .see = At 0 the root's slope is infinite and is multiplied by 0, so the gradient is NaN.
    .ask = What would be a sensible answer there?
derivatives-try-logsumexp = log of exponentials: overflow
    .see = exp(1000) is infinite in 32 bits, so there is no gradient to follow.
    .ask = What can you subtract from both numbers first and add back at the end?
derivatives-try-logaddexp = the same with logaddexp
    .see = The same function, computed without large numbers: the gradient is ½ for both.
    .ask = Why do the two always add up to 1?

derivatives-problem =
    .empty = There is no function yet. Write an expression in { $names }, such as x**2.
    .stopped = You stopped the run. Press Run or change the function to start it again.
    .long = The function is too long: at most { $most } characters.
    .statement = This is more than one expression. Use one, or write a def with several lines.
    .syntax = Invalid Python syntax.
    .fails = f stopped with an error.
    .no-tensor = f must return a tensor computed from { $names }, but it returned something else.
    .vector = f must return one number, but it returned a tensor of shape { $shape }.
    .complex = f must return a real number, but it returned a complex number.
    .dtype = f must return a floating-point number, but it returned { $dtype }, which has no derivative.
    .cut = f changes with { $names }, but autograd has no path back to it: detach, item, math or a plain number cuts it.
    .random = f is random: two calls at the same point returned { $first } and { $second }.
    .nowhere = f has no finite value between { $low } and { $high }.
    .nowhere-2 = f has no finite value in this window.
    .limit-time = f did not end within { $bound } s.
    .limit = f exceeded a limit of this run ({ $limit }).
    .refused = { $what } is not available in programs here.
    .window-number = The window needs two numbers.
    .window-reversed = The window ends before it begins: { $low } to { $high }. Swap them.
    .window-empty = The window has no width: it begins and ends at { $low }.
    .window-narrow = The window from { $low } to { $high } is too narrow: the points of the curve would differ only in their last digits.
    .point-number = The point must be a number.
    .number = “{ $found }” is not a number. { $field } needs one, such as 0.5 or 1e-3.
    .numbers = “{ $found }” is not a list of numbers. { $field } needs numbers separated by commas, such as 1, 0.5.
    .count = { $field } needs two numbers, not { $found }.
    .steps = Gradient descent takes 0 to 200 steps here, not { $found }.

derivatives-hint =
    .right-side = Write only the right side of the equals sign.
    .number = torch’s functions take tensors. For a plain number write 2**0.5 or math.sqrt(2).
    .bars = Write the absolute value as abs(x).
    .numpy = Use torch’s functions, without np: sin(x), exp(x), …
    .call = Put a function’s argument in parentheses: sin(x), not sinx.
    .name = Use the variables of f and torch functions such as sin, exp and relu.
    .ln = The natural logarithm is log(x).
    .no-rule = torch has no derivative for this operation. Write whole division a // b as floor(a / b).
    .scalar = max, min and if look at single numbers. On a tensor, use maximum, minimum and where.
    .torch = math’s functions return plain numbers, which autograd can't follow: use sqrt(x), sin(x), …
