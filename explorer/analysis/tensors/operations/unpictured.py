"""Which operations have a picture, and why others have none."""

from typing import Literal

from explorer.analysis.tensors.operations import (
    creation,
    elementwise,
    indexed_writes,
    indexing,
    products,
    rearrangements,
    reductions,
)

# By subject torch's names of the operations that have a picture.
PICTURED = {
    "reduce": frozenset(reductions.NAMES),
    "pick": frozenset(indexing.NAMES | indexed_writes.NAMES),
    "shape": frozenset(rearrangements.KINDS),
    "each": frozenset(elementwise.NAMES),
    "products": frozenset(products.NAMES | {"linalg_svd", "svd"}),
    "create": frozenset(creation.NAMES),
}

Why = Literal["window", "composed", "whole", "chance", "unknown"]
WHYS: tuple[Why, ...] = ("composed", "window", "whole", "chance", "unknown")

_WINDOWS = (
    *("conv", "max_pool", "avg_pool", "adaptive_", "lp_pool", "fractional_max_pool"),
    *("unfold", "fold", "interpolate", "upsample", "grid_sample"),
)
_COMPOSED = {"binary_cross_entropy", "binary_cross_entropy_with_logits", "cdist", "cosine_similarity", "cross_entropy"}
_COMPOSED |= {"batch_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm", "normalize", "glu", "kl_div"}
_COMPOSED |= {"linalg_matrix_power", "linalg_multi_dot", "linalg_vecdot", "matrix_power", "pairwise_distance"}
_COMPOSED |= {"multi_head_attention_forward", "scaled_dot_product_attention"}
_WHOLE = {"cholesky", "det", "inverse", "logdet", "lu", "matrix_exp", "pinverse", "qr", "slogdet", "stft", "istft"}
_UNKNOWN = {"linalg_diagonal", "linalg_matmul", "linalg_vander", "fft_fftshift", "fft_ifftshift", "fft_fftfreq"}
_UNKNOWN |= {"fft_rfftfreq", "ctc_loss"}
_CHANCE = {"alpha_dropout", "bernoulli", "dropout", "dropout1d", "dropout2d", "dropout3d", "exponential"}
_CHANCE |= {"feature_alpha_dropout", "gumbel_softmax", "multinomial", "poisson", "rrelu"}


def why_unpictured(name: str) -> Why:
    """Why an operation without a picture has none, by torch's name of it.

    Returns:
        composed: it is several operations in one; window: an entry of the result reads a window of entries; whole: it
        is computed from its operand as a whole; chance: it draws random numbers; unknown: no rule for it is here.

    >>> why_unpictured("conv2d"), why_unpictured("mse_loss"), why_unpictured("linalg_inv"), why_unpictured("unique")
    ('window', 'composed', 'whole', 'unknown')
    """
    plain = name.rstrip("_")
    if plain in _UNKNOWN:
        return "unknown"
    if plain in _COMPOSED or plain.endswith("_loss"):
        return "composed"
    if plain in _CHANCE:
        return "chance"
    if plain in _WHOLE or plain.startswith(("linalg_", "fft_")):
        return "whole"
    return "window" if plain.startswith(_WINDOWS) else "unknown"
