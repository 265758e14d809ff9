import torch

x = torch.arange(6)
rows = x.reshape(2, 3)
first = x[:2]
picked = x[[0, 1]]

x[0] = 100
