import torch

hours = torch.tensor([[1], [2], [4]])
rates = torch.tensor([10, 20])
pay = hours * rates
