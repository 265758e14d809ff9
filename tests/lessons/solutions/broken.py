"""Further right answers of the chapter broken."""

SOLUTIONS = {
    "broken/written-past repair": [
        [("y = x ** 2", "y = x.clone() ** 2")],
        [("x.data.mul_(10)\ny.backward()", "y.backward()\nwith torch.no_grad():\n    x *= 10")],
    ],
    "broken/numpy-memory repair": [
        [("torch.from_numpy(a)", "torch.from_numpy(a).clone()")],
        [("x = torch.from_numpy(a)", "x = torch.tensor(a)")],
    ],
    "broken/round-by-round repair": [
        [("    loss.backward()", "    w.grad = None\n    loss.backward()")],
        [("        w -= 0.1 * w.grad", "        w.sub_(0.1 * w.grad)\n        w.grad.zero_()")],
    ],
    "broken/cleared-too-soon repair": [
        [("    opt.zero_grad()\n", ""), ("    loss = nn", "    model.zero_grad()\n    loss = nn")],
        [
            (
                "    opt.zero_grad()\n    opt.step()\n",
                "    opt.step()\n    for p in model.parameters():\n        p.grad = None\n",
            )
        ],
    ],
    "broken/column-and-row repair": [
        [("(pred - y)", "(pred - y.unsqueeze(1))")],
        [("pred = model(x)", "pred = model(x).flatten()")],
    ],
    "broken/left-as-number repair": [
        [("(w * scale)", "(w * s)")],
        [
            (
                "scale = s.item()\nloss = (w * scale).sum()",
                "def scaled(v, factor):\n    return factor * v\n\nloss = torch.sum(scaled(w, s))",
            )
        ],
    ],
    "broken/half-trained repair": [
        [("enc(x).detach()", "enc(x).clone()")],
        [("h = enc(x).detach()\nloss = (head(h) - y)", "net = nn.Sequential(enc, head)\nloss = (net(x) - y)")],
    ],
    "broken/copied-out repair": [
        [("torch.tensor(a * 2)", "a + a")],
        [("torch.tensor(a * 2)", "torch.stack([2 * a[0], 2 * a[1]])")],
    ],
    "broken/list-of-floats repair": [
        [("terms = [float((w[i] - i) ** 2) for i in range(3)]", "terms = (w - torch.arange(3)) ** 2")],
        [
            (
                "terms = [float((w[i] - i) ** 2) for i in range(3)]\nloss = sum(terms) * reg",
                "loss = torch.zeros(())\nfor i in range(3):\n    loss = loss + reg * (w[i] - i) * (w[i] - i)",
            )
        ],
    ],
    "broken/through-data repair": [
        [("(w.data * x).sum() + b", "w @ x + b")],
        [("(w.data * x).sum()", "torch.dot(x, w)")],
    ],
    "broken/new-loss repair": [
        [("    loss = torch.tensor(loss.item(), requires_grad=True)", "    loss = loss.clone()")],
        [
            (
                "    loss = torch.tensor(loss.item(), requires_grad=True)\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n",
                "    grads = torch.autograd.grad(loss, [*model.parameters()])\n    with torch.no_grad():\n        for p, g in zip(model.parameters(), grads):\n            p.sub_(g, alpha=0.1)\n",
            )
        ],
    ],
    "broken/asked-late repair": [
        [("x.requires_grad_()\n", ""), ("y = (x", "x.requires_grad_()\ny = (x")],
        [("[1.0, 2.0, 3.0])", "[1.0, 2.0, 3.0]).clone().requires_grad_(True)"), ("x.requires_grad_()\n", "")],
    ],
    "broken/retained-late repair": [
        [("h.retain_grad()\n", ""), ("y.backward()", "h.retain_grad()\ny.backward()")],
        [("y.backward()\nh.retain_grad()\nprint(h.grad)", "h.register_hook(lambda g: print(g))\ny.backward()")],
    ],
    "broken/small-start repair": [
        [("* 0.01\n", "* 0.01\nw.retain_grad()\n")],
        [("torch.randn(3, requires_grad=True) * 0.01", "torch.nn.Parameter(0.01 * torch.randn(3))")],
    ],
    "broken/forgotten-bias repair": [
        [("SGD([w]", "SGD((b, w)")],
        [("opt = torch.optim.SGD([w], lr=0.1)", 'opt = torch.optim.SGD([{"params": [w]}, {"params": b}], lr=0.1)')],
    ],
    "broken/new-name repair": [
        [("x = x - 0.1 * x.grad", "x = (x - 0.1 * x.grad).detach().requires_grad_()")],
        [("x = x - 0.1 * x.grad", "opt = torch.optim.SGD([x], lr=0.1)\nopt.step()\nopt.zero_grad()")],
    ],
    "broken/lost-update repair": [
        [("p = p - 0.1 * p.grad", "p.sub_(0.1 * p.grad)")],
        [("            p = p - 0.1 * p.grad", "            p.copy_(p - 0.1 * p.grad)")],
    ],
    "broken/stairs repair": [
        [("q = (x * 4).round() / 4", "q = (x * 4).round() / 4 + x - x.detach()")],
        [
            (
                "q = (x * 4).round() / 4",
                "class Round(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, v):\n        return (v * 4).round() / 4\n\n    @staticmethod\n    def backward(ctx, g):\n        return g\n\nq = Round.apply(x)",
            )
        ],
    ],
    "broken/one-class repair": [
        [("torch.softmax(model(x), dim=1)", "1 / (1 + torch.exp(-model(x)))")],
        [
            (
                "p = torch.softmax(model(x), dim=1)\nloss = nn.functional.binary_cross_entropy(p, y)",
                "logits = model(x)\np = logits.sigmoid().detach()\nloss = nn.BCEWithLogitsLoss()(logits, y)",
            )
        ],
    ],
    "broken/other-branch repair": [
        [("torch.sqrt(x)", "torch.sqrt(x.clamp(min=1e-6))")],
        [("y = torch.where(x > 0, torch.sqrt(x), x)", "y = x.clone()\ny[x > 0] = x[x > 0] ** 0.5")],
    ],
    "broken/length-zero repair": [
        [(".sum().sqrt()", ".sum().add(1e-12).sqrt()")],
        [("length = (d ** 2).sum().sqrt()", "length = torch.linalg.vector_norm(d)")],
    ],
    "broken/masked-root repair": [
        [("torch.sqrt(x) * mask", "torch.sqrt(torch.where(mask > 0, x, 1.0)) * mask")],
        [("total = (torch.sqrt(x) * mask).sum()", "total = x[mask.bool()].sqrt().sum()")],
    ],
    "broken/log-of-zero repair": [
        [("nll = -(y * torch.log(p)).sum()", "nll = torch.nn.functional.cross_entropy(z, y)")],
        [("p = torch.softmax(z, 0)", "p = z - torch.logsumexp(z, dim=0)"), ("torch.log(p)", "p")],
    ],
    "broken/overflow repair": [
        [("p = torch.exp(z) / torch.exp(z).sum()", "e = torch.exp(z - z.max())\np = e / e.sum()")],
        [("p = torch.exp(z) / torch.exp(z).sum()", "p = torch.nn.Softmax(dim=0)(z)")],
    ],
    "broken/softmax-twice repair": [
        [("nn.CrossEntropyLoss()(probs, y)", "nn.functional.nll_loss(torch.log(probs), y)")],
        [
            (
                "probs = torch.softmax(model(x), dim=1)\nloss = nn.CrossEntropyLoss()(probs, y)",
                "logp = model(x).log_softmax(-1)\nloss = -logp[torch.arange(6), y].mean()",
            )
        ],
    ],
    "broken/negative-loss repair": [
        [("F.nll_loss(p, y)", "F.nll_loss(torch.log(p), y)")],
        [
            (
                "p = F.softmax(model(x), dim=1)\nloss = F.nll_loss(p, y)",
                "logits = model(x)\nloss = torch.nn.CrossEntropyLoss()(logits, y)",
            )
        ],
    ],
    "broken/tiny-h repair": [
        [("h = 1e-8", "h = 1e-3")],
        [("h = 1e-8\nslope = (f(x + h) - f(x)) / h", "slope = torch.func.grad(f)(x)")],
    ],
    "broken/uphill repair": [
        [("w += 0.1 * w.grad", "w.sub_(0.1 * w.grad)")],
        [
            (
                "    with torch.no_grad():\n        w += 0.1 * w.grad\n        w.grad.zero_()",
                "    opt = torch.optim.SGD([w], lr=0.1)\n    opt.step()\n    opt.zero_grad()",
            )
        ],
    ],
    "broken/only-named repair": [
        [("    opt.step\n", "    for p in model.parameters():\n        p.data -= 0.1 * p.grad\n")],
        [
            (
                "    opt.step\n",
                "    with torch.no_grad():\n        model.weight -= 0.1 * model.weight.grad\n        model.bias -= 0.1 * model.bias.grad\n",
            )
        ],
    ],
    "broken/whole-weights repair": [
        [("torch.tensor([1, 2, 3])", "torch.tensor([1, 2, 3], dtype=torch.float32)")],
        [("torch.tensor([1, 2, 3])", "torch.arange(1, 4).float()")],
    ],
}
