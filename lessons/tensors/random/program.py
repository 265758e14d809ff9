import torch

torch.manual_seed(3)
a = torch.rand(4)
b = torch.rand(4)
torch.manual_seed(3)
c = torch.rand(4)

# %%
dice = torch.randint(0, 6, (1000,))
low, high = dice.min(), dice.max()
