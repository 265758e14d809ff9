"""Modules that are not here: libraries that are not installed, files of a course, and slips."""

import re

from explorer.analysis.errors.expressions import shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.source_words import near
from explorer.analysis.errors.text_edits import replaced

HERE = """torch numpy pandas matplotlib sympy math random time os collections itertools functools copy json re csv
dataclasses typing statistics string datetime d2l tqdm plotly""".split()
# Libraries that requirements-extra.txt suggests, and their package names.
EXTRAS = dict.fromkeys(
    ("sklearn", "torchvision", "einops", "seaborn"), "python -m pip install -r requirements-extra.txt"
)
EXTRAS |= {"PIL": "python -m pip install pillow"}
# Other common imports, by what to use instead.
OTHERS = {
    "torch": """
        tensorflow keras tensorflow_datasets tensorflow_probability jax flax optax haiku mxnet paddle mindspore
        torchtext torchaudio torchdata torchmetrics torcheval torch_geometric torch_scatter torch_sparse dgl
        pytorch_lightning lightning fastai ignite skorch accelerate timm kornia monai segmentation_models_pytorch
        torchinfo torchsummary torchviz functorch_utils higher learn2learn pyro gpytorch botorch captum
        xgboost lightgbm catboost shap lime statsmodels networkx triton xformers apex ultralytics
        """,
    "numpy": "scipy cupy numba dask cvxpy",
    "pandas": "polars modin pyarrow openpyxl xlrd",
    "matplotlib": "bokeh altair pygal ggplot hvplot mplcyberpunk torchvis livelossplot ipympl",
    "print": """
        wandb tensorboard tensorboardX mlflow neptune comet_ml rich loguru absl fire hydra omegaconf click typer
        ipywidgets streamlit gradio line_profiler memory_profiler icecream colorama termcolor prettytable tabulate
        """,
    "file": """
        requests urllib3 wget gdown kaggle opendatasets kagglehub bs4 selenium boto3 google datasets transformers
        huggingface_hub tokenizers sentencepiece tiktoken spacy nltk gensim sacrebleu evaluate peft diffusers
        sentence_transformers openai medmnist torchxrayvision deeplake mnist cv2 skimage imageio librosa soundfile
        pydicom nibabel h5py lmdb zarr netCDF4 geopandas
        """,
    "away": """
        gym gymnasium stable_baselines3 pettingzoo minigrid procgen pygame mujoco dm_control ray deepspeed horovod
        fairscale bitsandbytes onnx onnxruntime tensorrt openvino coremltools optuna hyperopt nevergrad joblib
        """,
}
_FAMILY = {name: family for family, names in OTHERS.items() for name in names.split()}
_SHORTEST = 4  # letters of a name that may be misspelt


@rule("ModuleNotFoundError", r"No module named '([\w.]{1,200})'")
def module_not_here(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A module that this place does not have."""
    name = found[1]
    top = name.partition(".")[0]
    if top in EXTRAS:
        return Explanation("module-to-install", {"name": name, "command": EXTRAS[top]})
    if top in _FAMILY:
        return Explanation(f"module-of-another-library-{_FAMILY[top]}", {"name": name})
    if top in HERE:
        return Explanation("module-part-not-here", {"name": name, "library": top})
    if len(name) >= _SHORTEST and (right := near(name, HERE, 0.8)):
        return Explanation("module-near", {"name": name, "right": right}, _spelt(stopped, name, right), stopped.place)
    return Explanation("module-of-a-file", {"name": name})


def _spelt(stopped: Stopped, name: str, right: str) -> str:
    """The text with the other module, if its own name is not used after the import."""
    pattern = rf"(?<![\w.]){re.escape(name)}(?![\w])"
    once = stopped.span and len(re.findall(pattern, stopped.code)) == 1 and " as " in stopped.code
    if not once and "from" not in stopped.code:
        return ""
    return replaced(stopped.source, stopped.span, re.sub(pattern, right, stopped.code, count=1))


@rule("ImportError", r"cannot import name '(\w{1,200})' from '([\w.]{1,200})'")
def import_of_nothing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A module exists and has no such name."""
    name, module = found[1], found[2]
    if module == "d2l":
        return Explanation("book-in-torch", {"name": name})
    if module == "d2l.torch":
        return Explanation("book-lacks-name", {"name": name})
    return Explanation("name-not-in-module", {"name": name, "module": module, "code": shown(stopped.code)})


@rule("AttributeError", r"module 'd2l\.torch' has no attribute '(\w{1,200})'")
def book_attribute(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A name that the book's library has elsewhere, or not."""
    return Explanation("book-lacks-name", {"name": found[1]})


RULES = (book_attribute, module_not_here, import_of_nothing)
