"""The book's linear models written out: data with noise, the model, its loss, one step of descent."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def synthetic_data(w, b, num_examples: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Features and labels of y = Xw + b with a little noise."""
    X = torch.normal(0, 1, (num_examples, len(w)))
    y = torch.matmul(X, w) + b
    return X, (y + torch.normal(0, 0.01, y.shape)).reshape((-1, 1))


def load_array(data_arrays, batch_size: int, is_train: bool = True) -> DataLoader:
    """A DataLoader over tensors, shuffled for training."""
    return DataLoader(TensorDataset(*data_arrays), batch_size, shuffle=is_train)


def linreg(X, w, b):
    """The linear model."""
    return torch.matmul(X, w) + b


def squared_loss(y_hat, y):
    """Half the squared error of every entry."""
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params, lr: float, batch_size: int) -> None:
    """One step of stochastic gradient descent on a batch; the gradients are zero afterwards."""
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()


def get_fashion_mnist_labels(labels) -> list[str]:
    """The names of Fashion-MNIST's classes."""
    words = ("t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")
    return [words[int(label)] for label in labels]
