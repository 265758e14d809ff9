import torch

heads, tails = 7, 3
p = torch.tensor(0.5, requires_grad=True)
log_likelihood = heads * p.log() + tails * (1 - p).log()
log_likelihood.backward()
print(p.grad)
