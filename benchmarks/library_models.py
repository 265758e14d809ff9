"""Small library models with random weights: a function creates each, and a step ends in a loss.

A model whose library is not installed raises ImportError when it is made.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Made(NamedTuple):
    """A model and the function that computes its losses."""

    model: nn.Module
    losses: Callable[[nn.Module], Tensor | Mapping[str, Tensor]]

    def learn(self) -> None:
        """Take a step here, because a backward in the scenarios' file would count as the programs' own."""
        torch.manual_seed(1)  # for dropout and sampled boxes
        found = self.losses(self.model)
        (found if isinstance(found, Tensor) else sum(found.values())).backward()


MODELS: dict[str, Callable[[], Made]] = {}


def library_model(function: Callable[[], Made]) -> Callable[[], Made]:
    """Return a row of the table, by the function's name."""
    MODELS[function.__name__] = function
    return function


def _words(count: int = 64, length: int = 12) -> Tensor:
    return torch.randint(2, count, (2, length))


def _labelled(model: nn.Module, inputs: Tensor, **given: Tensor) -> Made:
    """Return a language model that is given its labels and returns its loss."""
    return Made(model, lambda model: model(input_ids=inputs, labels=inputs, **given).loss)


@library_model
def transformers_gpt2() -> Made:
    """GPT-2."""
    from transformers import GPT2Config, GPT2LMHeadModel

    shape = GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=4, n_head=2, bos_token_id=0, eos_token_id=0)
    return _labelled(GPT2LMHeadModel(shape), _words())


@library_model
def transformers_llama() -> Made:
    """Llama with grouped keys."""
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 4, "num_attention_heads": 4}
    return _labelled(LlamaForCausalLM(LlamaConfig(vocab_size=64, num_key_value_heads=2, **sizes)), _words())


@library_model
def transformers_bert() -> Made:
    """BERT, its padding masked."""
    from transformers import BertConfig, BertForMaskedLM

    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 4, "num_attention_heads": 4}
    mask = torch.ones(2, 12, dtype=torch.long)
    mask[1, 8:] = 0
    return _labelled(BertForMaskedLM(BertConfig(vocab_size=64, **sizes)), _words(), attention_mask=mask)


@library_model
def transformers_t5() -> Made:
    """T5: encoder and decoder share their embedding."""
    from transformers import T5Config, T5ForConditionalGeneration

    shape = T5Config(vocab_size=64, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0)
    return _labelled(T5ForConditionalGeneration(shape), _words())


@library_model
def transformers_mixtral() -> Made:
    """Mixtral: each token is routed to two of four experts."""
    from transformers import MixtralConfig, MixtralForCausalLM

    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    shape = MixtralConfig(vocab_size=64, num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2, **sizes)
    return _labelled(MixtralForCausalLM(shape), _words())


@library_model
def transformers_mamba() -> Made:
    """Mamba, its scan written in Python."""
    from transformers import MambaConfig, MambaForCausalLM

    shape = MambaConfig(vocab_size=64, hidden_size=16, state_size=4, num_hidden_layers=2, use_mambapy=False)
    return _labelled(MambaForCausalLM(shape), _words(length=6))


@library_model
def transformers_clip() -> Made:
    """CLIP: two towers and one loss between them."""
    from transformers import CLIPConfig, CLIPModel

    shared = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
    text = {**shared, "vocab_size": 64, "max_position_embeddings": 12, "bos_token_id": 0, "eos_token_id": 1}
    image = {**shared, "image_size": 16, "patch_size": 8}
    model = CLIPModel(CLIPConfig(text_config=text, vision_config=image, projection_dim=8))
    words, pictures = _words(), torch.randn(2, 3, 16, 16)
    return Made(model, lambda model: model(input_ids=words, pixel_values=pictures, return_loss=True).loss)


@library_model
def transformers_whisper() -> Made:
    """Whisper: from sound to words."""
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    sides = {f"{side}_{what}": value for side in ("encoder", "decoder") for what, value in
             (("layers", 2), ("attention_heads", 2), ("ffn_dim", 24))}  # fmt: skip
    ends = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1, "decoder_start_token_id": 0}
    lengths = {"max_source_positions": 10, "max_target_positions": 12, "num_mel_bins": 8}
    model = WhisperForConditionalGeneration(WhisperConfig(vocab_size=64, d_model=16, **sides, **lengths, **ends))
    sound, words = torch.randn(2, 8, 20), _words()
    return Made(model, lambda model: model(input_features=sound, labels=words).loss)


def _classified(model: nn.Module, size: int = 32) -> Made:
    """Return a classifier of images with five classes."""
    images, targets = torch.randn(2, 3, size, size), torch.randint(5, (2,))
    return Made(model, lambda model: F.cross_entropy(model(images), targets))


def _timm(name: str, size: int = 32, **given: object) -> Made:
    import timm

    return _classified(timm.create_model(name, pretrained=False, num_classes=5, **given), size)


@library_model
def timm_resnet() -> Made:
    """ResNet-18."""
    return _timm("resnet18")


@library_model
def timm_vit() -> Made:
    """Return a tiny ViT of 12 blocks."""
    return _timm("vit_tiny_patch16_224", img_size=32, embed_dim=48)


@library_model
def timm_convnext() -> Made:
    """ConvNeXt, atto."""
    return _timm("convnext_atto")


@library_model
def timm_efficientnet() -> Made:
    """EfficientNet-lite."""
    return _timm("efficientnet_lite0")


@library_model
def timm_mixer() -> Made:
    """MLP-Mixer."""
    return _timm("mixer_s32_224", img_size=64, size=64)


@library_model
def torchvision_resnet() -> Made:
    """ResNet-18."""
    from torchvision.models import resnet18

    return _classified(resnet18(num_classes=5))


@library_model
def torchvision_mobilenet() -> Made:
    """MobileNet v3, small."""
    from torchvision.models import mobilenet_v3_small

    return _classified(mobilenet_v3_small(num_classes=5))


@library_model
def torchvision_swin() -> Made:
    """Swin, tiny."""
    from torchvision.models.swin_transformer import SwinTransformer

    sizes = {"patch_size": [4, 4], "window_size": [4, 4], "embed_dim": 12, "depths": [2, 2], "num_heads": [2, 4]}
    return _classified(SwinTransformer(**sizes, num_classes=5))


@library_model
def torchvision_detection() -> Made:
    """Faster R-CNN: a dict of four losses."""
    from torchvision.models.detection import FasterRCNN
    from torchvision.models.detection.backbone_utils import resnet_fpn_backbone

    backbone = resnet_fpn_backbone(backbone_name="resnet18", weights=None, trainable_layers=5)
    model = FasterRCNN(backbone, num_classes=3, min_size=64, max_size=64)
    images = [torch.rand(3, 64, 64), torch.rand(3, 64, 64)]
    box = {"boxes": torch.tensor([[4.0, 4.0, 40.0, 44.0]]), "labels": torch.tensor([1])}
    return Made(model, lambda model: model(images, [box, box]))


@library_model
def torchvision_segmentation() -> Made:
    """DeepLab: two outputs in a dict."""
    from torchvision.models.segmentation import deeplabv3_mobilenet_v3_large as deeplab

    model = deeplab(weights=None, weights_backbone=None, num_classes=3, aux_loss=True)
    images, targets = torch.randn(2, 3, 32, 32), torch.randint(3, (2, 32, 32))

    def losses(model: nn.Module) -> Mapping[str, Tensor]:
        """One for each output."""
        return {name: F.cross_entropy(out, targets) for name, out in model(images).items()}

    return Made(model, losses)


@library_model
def diffusers_unet() -> Made:
    """Return a U-Net with attention that predicts noise."""
    from diffusers import UNet2DModel

    blocks = {
        "down_block_types": ("DownBlock2D", "AttnDownBlock2D"),
        "up_block_types": ("AttnUpBlock2D", "UpBlock2D"),
        "block_out_channels": (8, 16),
    }
    sizes = {"sample_size": 8, "layers_per_block": 1, "norm_num_groups": 4, "attention_head_dim": 8}
    noise, times = torch.randn(2, 3, 8, 8), torch.tensor([3, 70])
    return Made(UNet2DModel(**blocks, **sizes), lambda model: F.mse_loss(model(noise, times).sample, noise))


@library_model
def diffusers_autoencoder() -> Made:
    """Return the variational autoencoder of latent diffusion."""
    from diffusers import AutoencoderKL

    model = AutoencoderKL(block_out_channels=(8,), norm_num_groups=4, latent_channels=2)
    images = torch.randn(2, 3, 16, 16)

    def losses(model: nn.Module) -> Tensor:
        """Return how far the images are from themselves, and the latent from a standard normal."""
        latent = model.encode(images).latent_dist
        return F.mse_loss(model.decode(latent.mode()).sample, images) + 1e-3 * latent.kl().mean()

    return Made(model, losses)


@library_model
def peft_lora() -> Made:
    """GPT-2 with LoRA in its attention; everything else is frozen."""
    from peft import LoraConfig, get_peft_model

    plain = transformers_gpt2()
    model = get_peft_model(plain.model, LoraConfig(r=4, target_modules=["c_attn"], fan_in_fan_out=True))
    return Made(model, plain.losses)


@library_model
def peft_ia3() -> Made:
    """Llama with IA³: vectors that scale keys, values and an inner layer."""
    from peft import IA3Config, get_peft_model

    plain = transformers_llama()
    adapted = IA3Config(target_modules=["k_proj", "v_proj", "down_proj"], feedforward_modules=["down_proj"])
    return Made(get_peft_model(plain.model, adapted), plain.losses)


def _graph(model: nn.Module, features: int = 8, classes: int = 3) -> Made:
    """Return a node classifier for graphs."""
    nodes, edges = torch.randn(10, features), torch.randint(10, (2, 40))
    targets = torch.randint(classes, (10,))
    return Made(model, lambda model: F.cross_entropy(model(nodes, edges), targets))


@library_model
def geometric_gcn() -> Made:
    """Three graph convolutions."""
    from torch_geometric.nn import GCN

    return _graph(GCN(8, 16, num_layers=3, out_channels=3))


@library_model
def geometric_gat() -> Made:
    """Three layers of graph attention."""
    from torch_geometric.nn import GAT

    return _graph(GAT(8, 16, num_layers=3, out_channels=3, heads=2))


@library_model
def geometric_sage() -> Made:
    """GraphSAGE."""
    from torch_geometric.nn import GraphSAGE

    return _graph(GraphSAGE(8, 16, num_layers=2, out_channels=3))


@library_model
def lightning_module() -> Made:
    """Return a LightningModule whose training step is called directly."""
    import lightning

    class Wave(lightning.LightningModule):
        """Learns sin(3x)."""

        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))

        def training_step(self, batch: Tensor, index: int = 0) -> Tensor:
            """Return the squared error of a batch."""
            return F.mse_loss(self.body(batch), torch.sin(3 * batch))

    batch = torch.rand(8, 1)
    return Made(Wave(), lambda model: model.training_step(batch))
