import torch

x = torch.tensor(1.0, requires_grad=True)
u = 3 * x + 1
u.retain_grad()
y = u ** 2
y.backward()
