"""Further right answers of the chapter broken."""

SOLUTIONS = {
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
