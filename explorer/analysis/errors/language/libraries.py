"""Modules that are not here: libraries that are not installed, files of a course, and slips."""

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source import near

RULES = Rules()
HERE = """torch numpy pandas matplotlib sympy math random time os collections itertools functools copy json re csv
dataclasses typing statistics string datetime d2l tqdm plotly""".split()
# Libraries that requirements-extra.txt suggests.
EXTRAS = "sklearn torchvision einops seaborn torchmetrics torchviz tiktoken gymnasium mlxtend scipy".split()
# Other common imports, by what a program can do without them.
OTHERS = {
    "run": """
        tensorflow keras tensorflow_datasets tensorflow_probability jax flax optax haiku mxnet paddle mindspore
        torchtext torchaudio torchdata torcheval torch_geometric torch_scatter torch_sparse dgl
        pytorch_lightning lightning fastai ignite skorch accelerate timm kornia monai segmentation_models_pytorch
        torchinfo torchsummary functorch_utils higher learn2learn pyro gpytorch botorch captum
        xgboost lightgbm catboost shap lime statsmodels networkx triton xformers apex ultralytics
        cupy numba dask cvxpy polars modin pyarrow openpyxl xlrd PIL
        requests urllib3 wget gdown kaggle opendatasets kagglehub bs4 selenium boto3 google datasets transformers
        huggingface_hub tokenizers sentencepiece spacy nltk gensim sacrebleu evaluate peft diffusers
        sentence_transformers openai medmnist torchxrayvision deeplake mnist cv2 skimage imageio librosa soundfile
        pydicom nibabel h5py lmdb zarr netCDF4 geopandas
        gym stable_baselines3 pettingzoo minigrid procgen pygame mujoco dm_control ray deepspeed horovod
        fairscale bitsandbytes onnx onnxruntime tensorrt openvino coremltools optuna hyperopt nevergrad joblib
        """,
    "draw": "bokeh altair pygal ggplot hvplot mplcyberpunk torchvis livelossplot ipympl",
    "print": """
        wandb tensorboard tensorboardX mlflow neptune comet_ml rich loguru absl fire hydra omegaconf click typer
        ipywidgets streamlit gradio line_profiler memory_profiler icecream colorama termcolor prettytable tabulate
        """,
}
_WITHOUT = {name: way for way, names in OTHERS.items() for name in names.split()}
# Packages that are not called as they are imported; "" where no package of an index is what the program means.
_PACKAGES = {
    name: package
    for name, _, package in (
        pair.partition("=")
        for pair in """
        haiku=dm-haiku paddle=paddlepaddle ignite=pytorch-ignite pyro=pyro-ppl absl=absl-py bs4=beautifulsoup4
        cv2=opencv-python skimage=scikit-image PIL=pillow hydra=hydra-core dm_control=dm-control
        torch_geometric=torch-geometric
        apex= google= functorch_utils= torchvis= mindspore= tensorrt= procgen= mnist= ggplot= gym=
        """.split()
    )
}
_SHORTEST = 4  # letters of a name that may be misspelt


def kind_of_module(name: str) -> tuple[str, dict[str, str | int]]:
    """The explanation's kind and values for a module that this place does not have."""
    top = name.partition(".")[0]
    if top in EXTRAS:
        return "module-to-install", {"command": "python -m pip install -r requirements-extra.txt", "without": "run"}
    if top in _WITHOUT:
        package = _PACKAGES.get(top, top)
        command = f"python -m pip install {package}" if package else "none"
        return "module-to-install", {"command": command, "without": _WITHOUT[top]}
    if top in HERE:
        return "module-part-not-here", {"library": top}
    if len(name) >= _SHORTEST and (right := near(name, HERE, 0.8)):
        return "module-near", {"right": right}
    return "module-of-a-file", {}


@RULES.rule("ModuleNotFoundError", r"No module named '(?P<name>[\w.]{1,200})'")
def module_not_here(at: FailureContext) -> Explanation:
    kind, values = kind_of_module(at["name"])
    return at.explain(kind, **values | {"name": at["name"]})


@RULES.rule("ImportError", r"cannot import name '(?P<name>\w{1,200})' from '(?P<module>[\w.]{1,200})'")
def import_of_nothing(at: FailureContext) -> Explanation:
    """A module exists and has no such name."""
    kinds = {"d2l": "book-in-torch", "d2l.torch": "book-lacks-name"}
    return at.explain(kinds.get(at["module"], "name-not-in-module"), name=at["name"], module=at["module"])


RULES.message_rules(
    {
        r"AttributeError: module 'd2l\.torch' has no attribute '(?P<name>\w{1,200})'": "book-lacks-name",
    }
)
