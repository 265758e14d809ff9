import torch

p = torch.tensor([1.0, 2.0], requires_grad=True)
f = p[0] ** 2 * p[1] + p[1]
f.backward()
