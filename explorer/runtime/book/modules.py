"""The book's objects: hyperparameters, progress board, models, data and trainers."""

import inspect

import torch
from torch import nn
from torch.nn import functional as F

from explorer.runtime.book.plots import GrowingCurves, plt


def add_to_class(Class):
    """Create a decorator that adds a function to an existing class."""

    def wrapper(obj):
        setattr(Class, obj.__name__, obj)

    return wrapper


class HyperParameters:
    """A class whose objects store the arguments of their constructor."""

    def save_hyperparameters(self, ignore=()) -> None:
        """Store the calling method's arguments as attributes, with exceptions."""
        frame = inspect.currentframe().f_back
        without = {"self", *(ignore or ())}
        self.hparams = {key: value for key, value in frame.f_locals.items() if key not in without and key[0].isalpha()}
        for key, value in self.hparams.items():
            setattr(self, key, value)


class ProgressBoard(HyperParameters):
    """A figure whose curves grow during training."""

    def __init__(self, xlabel=None, ylabel=None, xlim=None, ylim=None, xscale="linear", yscale="linear",
                 ls=("-", "--", "-.", ":"), colors=("C0", "C1", "C2", "C3"), fig=None, axes=None, figsize=(3.5, 2.5),
                 display=True) -> None:  # fmt: skip
        self.save_hyperparameters()
        self.curves, self.waiting = None, {}

    def draw(self, x, y, label, every_n=1) -> None:
        """Add a point to a labelled curve, the mean of `every_n` values."""
        points = self.waiting.setdefault(label, [])
        points.append((float(x), float(y)))
        if len(points) < every_n:
            return
        place = [sum(coordinates) / len(points) for coordinates in zip(*points, strict=True)]
        points.clear()
        if self.display:
            curves = self._begun()
            curves.add(label, *place, label=label, **self._style(label))
            curves.axes.legend()
            curves.show()

    def _style(self, label) -> dict:
        names = list(self.waiting)
        at = names.index(label)
        return {"linestyle": self.ls[at % len(self.ls)], "color": self.colors[at % len(self.colors)]}

    def _begun(self) -> GrowingCurves:
        if self.curves is None:
            if self.axes is None:
                self.fig = self.fig or plt.figure(figsize=self.figsize)
                self.axes = self.fig.gca()
            self.axes.set(xlabel=self.xlabel, ylabel=self.ylabel, xscale=self.xscale, yscale=self.yscale)
            if self.xlim:
                self.axes.set_xlim(self.xlim)
            if self.ylim:
                self.axes.set_ylim(self.ylim)
            self.curves = GrowingCurves(self.axes)
        return self.curves


class Module(nn.Module, HyperParameters):
    """A model: its loss, its optimizer, and a step of training and of validation."""

    def __init__(self, plot_train_per_epoch=2, plot_valid_per_epoch=1) -> None:
        super().__init__()
        self.plot_train_per_epoch, self.plot_valid_per_epoch = plot_train_per_epoch, plot_valid_per_epoch
        self.board = ProgressBoard()

    def has_trainer(self) -> bool:
        return "trainer" in vars(self)

    def loss(self, y_hat, y):
        raise NotImplementedError

    def forward(self, X):
        assert hasattr(self, "net"), "Neural network is defined"
        return self.net(X)

    def plot(self, key, value, train) -> None:
        """Add a point to one of the board's curves."""
        assert self.has_trainer(), "Trainer is not inited"
        trainer = self.trainer
        self.board.xlabel = "epoch"
        if train:
            x = trainer.train_batch_idx / trainer.num_train_batches
            n = trainer.num_train_batches / self.plot_train_per_epoch
        else:
            x = trainer.epoch + 1
            n = trainer.num_val_batches / self.plot_valid_per_epoch
        self.board.draw(x, value.detach().cpu().numpy(), ("train_" if train else "val_") + key, every_n=int(n))

    def training_step(self, batch):
        """Return and plot the loss of a batch."""
        loss = self.loss(self(*batch[:-1]), batch[-1])
        self.plot("loss", loss, train=True)
        return loss

    def validation_step(self, batch) -> None:
        self.plot("loss", self.loss(self(*batch[:-1]), batch[-1]), train=False)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


class DataModule(HyperParameters):
    """Data for training and validation."""

    def __init__(self, root="../data", num_workers=4) -> None:
        self.root, self.num_workers = root, num_workers

    def get_dataloader(self, train):
        raise NotImplementedError

    def train_dataloader(self):
        return self.get_dataloader(train=True)

    def val_dataloader(self):
        return self.get_dataloader(train=False)

    def get_tensorloader(self, tensors, train, indices=slice(0, None)):
        """Create a loader over tensors, shuffled for training."""
        dataset = torch.utils.data.TensorDataset(*(tensor[indices] for tensor in tensors))
        return torch.utils.data.DataLoader(dataset, self.batch_size, shuffle=train)


class Trainer(HyperParameters):
    """Trains a model on data for some epochs."""

    def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0) -> None:
        self.save_hyperparameters()

    def prepare_data(self, data) -> None:
        """Get the loaders from the data."""
        self.train_dataloader = data.train_dataloader()
        self.val_dataloader = data.val_dataloader()
        self.num_train_batches = len(self.train_dataloader)
        self.num_val_batches = len(self.val_dataloader) if self.val_dataloader is not None else 0

    def prepare_model(self, model) -> None:
        """Connect the model with this trainer."""
        model.trainer = self
        model.board.xlim = [0, self.max_epochs]
        self.model = model

    def fit(self, model, data) -> None:
        self.prepare_data(data)
        self.prepare_model(model)
        self.optim = model.configure_optimizers()
        self.epoch = self.train_batch_idx = self.val_batch_idx = 0
        for epoch in range(self.max_epochs):
            self.epoch = epoch
            self.fit_epoch()

    def prepare_batch(self, batch):
        """Return a batch in the model's form."""
        return batch

    def fit_epoch(self) -> None:
        """Run an epoch on the training data, then the validation data."""
        self.model.train()
        for batch in self.train_dataloader:
            loss = self.model.training_step(self.prepare_batch(batch))
            self.optim.zero_grad()
            with torch.no_grad():
                loss.backward()
                if self.gradient_clip_val > 0:
                    self.clip_gradients(self.gradient_clip_val, self.model)
                self.optim.step()
            self.train_batch_idx += 1
        if self.val_dataloader is None:
            return
        self.model.eval()
        for batch in self.val_dataloader:
            with torch.no_grad():
                self.model.validation_step(self.prepare_batch(batch))
            self.val_batch_idx += 1


class SyntheticRegressionData(DataModule):
    """Features and labels of y = Xw + b with noise."""

    def __init__(self, w, b, noise=0.01, num_train=1000, num_val=1000, batch_size=32) -> None:
        super().__init__()
        self.save_hyperparameters()
        n = num_train + num_val
        self.X = torch.randn(n, len(w))
        self.y = torch.matmul(self.X, w.reshape((-1, 1))) + b + torch.randn(n, 1) * noise

    def get_dataloader(self, train):
        part = slice(0, self.num_train) if train else slice(self.num_train, None)
        return self.get_tensorloader((self.X, self.y), train, part)


class SGD(HyperParameters):
    """Stochastic gradient descent written out."""

    def __init__(self, params, lr) -> None:
        self.save_hyperparameters()

    def step(self) -> None:
        for param in self.params:
            param -= self.lr * param.grad

    def zero_grad(self) -> None:
        for param in self.params:
            if param.grad is not None:
                param.grad.zero_()


class LinearRegressionScratch(Module):
    """Linear regression with hand-written parameters."""

    def __init__(self, num_inputs, lr, sigma=0.01) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.w = torch.normal(0, sigma, (num_inputs, 1), requires_grad=True)
        self.b = torch.zeros(1, requires_grad=True)

    def forward(self, X):
        return torch.matmul(X, self.w) + self.b

    def loss(self, y_hat, y):
        return ((y_hat - y) ** 2 / 2).mean()

    def configure_optimizers(self):
        return SGD([self.w, self.b], self.lr)


class LinearRegression(Module):
    """Linear regression with a layer of torch."""

    def __init__(self, lr) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.LazyLinear(1)
        self.net.weight.data.normal_(0, 0.01)
        self.net.bias.data.fill_(0)

    def loss(self, y_hat, y):
        return F.mse_loss(y_hat, y)

    def get_w_b(self) -> tuple:
        return self.net.weight.data, self.net.bias.data


class Classifier(Module):
    """A model of classes: cross-entropy and accuracy."""

    def validation_step(self, batch) -> None:
        Y_hat = self(*batch[:-1])
        self.plot("loss", self.loss(Y_hat, batch[-1]), train=False)
        self.plot("acc", self.accuracy(Y_hat, batch[-1]), train=False)

    def accuracy(self, Y_hat, Y, averaged=True):
        """Return the accuracy, or a tensor of correct predictions."""
        Y_hat = Y_hat.reshape((-1, Y_hat.shape[-1]))
        right = (Y_hat.argmax(axis=1).type(Y.dtype) == Y.reshape(-1)).type(torch.float32)
        return right.mean() if averaged else right

    def loss(self, Y_hat, Y, averaged=True):
        Y_hat = Y_hat.reshape((-1, Y_hat.shape[-1]))
        return F.cross_entropy(Y_hat, Y.reshape((-1,)), reduction="mean" if averaged else "none")


class SoftmaxRegression(Classifier):
    """Softmax regression with a layer of torch."""

    def __init__(self, num_outputs, lr) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Flatten(), nn.LazyLinear(num_outputs))
