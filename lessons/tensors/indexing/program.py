import torch

X = torch.arange(12).reshape(3, 4)
row = X[1]
part = X[1:2]
column = X[:, -1]

# %%
picture = torch.zeros(4, 5, dtype=torch.long)
picture[0] = 1
