"""Further right answers of the chapter zero."""

SOLUTIONS = {
    "zero/slope falling": [
        [("y = x ** 2", "y = x ** 2 - 10 * x")],
        [("y = x ** 2", "y = -4 * x")],
    ],
    "zero/graph two-products": [
        [("y = p + 4", "y = (p - 2) * 6")],
        [("p = a * b", "p = a * b * 4"), ("y = p + 4", "y = p")],
    ],
    "zero/chain sixty": [
        [("u = x ** 2", "u = 2.5 * x ** 2")],
        [("y = 4 * u", "y = 4 * u + 36 * x")],
    ],
    "zero/sum nothing": [
        [("y = a + b", "y = 3 * a - 2 * b")],
        [("b = 3 * w", "b = -a")],
    ],
    "zero/clear fresh": [
        [("    y = x ** 2", "    if x.grad is not None:\n        x.grad.zero_()\n    y = x ** 2")],
        [("    y = x", "    torch.optim.SGD([x]).zero_grad()\n    y = x")],
    ],
    "zero/step bottom": [
        [("0.1 * x.grad", "x.grad / 2")],
        [("with torch.no_grad():\n    x -= 0.1 * x.grad", "torch.optim.SGD([x], lr=0.5).step()")],
    ],
}
