"""The book's measuring helpers: a stopwatch, running sums, accuracy and loss over a data set."""

import time

import numpy
import torch
from torch import nn


class Timer:
    """A stopwatch that keeps every time it measured. Attributes: times: in seconds."""

    def __init__(self) -> None:
        self.times = []
        self.start()

    def start(self) -> None:
        self.tik = time.time()

    def stop(self) -> float:
        """Record the time since `start`, and return it."""
        self.times.append(time.time() - self.tik)
        return self.times[-1]

    def avg(self) -> float:
        return sum(self.times) / len(self.times)

    def sum(self) -> float:
        return sum(self.times)

    def cumsum(self) -> list[float]:
        return numpy.array(self.times).cumsum().tolist()


class Accumulator:
    """Several running sums. Attributes: data."""

    def __init__(self, n: int) -> None:
        self.data = [0.0] * n

    def add(self, *args) -> None:
        self.data = [total + float(more) for total, more in zip(self.data, args, strict=False)]

    def reset(self) -> None:
        self.data = [0.0] * len(self.data)

    def __getitem__(self, idx):
        return self.data[idx]


def get_dataloader_workers() -> int:
    """How many worker processes load data: none."""
    return 0


def accuracy(y_hat, y) -> float:
    """How many predictions are right; of scores the largest counts."""
    if len(y_hat.shape) > 1 and y_hat.shape[1] > 1:
        y_hat = y_hat.argmax(axis=1)
    return float((y_hat.type(y.dtype) == y).type(y.dtype).sum())


def evaluate_accuracy(net, data_iter) -> float:
    """The share of right predictions over a data set."""
    if isinstance(net, nn.Module):
        net.eval()
    right = Accumulator(2)
    with torch.no_grad():
        for X, y in data_iter:
            right.add(accuracy(net(X), y), y.numel())
    return right[0] / right[1]


def evaluate_loss(net, data_iter, loss) -> float:
    """The mean loss over a data set."""
    total = Accumulator(2)
    for X, y in data_iter:
        out = net(X)
        losses = loss(out, y.reshape(out.shape))
        total.add(losses.sum(), losses.numel())
    return total[0] / total[1]
