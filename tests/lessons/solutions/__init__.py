"""For every question that asks to change a program two further right answers, as changes of the program that is shown.

Each change is a pair of texts, what stands there and what takes its place; a text alone takes the place of the whole.
"""

from tests.lessons.solutions import (
    autograd,
    broken,
    calculus,
    data,
    linear_algebra,
    probability,
    tensors,
    training,
    zero,
)

CHAPTERS = (autograd, broken, calculus, data, linear_algebra, probability, tensors, training, zero)
SOLUTIONS = {key: changes for chapter in CHAPTERS for key, changes in chapter.SOLUTIONS.items()}

# By question a program that evades the task; it must not count.
CHEATS = {
    "zero/sum nothing": [("y.backward()", "y.backward()\nw.grad.zero_()")],
    "zero/clear fresh": [("    y.backward()\n", "    y.backward()\nx.grad /= 2\n")],
    "training/by-hand learn": [
        ("w = torch.tensor(0.0", "w = torch.tensor(2.0"),
        ("b = torch.tensor(0.0", "b = torch.tensor(1.0"),
    ],
    "training/learning-rate leap": [("w = torch.tensor(1.0", "w = torch.tensor(0.0")],
    "training/learning-rate away": [("w = torch.tensor(1.0", "w = torch.tensor(9e5")],
    "training/optimizers half": [("[3.0, 3.0]", "[2.6, 2.6]"), ("SGD", "Adam")],
    "autograd/in-place leaf": [("[1.0, 2.0]", "[2.0, 3.0]")],
    "probability/bayes evidence": [("[0.99, 0.01]", "[0.8389, 0.1611]")],
}
