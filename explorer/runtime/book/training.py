"""The book's training loops, by the chapters that introduce them."""

import torch
from torch import nn

from explorer.runtime.book.linear import get_fashion_mnist_labels
from explorer.runtime.book.metrics import Accumulator, accuracy, evaluate_accuracy
from explorer.runtime.book.plots import Animator, show_images


def train_epoch_ch3(net, train_iter, loss, updater) -> tuple[float, float]:
    """One epoch; returns the mean loss and the share of right predictions."""
    if isinstance(net, nn.Module):
        net.train()
    metric = Accumulator(3)
    for X, y in train_iter:
        y_hat = net(X)
        found = loss(y_hat, y)
        if isinstance(updater, torch.optim.Optimizer):
            updater.zero_grad()
            found.mean().backward()
            updater.step()
        else:
            found.sum().backward()
            updater(X.shape[0])
        total = found.sum() if found.ndim else found * len(y)
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
    """Show the first pictures of a data set with their true and predicted labels."""
    X, y = next(iter(test_iter))
    words = zip(get_fashion_mnist_labels(y), get_fashion_mnist_labels(net(X).argmax(axis=1)), strict=True)
    titles = [f"{true}\n{found}" for true, found in words]
    show_images(X[:n].reshape((n, 28, 28)), 1, n, titles=titles[:n])
