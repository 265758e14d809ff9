import torch
def f(x):
    return 3 * x ** 2 - 4 * x
x = torch.tensor(1.0)
h = 1e-8
slope = (f(x + h) - f(x)) / h
print(slope)
