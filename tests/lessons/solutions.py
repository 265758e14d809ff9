"""For every question that asks to change a program two further right answers, as changes of the program that is shown.

Each change is a pair of texts, what stands there and what takes its place; a text alone takes the place of the whole.
"""

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
    "tensors/creating countdown": [
        [("torch.arange(0, 10, 2)", "torch.arange(10, -2, -2)")],
        [("torch.arange(0, 10, 2)", "10 - 2 * torch.arange(6)")],
    ],
    "tensors/printing read-back": [
        [("y = torch.tensor([7, 8])", "y = torch.tensor([7, 8]).reshape(1, 2, 1)")],
        [("y = torch.tensor([7, 8])", "y = torch.tensor([[7], [8]]).unsqueeze(0)")],
    ],
    "tensors/shape turn": [
        [("A.reshape(4, 3)", "A.transpose(0, 1)")],
        [("A.reshape(4, 3)", "torch.stack([A[:, i] for i in range(4)])")],
    ],
    "tensors/dtype mean": [
        [("total = small", "mean = torch.mean(whole, dtype=torch.float32)\ntotal = small")],
        [("total = small", "mean = whole.sum() / len(whole)\ntotal = small")],
    ],
    "tensors/device own": [
        [("same = x.to(torch.float32)", "same = x.clone()")],
        [("same = x.to(torch.float32)", "same = torch.empty_like(x)\nsame.copy_(x)")],
    ],
    "tensors/random fair": [
        [("torch.randint(0, 6, (1000,))", "torch.randint(0, 6, (1000,)) + 1")],
        [("torch.randint(0, 6, (1000,))", "(torch.rand(1000) * 6).floor().long() + 1")],
    ],
    "tensors/elementwise slide-rule": [
        [("product = x * y", "product = (x.log() + y.log()).exp()")],
        [("product = x * y", "logs = torch.add(torch.log(x), torch.log(y))\nproduct = torch.exp(logs)")],
    ],
    "tensors/broadcasting gaps": [
        [("place - place", "place - place[:, None]")],
        [("place - place", "place.expand(3, 3) - place.unsqueeze(1)")],
    ],
    "tensors/silent-broadcast mend": [
        [("error = guess - target", "error = guess.squeeze(1) - target")],
        [("error = guess - target", "error = guess[:, 0] - target")],
    ],
    "tensors/indexing frame": [
        [("picture[0] = 1", "picture[:] = 1\npicture[1:-1, 1:-1] = 0")],
        [("picture[0] = 1", "picture[0] = picture[3] = 1\npicture[:, 0] = picture[:, 4] = 1")],
    ],
    "tensors/joining chessboard": [
        [("board = tile", "two = torch.cat([tile, tile])\nboard = torch.cat([two, two], 1)")],
        [("board = tile", "board = torch.cat([torch.cat([tile] * 2, dim=1)] * 2)")],
    ],
    "tensors/masks leaky": [
        [("y = x.clone()", "y = x.clone()\ny[y < 0] /= 10")],
        [("y = x.clone()", "y = torch.nn.functional.leaky_relu(x, 0.1)")],
    ],
    "tensors/gather other-axis": [
        [("best = scores[:1]", "best = torch.gather(scores, 0, torch.tensor([[1, 0, 0]]))")],
        [("best = scores[:1]", "best = scores.gather(0, scores.argmax(0, keepdim=True))")],
    ],
    "tensors/views separate": [
        [("rows = x.reshape(2, 3)", "rows = x.clone().reshape(2, 3)")],
        [("x[0] = 100", "rows = rows.clone()\nx[0] = 100")],
    ],
    "tensors/in-place reuse": [
        [("result = p + q", "torch.add(p, q, out=result)")],
        [("result = p + q", "result.copy_(p + q)")],
    ],
    "tensors/numpy back": [
        [("t = t + 5", "t.add_(5)")],
        [("t = t + 5", "t[:] = 5")],
    ],
    "data/csv column": [
        [("homes.iloc[0]", "homes.iloc[:, 2]")],
        [("homes.iloc[0]", "homes.iloc[0:3, -1]")],
    ],
    "data/missing complete": [
        [("\nprint(f", '\nfilled["garden"] = filled["garden"].fillna("unknown")\nprint(f')],
        [("(homes.mean(numeric_only=True))", '({"size": homes["size"].mean(), "garden": "unknown"})')],
    ],
    "data/one-hot by-hand": [
        [("hot = codes", "hot = torch.nn.functional.one_hot(codes)")],
        [("hot = codes", "hot = (codes[:, None] == torch.arange(3)).float()")],
    ],
    "data/to-tensors multiply": [
        [("w = torch.tensor", "X = X.float()\nw = torch.tensor"), ("16.25])", "16.25])\nprice = X @ w")],
        [("table.to_numpy(dtype=float))", 'table.to_numpy(dtype="float32"))'), ("16.25])", "16.25])\nprice = X.mv(w)")],
    ],
    "linear-algebra/scalars-to-matrices symmetric": [
        [("S = B", "S = 0.5 * (B + B.T)")],
        [("S = B", "S = torch.stack([B, B.T]).mean(0)")],
    ],
    "linear-algebra/reductions cube": [
        [("cube.sum(axis=0)", "cube.sum(axis=0).sum(axis=1)")],
        [("cube.sum(axis=0)", "torch.sum(cube, dim=(0, 2))")],
    ],
    "linear-algebra/keepdim one": [
        [("share = A / rows", "share = A / rows[:, None]")],
        [("share = A / rows", "share = (A.T / rows).T")],
    ],
    "linear-algebra/products rotate": [
        [("torch.eye(2)", "torch.tensor([[0., -1.], [1., 0.]])")],
        [("torch.eye(2)", "torch.eye(2).flip(0) * torch.tensor([[-1.0], [1.0]])")],
    ],
    "linear-algebra/norms unit": [
        [("unit = u", "unit = u / 13")],
        [("unit = u", "unit = torch.nn.functional.normalize(u, dim=0)")],
    ],
    "linear-algebra/triangles causal": [
        [("may = ones", "may = ones.tril()")],
        [("may = ones", "may = (torch.arange(4)[:, None] >= torch.arange(4)).float()")],
    ],
    "linear-algebra/cross triangle": [
        [("torch.linalg.norm(Q - P)", "torch.cross(Q - P, R - P, dim=0).norm() / 2")],
        [("torch.linalg.norm(Q - P)", "0.5 * torch.linalg.cross(P - R, Q - R).norm()")],
    ],
    "linear-algebra/inverse singular": [
        [("[4.0, 3.0]", "[0.0, 0.0]")],
        [("[2.0, 1.0]", "[4.0, 3.0]")],
    ],
    "linear-algebra/svd one-layer": [
        [("U @ torch.diag(S) @ Vh", "S[0] * torch.outer(U[:, 0], Vh[0])")],
        [("rough = U", "S[1:] = 0\nrough = U")],
    ],
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
        [("y.backward()\nprint(w.grad)\nprint(h.grad)", "dw, dh = torch.autograd.grad(y, (w, h))\nprint(dw)\nprint(dh)")],
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
            ("y1 = x ** 2\nwith torch.no_grad():\n    y2 = x ** 3", "y2 = x ** 3\nwith torch.no_grad():\n    y1 = x ** 2"),
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
    "training/by-hand learn": [
        [("range(5)", "range(200)")],
        [("range(5)", "range(60)"), ("0.1 * w.grad", "0.2 * w.grad"), ("0.1 * b.grad", "0.2 * b.grad")],
    ],
    "training/by-hand refuse": [
        [("    with torch.no_grad():\n        w -= 0.1 * w.grad\n        b -= 0.1 * b.grad", "    w -= 0.1 * w.grad\n    b -= 0.1 * b.grad")],
        [("with torch.no_grad():", "if True:")],
    ],
    "training/with-nn mend": [
        [("(net(x) - y)", "(net(x)[:, 0] - y)")],
        [("(net(x) - y) ** 2", "(net(x).squeeze() - y) ** 2")],
    ],
    "training/optimizers half": [
        [("SGD([w], lr=0.1)", "Adam([w], lr=0.5)")],
        [("SGD([w], lr=0.1)", "Adam([w], lr=0.5, betas=(0.5, 0.9))")],
    ],
    "training/learning-rate leap": [
        [("rate = 0.1", "rate = 1 / 2")],
        [("rate = 0.1", "rate = 0.4")],
    ],
    "training/learning-rate away": [
        [("rate = 0.1", "rate = 1.5")],
        [("rate = 0.1", "rate = 2")],
    ],
    "training/depth bridge": [
        [("h = torch.sigmoid(h)", "h = torch.sigmoid(h) + h")],
        [("h = torch.sigmoid(h)", "h = 8 * torch.sigmoid(h) - 4")],
    ],
    "probability/dice patience": [
        [("n = 60", "n = 200_000")],
        [("n = 60", "torch.manual_seed(1)\nn = 10 ** 6")],
    ],
    "probability/dice loaded": [
        [("torch.ones(6) / 6", "torch.tensor([1.0, 1, 1, 1, 1, 5])"), ("n = 60", "n = 50_000"), ("share - p", "share - p / 10")],
        [("torch.ones(6) / 6", "torch.tensor([0.1] * 5 + [0.5])"), ("n = 60", "n = 20_000")],
    ],
    "probability/expectation lift": [
        [("torch.ones(6) / 6", "torch.tensor([0, 0, 0, 0.5, 0.5, 0])")],
        [("torch.ones(6) / 6", "torch.tensor([0.3, 0, 0, 0, 0, 0.7])")],
    ],
    "probability/expectation spread": [
        [("torch.ones(6) / 6", "torch.tensor([1.0, 0, 0, 0, 0, 1]) / 2")],
        [("p = torch.ones(6) / 6", "p = torch.zeros(6)\np[0] = p[-1] = 0.5")],
    ],
    "probability/bayes evidence": [
        [("print(posterior)", "prior = posterior\njoint = prior * positive\nposterior = joint / joint.sum()\nprint(posterior)")],
        [("prior * positive", "prior * positive ** 2")],
    ],
    "probability/bayes even": [
        [("[0.99, 0.01]", "[0.95, 0.05]")],
        [("[0.99, 0.01]", "[19 / 20, 1 / 20]")],
    ],
    "probability/likelihood peak": [
        [("torch.tensor(0.5", "torch.tensor(0.7")],
        [("torch.tensor(0.5", "torch.tensor(7 / 10")],
    ],
    "probability/softmax certain": [
        [("torch.zeros(3, requires_grad=True)", "torch.tensor([20.0, 1, 1], requires_grad=True)")],
        [("torch.zeros(3, requires_grad=True)", "torch.tensor([0.0, -9, -9], requires_grad=True)")],
    ],
    'broken/written-past repair': [
        [('y = x ** 2', 'y = x.clone() ** 2')],
    ],
    'broken/numpy-memory repair': [
        [('torch.from_numpy(a)', 'torch.from_numpy(a).clone()')],
    ],
    'broken/round-by-round repair': [
        [('    loss.backward()', '    w.grad = None\n    loss.backward()')],
    ],
    'broken/cleared-too-soon repair': [
        [('    opt.zero_grad()\n', ''), ('    loss = nn', '    model.zero_grad()\n    loss = nn')],
    ],
    'broken/column-and-row repair': [
        [('(pred - y)', '(pred - y.unsqueeze(1))')],
    ],
    'broken/left-as-number repair': [
        [('(w * scale)', '(w * s)')],
    ],
    'broken/half-trained repair': [
        [('enc(x).detach()', 'enc(x).clone()')],
    ],
    'broken/copied-out repair': [
        [('torch.tensor(a * 2)', 'a + a')],
    ],
    'broken/list-of-floats repair': [
        [('terms = [float((w[i] - i) ** 2) for i in range(3)]', 'terms = (w - torch.arange(3)) ** 2')],
    ],
    'broken/through-data repair': [
        [('(w.data * x).sum() + b', 'w @ x + b')],
    ],
    'broken/new-loss repair': [
        [('    loss = torch.tensor(loss.item(), requires_grad=True)', '    loss = loss.clone()')],
    ],
    'broken/asked-late repair': [
        [('x.requires_grad_()\n', ''), ('y = (x', 'x.requires_grad_()\ny = (x')],
    ],
    'broken/retained-late repair': [
        [('h.retain_grad()\n', ''), ('y.backward()', 'h.retain_grad()\ny.backward()')],
    ],
    'broken/small-start repair': [
        [('* 0.01\n', '* 0.01\nw.retain_grad()\n')],
    ],
    'broken/forgotten-bias repair': [
        [('SGD([w]', 'SGD((b, w)')],
    ],
    'broken/new-name repair': [
        [('x = x - 0.1 * x.grad', 'x = (x - 0.1 * x.grad).detach().requires_grad_()')],
    ],
    'broken/lost-update repair': [
        [('p = p - 0.1 * p.grad', 'p.sub_(0.1 * p.grad)')],
    ],
    'broken/stairs repair': [
        [('q = (x * 4).round() / 4', 'q = (x * 4).round() / 4 + x - x.detach()')],
    ],
    'broken/one-class repair': [
        [('torch.softmax(model(x), dim=1)', '1 / (1 + torch.exp(-model(x)))')],
    ],
    'broken/other-branch repair': [
        [('torch.sqrt(x)', 'torch.sqrt(x.clamp(min=1e-6))')],
    ],
    'broken/length-zero repair': [
        [('.sum().sqrt()', '.sum().add(1e-12).sqrt()')],
    ],
    'broken/masked-root repair': [
        [('torch.sqrt(x) * mask', 'torch.sqrt(torch.where(mask > 0, x, 1.0)) * mask')],
    ],
    'broken/log-of-zero repair': [
        [('nll = -(y * torch.log(p)).sum()', 'nll = torch.nn.functional.cross_entropy(z, y)')],
    ],
    'broken/overflow repair': [
        [('p = torch.exp(z) / torch.exp(z).sum()', 'e = torch.exp(z - z.max())\np = e / e.sum()')],
    ],
    'broken/softmax-twice repair': [
        [('nn.CrossEntropyLoss()(probs, y)', 'nn.functional.nll_loss(torch.log(probs), y)')],
    ],
    'broken/negative-loss repair': [
        [('F.nll_loss(p, y)', 'F.nll_loss(torch.log(p), y)')],
    ],
    'broken/tiny-h repair': [
        [('h = 1e-8', 'h = 1e-3')],
    ],
    'broken/uphill repair': [
        [('w += 0.1 * w.grad', 'w.sub_(0.1 * w.grad)')],
    ],
    'broken/only-named repair': [
        [('    opt.step\n', '    for p in model.parameters():\n        p.data -= 0.1 * p.grad\n')],
    ],
    'broken/whole-weights repair': [
        [('torch.tensor([1, 2, 3])', 'torch.tensor([1, 2, 3], dtype=torch.float32)')],
    ],
}

# By question a program that evades the task; it must not count.
CHEATS = {
    "training/by-hand learn": [("w = torch.tensor(0.0", "w = torch.tensor(2.0"), ("b = torch.tensor(0.0", "b = torch.tensor(1.0")],
    "training/learning-rate leap": [("w = torch.tensor(1.0", "w = torch.tensor(0.0")],
    "training/learning-rate away": [("w = torch.tensor(1.0", "w = torch.tensor(9e5")],
    "training/optimizers half": [("[3.0, 3.0]", "[2.6, 2.6]"), ("SGD", "Adam")],
    "autograd/in-place leaf": [("[1.0, 2.0]", "[2.0, 3.0]")],
    "probability/bayes evidence": [("[0.99, 0.01]", "[0.8389, 0.1611]")],
}
