"""The book's metrics (a stopwatch, running sums, accuracy) and training loops, by chapter."""

import time

import numpy
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from explorer.runtime.book.plots import Animator, show_images


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
    """Return the number of worker processes that load data: none."""
    return 0


def accuracy(y_hat, y) -> float:
    """Count the correct predictions. The largest score decides."""
    if len(y_hat.shape) > 1 and y_hat.shape[1] > 1:
        y_hat = y_hat.argmax(axis=1)
    return float((y_hat.type(y.dtype) == y).type(y.dtype).sum())


def evaluate_accuracy(net, data_iter) -> float:
    """Return the share of correct predictions over a data set."""
    if isinstance(net, nn.Module):
        net.eval()
    right = Accumulator(2)
    with torch.no_grad():
        for X, y in data_iter:
            right.add(accuracy(net(X), y), y.numel())
    return right[0] / right[1]


def evaluate_loss(net, data_iter, loss) -> float:
    """Return the mean loss over a data set."""
    total = Accumulator(2)
    for X, y in data_iter:
        out = net(X)
        losses = loss(out, y.reshape(out.shape))
        total.add(losses.sum(), losses.numel())
    return total[0] / total[1]


def synthetic_data(w, b, num_examples: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Create features and labels of y = Xw + b with slight noise."""
    X = torch.normal(0, 1, (num_examples, len(w)))
    y = torch.matmul(X, w) + b
    return X, (y + torch.normal(0, 0.01, y.shape)).reshape((-1, 1))


def load_array(data_arrays, batch_size: int, is_train: bool = True) -> DataLoader:
    """Create a DataLoader over tensors, shuffled for training."""
    return DataLoader(TensorDataset(*data_arrays), batch_size, shuffle=is_train)


def linreg(X, w, b):
    """Compute the linear model."""
    return torch.matmul(X, w) + b


def squared_loss(y_hat, y):
    """Return half the squared error of every entry."""
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params, lr: float, batch_size: int) -> None:
    """Take a step of stochastic gradient descent and clear the gradients."""
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()


def get_fashion_mnist_labels(labels) -> list[str]:
    """Return the names of Fashion-MNIST's classes."""
    words = ("t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")
    return [words[int(label)] for label in labels]


def train_epoch_ch3(net, train_iter, loss, updater) -> tuple[float, float]:
    """Train for an epoch. Return the mean loss and the accuracy."""
    if isinstance(net, nn.Module):
        net.train()
    metric = Accumulator(3)
    for X, y in train_iter:
        y_hat = net(X)
        losses = loss(y_hat, y)
        if isinstance(updater, torch.optim.Optimizer):
            updater.zero_grad()
            losses.mean().backward()
            updater.step()
        else:
            losses.sum().backward()
            updater(X.shape[0])
        total = losses.sum() if losses.ndim else losses * len(y)
        metric.add(total, accuracy(y_hat, y), y.numel())
    return metric[0] / metric[2], metric[1] / metric[2]


def train_ch3(net, train_iter, test_iter, loss, num_epochs: int, updater) -> None:
    """Train a classifier and plot its progress."""
    animator = Animator(
        xlabel="epoch", xlim=[1, num_epochs], ylim=[0.3, 0.9], legend=["train loss", "train acc", "test acc"]
    )
    for epoch in range(num_epochs):
        metrics = train_epoch_ch3(net, train_iter, loss, updater)
        animator.add(epoch + 1, (*metrics, evaluate_accuracy(net, test_iter)))


def predict_ch3(net, test_iter, n: int = 6) -> None:
    """Show the first pictures of a data set with true and predicted labels."""
    X, y = next(iter(test_iter))
    words = zip(get_fashion_mnist_labels(y), get_fashion_mnist_labels(net(X).argmax(axis=1)), strict=True)
    titles = [f"{true}\n{guess}" for true, guess in words]
    show_images(X[:n].reshape((n, 28, 28)), 1, n, titles=titles[:n])
