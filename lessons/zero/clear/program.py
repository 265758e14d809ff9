import torch

x = torch.tensor(3.0, requires_grad=True)
for step in range(2):
    y = x ** 2
    y.backward()
