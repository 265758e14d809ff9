import torch

target = torch.tensor([0.0, 3.0, 6.0])
guess = torch.tensor([[0.0], [3.0], [6.0]])
error = guess - target
loss = (error ** 2).mean()
