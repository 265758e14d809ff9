import torch

def f(x):
    return x ** 2 + x

x = torch.tensor(2.0)
coarse = (f(x + 1) - f(x)) / 1
fine = (f(x + 0.125) - f(x)) / 0.125
tiny = (f(x + 1e-8) - f(x)) / 1e-8
