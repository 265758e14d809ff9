import matplotlib.pyplot as plt
import torch

prior = torch.tensor([0.99, 0.01])
positive = torch.tensor([0.05, 0.95])
joint = prior * positive

# 10 000 people: first the ill who test positive, then the healthy who do
ends = torch.cat([joint.flip(0), prior - joint]).cumsum(0)[:3]
groups = torch.bucketize((torch.arange(10_000) + 0.5) / 10_000, ends)
ill, healthy = torch.bincount(groups, minlength=4)[:2].tolist()
plt.figure(figsize=(4, 4))
plt.imshow(3 - groups.reshape(100, 100), cmap="magma_r")
plt.title(f"of 10 000: {ill} ill and {healthy} healthy are positive")
plt.axis("off")
plt.show()

posterior = joint / joint.sum()
print(posterior)
