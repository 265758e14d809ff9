import torch

x = torch.tensor([1.0, 2.0, 4.0])
y = torch.tensor([2.0, 2.0, 3.0])
product = x * y
z = torch.add(x, y, alpha=10)
