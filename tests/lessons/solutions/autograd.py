"""Further right answers of the chapter autograd."""

SOLUTIONS = {
    "autograd/first-backward steeper": [
        [("y = x * x", "y = x ** 3")],
        [("y = x * x", "y = 27 * x")],
    ],
    "autograd/grad-fn sum": [
        [("out = b.mean()", "out = torch.sum(a ** 2)")],
        [("out = b.mean()", "out = torch.sum(b)")],
    ],
    "autograd/leaf keep": [
        [("y.backward()", "h.retain_grad()\ny.backward()")],
        [
            (
                "y.backward()\nprint(w.grad)\nprint(h.grad)",
                "dw, dh = torch.autograd.grad(y, (w, h))\nprint(dw)\nprint(dh)",
            )
        ],
    ],
    "autograd/requires-grad in-time": [
        [("torch.tensor(3.0)", "torch.tensor(3.0, requires_grad=True)")],
        [("x.requires_grad_()", "x.requires_grad_()\ny = x * x")],
    ],
    "autograd/requires-grad whole": [
        [("torch.tensor(3.0)", "torch.tensor(3)")],
        [("torch.tensor(3.0)", "torch.tensor(3, dtype=torch.int32)")],
    ],
    "autograd/accumulate fresh": [
        [("    print(step, x.grad)", "    print(step, x.grad)\n    if step < 2:\n        x.grad.zero_()")],
        [("    y.backward()", "    if x.grad is not None:\n        x.grad.zero_()\n    y.backward()")],
    ],
    "autograd/accumulate puzzle": [
        [("    y = x * x", "    if step == 1:\n        x.grad = None\n    y = x * x")],
        [("    y.backward()", "    y.backward()\n    if not step:\n        x.grad = torch.zeros(())")],
    ],
    "autograd/fan-out twelve": [
        [("w = torch.tensor(2.0", "w = torch.tensor(4.5")],
        [("q = w + 1", "q = w + 6")],
    ],
    "autograd/fan-out stop": [
        [("q = w + 1", "q = w.detach() + 1")],
        [("q = w + 1", "with torch.no_grad():\n    q = w + 1")],
    ],
    "autograd/freed refuse": [
        [("retain_graph=True", "")],
        [("retain_graph=True", "retain_graph=False")],
    ],
    "autograd/freed without": [
        [("y.backward(retain_graph=True)\n", "y.backward()\ny = x ** 3\n")],
        [("y.backward(retain_graph=True)\ny.backward()", "y.backward()\nz = 12 * x\nz.backward()")],
    ],
    "autograd/vector row": [
        [("[1.0, 1.0, 1.0]", "[0.0, 1.0, 0.0]")],
        [("v = torch.tensor([1.0, 1.0, 1.0])", "v = torch.eye(3)[1]")],
    ],
    "autograd/vector single": [
        [("[1.0, 1.0, 1.0]", "[-1.0, 1.0, 0.0]")],
        [("v = torch.tensor([1.0, 1.0, 1.0])", "v = torch.eye(3)[1] - torch.eye(3)[0]")],
    ],
    "autograd/grad-function both": [
        [("(dx,) = torch.autograd.grad(y, x)", "dw, dx = torch.autograd.grad(y, [w, x])")],
        [("(dx,) = torch.autograd.grad(y, x)", "y.backward()\ndx, dw = x.grad, w.grad")],
    ],
    "autograd/detach eighteen": [
        [("(x * x).detach()", "x * x"), ("z = u * x", "z = u * 3")],
        [("(x * x).detach()", "x ** 2"), ("z = u * x", "z = u * x.item()")],
    ],
    "autograd/no-grad other": [
        [
            (
                "y1 = x ** 2\nwith torch.no_grad():\n    y2 = x ** 3",
                "y2 = x ** 3\nwith torch.no_grad():\n    y1 = x ** 2",
            ),
        ],
        [("y1 = x ** 2\nwith torch.no_grad():\n    y2 = x ** 3", "y1 = (x ** 2).detach()\ny2 = x ** 3")],
    ],
    "autograd/no-grad inference": [
        [("no_grad", "inference_mode"), ("y = y1 + y2", "y = y2 * y1")],
        [("no_grad", "inference_mode"), ("y = y1 + y2", "y = x * y2")],
    ],
    "autograd/eval-mode predict": [
        [("x = torch.ones", "drop.train(False)\nx = torch.ones")],
        [("with torch.no_grad():\n    y = drop(3 * x)", "y = drop.eval()(3 * x).detach()")],
    ],
    "autograd/data noticed": [
        [("x.data += 1", "with torch.no_grad():\n    x.add_(1)")],
        [("x.data += 1", "with torch.no_grad():\n    x.copy_(torch.tensor(4.0))")],
    ],
    "autograd/data right-time": [
        [("x.data += 1\ny.backward()", "y.backward()\nx.data += 1")],
        [("x.data += 1\ny.backward()", "y.backward()\nwith torch.no_grad():\n    x.copy_(x + 1)")],
    ],
    "autograd/control-flow other-branch": [
        [("torch.tensor(0.3", "torch.tensor(1.2")],
        [("torch.tensor(0.3", "torch.tensor(2.0")],
    ],
    "autograd/in-place overwrite": [
        [("y = x * 3", "y = x.sigmoid()")],
        [("y = x * 3", "y = torch.tanh(x)")],
    ],
    "autograd/in-place leaf": [
        [("y = x * 3", "x.data.add_(1)\ny = x * 3")],
        [("y = x * 3", "with torch.no_grad():\n    x += 1\ny = x * 3")],
    ],
    "autograd/views apart": [
        [("row.mul_(10)", "row = row * 10")],
        [("row = y[0]\n", "row = torch.empty(2)\nrow.copy_(y[0])\n")],
    ],
    "autograd/custom-function round": [
        [
            ("return x.clone()", "return torch.round(x)"),
            ("return -gradient", "return gradient"),
            ("torch.tensor(3.0", "torch.tensor(2.6"),
        ],
        "import torch\n\nx = torch.tensor(2.6, requires_grad=True)\ny = (x + (x.round() - x).detach()) ** 2\ny.backward()\n",
    ],
    "autograd/higher-order refuse": [
        [(", create_graph=True", "")],
        [("create_graph=True", "create_graph=False")],
    ],
    "autograd/higher-order third": [
        [
            ("torch.autograd.grad(slope, x)", "torch.autograd.grad(slope, x, create_graph=True)"),
            ("print(slope", "third = torch.autograd.grad(curve, x)[0]\nprint(slope"),
        ],
        [
            ("torch.autograd.grad(slope, x)", "torch.autograd.grad(slope, x, create_graph=True)"),
            ("print(slope", "curve.backward()\nthird = x.grad\nprint(slope"),
        ],
    ],
    "autograd/nan safe": [
        [("x.sqrt()", "x.clamp(min=1.0).sqrt()")],
        [("y = torch.where(x > 0, x.sqrt(), x)", "y = x.clone()\ny[x > 0] = x[x > 0].sqrt()")],
    ],
}
