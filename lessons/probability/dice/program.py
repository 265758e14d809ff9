import torch

p = torch.ones(6) / 6
n = 60
rolls = torch.multinomial(p, n, replacement=True)
share = torch.bincount(rolls, minlength=6) / n
error = (share - p).abs().max()
print(share)
print(error)
