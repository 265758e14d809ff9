"""Further right answers of the chapter training."""

SOLUTIONS = {
    "training/by-hand learn": [
        [("range(5)", "range(200)")],
        [("range(5)", "range(60)"), ("0.1 * w.grad", "0.2 * w.grad"), ("0.1 * b.grad", "0.2 * b.grad")],
    ],
    "training/by-hand refuse": [
        [
            (
                "    with torch.no_grad():\n        w -= 0.1 * w.grad\n        b -= 0.1 * b.grad",
                "    w -= 0.1 * w.grad\n    b -= 0.1 * b.grad",
            )
        ],
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
}
