import torch

whole = torch.tensor([3, 4])
half = whole / 2
small = torch.tensor([200, 100], dtype=torch.uint8)
total = small + small
