import torch

steps = torch.arange(0, 10, 2)
points = torch.linspace(0, 10, 5)
table = torch.tensor([[2, 1, 4], [3, 5, 6]])
blank = torch.zeros(2, 3)
