"""The book's training loops, by the chapters that introduce them."""

import torch
from torch import nn

from explorer.runtime.book.linear import get_fashion_mnist_labels, linreg, squared_loss
from explorer.runtime.book.metrics import (
    Accumulator,
    Timer,
    accuracy,
    evaluate_accuracy,
    evaluate_accuracy_gpu,
    evaluate_loss,
    try_all_gpus,
)
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


def init_cnn(module) -> None:
    """Initialise linear and convolutional layers with Xavier's method."""
    if type(module) is nn.Linear or type(module) is nn.Conv2d:
        nn.init.xavier_uniform_(module.weight)


def train_ch6(net, train_iter, test_iter, num_epochs: int, lr: float, device) -> None:
    """Train a convolutional classifier on a device."""
    net.apply(init_cnn)
    print("training on", device)
    net.to(device)
    optimizer, loss = torch.optim.SGD(net.parameters(), lr=lr), nn.CrossEntropyLoss()
    animator = Animator(xlabel="epoch", xlim=[1, num_epochs], legend=["train loss", "train acc", "test acc"])
    timer, batches = Timer(), len(train_iter)
    for epoch in range(num_epochs):
        metric = Accumulator(3)
        net.train()
        for i, (X, y) in enumerate(train_iter):
            timer.start()
            optimizer.zero_grad()
            X, y = X.to(device), y.to(device)
            y_hat = net(X)
            found = loss(y_hat, y)
            found.backward()
            optimizer.step()
            with torch.no_grad():
                metric.add(found * X.shape[0], accuracy(y_hat, y), X.shape[0])
            timer.stop()
            train_l, train_acc = metric[0] / metric[2], metric[1] / metric[2]
            if (i + 1) % max(1, batches // 5) == 0 or i == batches - 1:
                animator.add(epoch + (i + 1) / batches, (train_l, train_acc, None))
        test_acc = evaluate_accuracy_gpu(net, test_iter)
        animator.add(epoch + 1, (None, None, test_acc))
    print(f"loss {train_l:.3f}, train acc {train_acc:.3f}, test acc {test_acc:.3f}")
    print(f"{metric[2] * num_epochs / timer.sum():.1f} examples/sec on {device}")


def train_ch11(trainer_fn, states, hyperparams, data_iter, feature_dim: int, num_epochs: int = 2):
    """Train linear regression with a hand-written optimizer; returns times and losses."""
    w = torch.normal(mean=0.0, std=0.01, size=(feature_dim, 1), requires_grad=True)
    b = torch.zeros((1), requires_grad=True)

    def step(loss) -> None:
        loss.mean().backward()
        trainer_fn([w, b], states, hyperparams)

    return _descend(lambda X: linreg(X, w, b), squared_loss, step, data_iter, num_epochs)


def train_concise_ch11(trainer_fn, hyperparams, data_iter, num_epochs: int = 4) -> None:
    """Train linear regression with one of torch's optimizers."""
    net = nn.Sequential(nn.Linear(5, 1))
    nn.init.normal_(net[0].weight, std=0.01)
    optimizer, loss = trainer_fn(net.parameters(), **hyperparams), nn.MSELoss(reduction="none")

    def step(found) -> None:
        optimizer.zero_grad()
        found.mean().backward()
        optimizer.step()

    _descend(net, lambda out, y: loss(out, y.reshape(out.shape)) / 2, step, data_iter, num_epochs)


def _descend(net, loss, step, data_iter, num_epochs: int):
    animator = Animator(xlabel="epoch", ylabel="loss", xlim=[0, num_epochs], ylim=[0.22, 0.35])
    seen, timer = 0, Timer()
    for _ in range(num_epochs):
        for X, y in data_iter:
            step(loss(net(X), y))
            seen += X.shape[0]
            if seen % 200 == 0:
                timer.stop()
                animator.add(seen / X.shape[0] / len(data_iter), (evaluate_loss(net, data_iter, loss),))
                timer.start()
    lines = animator.curves.lines
    last = lines[0].get_ydata() if lines else [float("nan")]
    print(f"loss: {last[-1]:.3f}, {timer.sum() / num_epochs:.3f} sec/epoch")
    return timer.cumsum(), list(last)


def train_batch_ch13(net, X, y, loss, trainer, devices):
    """One step on one batch; returns the sum of the losses and the count of right predictions."""
    X = [x.to(devices[0]) for x in X] if isinstance(X, list) else X.to(devices[0])
    y = y.to(devices[0])
    net.train()
    trainer.zero_grad()
    pred = net(X)
    found = loss(pred, y)
    found.sum().backward()
    trainer.step()
    return found.sum(), accuracy(pred, y)


def train_ch13(net, train_iter, test_iter, loss, trainer, num_epochs: int, devices=None) -> None:
    """Train a classifier on the first of several devices."""
    devices = devices or try_all_gpus()
    timer, batches = Timer(), len(train_iter)
    legend = ["train loss", "train acc", "test acc"]
    animator = Animator(xlabel="epoch", xlim=[1, num_epochs], ylim=[0, 1], legend=legend)
    net = net.to(devices[0])
    for epoch in range(num_epochs):
        metric = Accumulator(4)
        for i, (features, labels) in enumerate(train_iter):
            timer.start()
            found, right = train_batch_ch13(net, features, labels, loss, trainer, devices)
            metric.add(found, right, labels.shape[0], labels.numel())
            timer.stop()
            if (i + 1) % max(1, batches // 5) == 0 or i == batches - 1:
                animator.add(epoch + (i + 1) / batches, (metric[0] / metric[2], metric[1] / metric[3], None))
        test_acc = evaluate_accuracy_gpu(net, test_iter)
        animator.add(epoch + 1, (None, None, test_acc))
    print(f"loss {metric[0] / metric[2]:.3f}, train acc {metric[1] / metric[3]:.3f}, test acc {test_acc:.3f}")
    print(f"{metric[2] * num_epochs / timer.sum():.1f} examples/sec on {devices}")


def update_D(X, Z, net_D, net_G, loss, trainer_D):
    """A step of a discriminator."""
    ones, zeros = torch.ones((X.shape[0],), device=X.device), torch.zeros((X.shape[0],), device=X.device)
    trainer_D.zero_grad()
    real, fake = net_D(X), net_D(net_G(Z).detach())
    found = (loss(real, ones.reshape(real.shape)) + loss(fake, zeros.reshape(fake.shape))) / 2
    found.backward()
    trainer_D.step()
    return found


def update_G(Z, net_D, net_G, loss, trainer_G):
    """A step of a generator."""
    ones = torch.ones((Z.shape[0],), device=Z.device)
    trainer_G.zero_grad()
    fake = net_D(net_G(Z))
    found = loss(fake, ones.reshape(fake.shape))
    found.backward()
    trainer_G.step()
    return found


def grad_clipping(net, theta: float) -> None:
    """Scale the gradients so that their norm is at most theta."""
    params = [p for p in net.parameters() if p.requires_grad] if isinstance(net, nn.Module) else net.params
    norm = torch.sqrt(sum(torch.sum(p.grad**2) for p in params if p.grad is not None))
    if norm > theta:
        for param in params:
            if param.grad is not None:
                param.grad[:] *= theta / norm


def log_rmse(net, features, labels) -> float:
    """The root of the mean squared error between logarithms."""
    preds = torch.clamp(net(features), 1, float("inf"))
    return torch.sqrt(nn.functional.mse_loss(torch.log(preds), torch.log(labels))).item()


def get_k_fold_data(k: int, i: int, X, y) -> tuple:
    """The i-th of k folds: training features and labels, then the validation ones."""
    size = X.shape[0] // k
    inside = slice(i * size, (i + 1) * size)
    kept = [slice(j * size, (j + 1) * size) for j in range(k) if j != i]
    return torch.cat([X[fold] for fold in kept]), torch.cat([y[fold] for fold in kept]), X[inside], y[inside]
