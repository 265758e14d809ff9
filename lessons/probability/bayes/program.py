import torch

prior = torch.tensor([0.99, 0.01])
positive = torch.tensor([0.05, 0.95])
joint = prior * positive
posterior = joint / joint.sum()
print(posterior)
