"""Further right answers of the chapter probability."""

SOLUTIONS = {
    "probability/dice patience": [
        [("n = 60", "n = 200_000")],
        [("n = 60", "torch.manual_seed(1)\nn = 10 ** 6")],
    ],
    "probability/dice loaded": [
        [
            ("torch.ones(6) / 6", "torch.tensor([1.0, 1, 1, 1, 1, 5])"),
            ("n = 60", "n = 50_000"),
            ("share - p", "share - p / 10"),
        ],
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
        [
            (
                "print(posterior)",
                "prior = posterior\njoint = prior * positive\nposterior = joint / joint.sum()\nprint(posterior)",
            )
        ],
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
}
