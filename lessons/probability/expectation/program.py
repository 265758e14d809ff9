import torch

faces = torch.arange(1.0, 7.0)
p = torch.ones(6) / 6
total = p.sum()
mean = (p * faces).sum()
variance = (p * (faces - mean) ** 2).sum()
print(total, mean, variance)
