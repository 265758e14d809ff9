"""Recorded entries as torch tensors of the caller's process."""

import numpy as np
import torch


def tensor_of(entries: np.ndarray, dtype: str) -> torch.Tensor:
    """Create a tensor with these entries.

    `dtype` is torch's name. For bfloat16 the entries are float32.
    """
    return torch.from_numpy(entries.copy()).to(getattr(torch, dtype))
