import torch

x = torch.tensor([[3.0, -1.0], [-2.0, 4.0]])
mask = x > 0
count = mask.sum()
kept = x[mask]

# %%
y = x.clone()
