import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a = x + 2
b = a * a
out = b.mean()
out.backward()
