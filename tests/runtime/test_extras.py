"""Optional libraries: tutorial code runs with them, and their absence is reported."""

import pytest

from explorer.runtime.optional_libraries import installed
from explorer.trace import Echo, Failure, Figure, Refusal
from tests.runtime.test_cells import ran, texts

needs_sklearn = pytest.mark.skipif(not installed("sklearn"), reason="scikit-learn is not installed")
needs_torchvision = pytest.mark.skipif(not installed("torchvision"), reason="torchvision is not installed")
needs_pillow = pytest.mark.skipif(not installed("PIL"), reason="Pillow is not installed")

MOONS = "from sklearn.datasets import make_moons\nX, y = make_moons(60, noise=.1, random_state=0)\n"
PICTURE = "import numpy as np\nfrom PIL import Image\n"


def echo(source: str) -> str:
    found = ran(source).cells[0].outputs
    assert not texts(found, Failure) and not [one.text for one in found if isinstance(one, Refusal)]
    return texts(found, Echo)[-1]


@needs_sklearn
@pytest.mark.parametrize(
    "source, shown",
    [
        ("from sklearn.datasets import load_iris\nload_iris().data.shape", "(150, 4)"),
        ("from sklearn.linear_model import LogisticRegression\nLogisticRegression().fit(X, y)", "LogisticRegression()"),
        ("from sklearn.ensemble import RandomForestClassifier\n"
         "RandomForestClassifier(5, n_jobs=-1, random_state=0).fit(X, y).score(X, y)", "1.0"),
        ("from sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import StandardScaler\n"
         "from sklearn.svm import SVC\nmake_pipeline(StandardScaler(), SVC()).fit(X, y).score(X, y) > .9", "True"),
    ],
)  # fmt: skip
def test_scikit_learn_works(source, shown):
    assert echo(MOONS + source) == shown


@needs_torchvision
@pytest.mark.parametrize(
    "source, shown",
    [
        ("torchvision.models.squeezenet1_1(num_classes=3).eval()(torch.rand(1, 3, 32, 32)).shape",
         "torch.Size([1, 3])"),
        ("torchvision.ops.box_iou(torch.tensor([[0., 0., 2., 2.]]), torch.tensor([[1., 1., 3., 3.]]))",
         "tensor([[0.1429]])"),
    ],
)  # fmt: skip
def test_torchvision_works(source, shown):
    assert echo("import torchvision\nfrom torchvision import transforms, datasets\n" + source) == shown


@needs_pillow
def test_pictures_from_arrays_are_shown():
    source = PICTURE + "im = Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)).resize((2, 2))\n"
    assert echo(source + "im.size, im.mode, np.array(im).shape") == "((2, 2), 'RGB', (2, 2, 3))"
    for shown in ("im", "display(im)", "im.show()"):
        [figure] = [one for one in ran(source + shown).cells[0].outputs if isinstance(one, Figure)]
        assert (figure.format, figure.width, figure.height) == ("png", 2, 2)


@needs_pillow
def test_pictures_are_saved_among_the_files_of_the_program():
    source = PICTURE + "Image.fromarray(np.zeros((2, 2), np.uint8)).save('x.png')\nImage.open('x.png').size"
    assert echo(source) == "(2, 2)"


@pytest.mark.parametrize("name", [name for name in ("sklearn", "torchvision", "einops") if not installed(name)])
def test_a_missing_library_is_not_found(name):
    [failure] = [one for one in ran(f"import {name}").cells[0].outputs if isinstance(one, Failure)]
    assert (failure.type, failure.text) == ("ModuleNotFoundError", f"No module named '{name}'")
