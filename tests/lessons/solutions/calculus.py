"""Further right answers of the chapter calculus."""

SOLUTIONS = {
    "calculus/difference-quotient rescue": [
        [("torch.tensor(2.0)", "torch.tensor(2.0).double()")],
        [("import torch\n", "import torch\ntorch.set_default_dtype(torch.float64)\n")],
    ],
    "calculus/tangent other": [
        [("torch.tensor(3.0", "torch.tensor(-3.0")],
        [("torch.tensor(3.0, requires_grad=True)", "torch.full((), -3.0, requires_grad=True)")],
    ],
    "calculus/plotting touch": [
        [("(0, 3, 4)", "(0, 3, 31)"), ("line = 2 * x", "line = 3 * x - 2.25")],
        [("(0, 3, 4)", "(0, 3, 100)"), ("line = 2 * x", "a = 1.5\nline = a ** 2 + 2 * a * (x - a)")],
    ],
    "calculus/rules constant": [
        [("v = 3 * x + 1", "v = 1 / (x * x)")],
        [("v = 3 * x + 1", "v = 1 / u")],
    ],
    "calculus/gradient find": [
        [("[1.0, 2.0]", "[-2.0, -3.0]")],
        [("[1.0, 2.0]", "[4 / 2, 6 / 2]")],
    ],
    "calculus/chain-rule seventy-two": [
        [("u = 3 * x + 1", "u = 6 * x")],
        [("u = 3 * x + 1", "u = 4 * x + 5")],
    ],
}
