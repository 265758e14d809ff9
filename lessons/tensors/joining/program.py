import torch

a = torch.tensor([[1, 2], [3, 4]])
b = torch.tensor([[5, 6], [7, 8]])
beside = torch.cat((a, b), dim=1)
stacked = torch.stack((a, b))

# %%
tile = torch.tensor([[1, 0], [0, 1]])
board = tile
