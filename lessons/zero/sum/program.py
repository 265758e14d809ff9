import torch

w = torch.tensor(1.0, requires_grad=True)
a = 2 * w
b = 3 * w
y = a + b
y.backward()
