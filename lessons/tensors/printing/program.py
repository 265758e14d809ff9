import torch

x = torch.tensor([1, 2.5, 4])
print(x)

# %%
third = torch.tensor([1 / 3])
print(third)

# %%
box = torch.zeros(2, 1, 3)

# %%
y = torch.tensor([7, 8])
print(y)
