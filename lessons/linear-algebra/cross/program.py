import torch

a = torch.tensor([1.0, 2.0, 0.0])
b = torch.tensor([0.0, 1.0, 0.0])
c = torch.linalg.cross(a, b)
d = torch.dot(a, c)
