import torch

u = torch.tensor([5.0, -12.0])
length = torch.linalg.norm(u)
city = u.abs().sum()
size = torch.linalg.norm(torch.ones(2, 8))
