"""A search finds examples and lessons by terms, parts of words and names of torch, in both languages."""

import pytest

from explorer.lessons.course import course
from explorer.lessons.gallery import gallery
from explorer.lessons.search import questions, search


def found(query: str, lang: str = "en") -> list[str]:
    return [hit.id for hit in search(query, lang, gallery(), course())]


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_term_is_found_by_its_name(lang):
    for english, chinese in gallery().terms.items():
        best = found(english if lang == "en" else chinese.split("（")[0], lang)[0]
        about = gallery().examples[best].terms if best in gallery().examples else course().lessons[best].data.concepts
        assert english in about, english


def test_search_finds_lessons_and_examples():
    hits = search("leaf", "zh", gallery(), course())
    assert ("lesson", "autograd/leaf", "叶子张量保存梯度", "自动微分") in [
        (h.kind, h.id, h.title, h.says) for h in hits[:4]
    ]
    assert {hit.kind for hit in hits[:4]} == {"example", "lesson"}


def test_parts_of_words_and_words_of_torch_are_found():
    assert found("retain gr")[0] in ("retain-graph", "retain-grad", "retain-grad-is-no-argument")
    assert "fan-out" in found("路径", "zh")
    assert found("through the graph a second time")[0] == "backward-twice"
    assert set(found("梯度消失", "zh")[:4]) == {"vanishing", "rnn-vanishes", "residual", "exploding"}


NAMES = {
    "tensors/creating": ["ones_like", "zeros_like"],
    "tensors/printing": ["__version__"],
    "tensors/dtype": ["LongTensor"],
    "tensors/elementwise": ["torch.sub", "torch.mul", "torch.div"],
    "tensors/masks": ["torch.eq", "masked_select"],
    "calculus/plotting": ["xlabel", "ylim", "yscale"],
}


@pytest.mark.parametrize(("lesson", "name"), [(lesson, name) for lesson, names in NAMES.items() for name in names])
def test_a_name_that_the_notebooks_use_leads_to_its_lesson(lesson, name):
    assert lesson in found(name) and lesson in found(name, "zh")


# Questions phrased differently than in `lessons/questions.toml`, and the first result.
ASKED = {
    "autograd/leaf": ("why is my gradient none?", ".grad returns None for a hidden layer output", "为什么梯度是None"),
    "autograd/detach": (
        "difference between detach and clone",
        "when should I detach a tensor",
        "detach和clone有什么不同",
    ),
    "frozen-part": ("freeze the first layers of a pretrained net", "怎么冻结前几层"),
    "checkpoint": ("gradient checkpointing to save memory",),
    "per-sample-gradients": ("compute the gradient for each sample",),
    "batch-jacobian": ("jacobian of a batch of samples",),
    "module-hook": ("forward hook on a module",),
    "unscale": ("amp: unscale_ before clipping", "混合精度"),
    "two-losses": ("backward for two losses",),
    "rsample": ("rsample or sample", "重参数化"),
    "reinforce": ("REINFORCE policy gradient loss",),
    "embedding-rows": ("sparse gradient of nn.Embedding",),
    "adam-and-adamw": ("AdamW vs Adam weight decay",),
    "maml": ("differentiate through an inner step, as MAML does",),
    "tied-weights": ("two layers share one weight",),
    "complex-gradient": ("backward with complex numbers",),
    "unused-parameter": ("DDP find_unused_parameters",),
    "inference-mode": ("no_grad vs inference_mode", "no_grad 和 inference_mode"),
    "autograd/no-grad": ("what is the point of with torch.no_grad()",),
    "autograd/eval-mode": ("model.eval() and no_grad, same thing?",),
    "autograd/accumulate": ("do I have to call zero_grad every iteration", "why do grads keep adding up"),
    "backward-twice": ("RuntimeError: Trying to backward through the graph a second time", "第二次backward出错"),
    "retain-graph": ("retain_graph=True meaning",),
    "autograd/vector": ("grad can be implicitly created only for scalar outputs",),
    "backward-under-no-grad": ("element 0 of tensors does not require grad",),
    "leaf-in-place": ("leaf variable in-place operation error",),
    "saved-result-overwritten": ("variables needed for gradient computation modified inplace",),
    "autograd/first-backward": ("what actually happens in loss.backward()", "反向传播怎么工作"),
    "autograd/grad-fn": ("what does grad_fn=<MulBackward0> mean",),
    "only-floats-require-gradients": ("requires_grad=True on integers",),
    "autograd/grad-function": ("autograd.grad or backward",),
    "autograd/higher-order": ("second order derivative in torch",),
    "hessian": ("compute hessian matrix",),
    "jacobian": ("compute full jacobian",),
    "autograd/custom-function": ("write my own backward function",),
    "hook": ("print gradients with a hook",),
    "autograd/data": ("is tensor.data deprecated",),
    "broken/left-as-number": (".item() inside the loss",),
    "straight-through": ("argmax has no gradient",),
    "autograd/nan": ("loss is nan after some steps", "loss变成nan了怎么办"),
    "where-nan": ("torch.where nan gradients",),
    "root-at-zero": ("sqrt(0) gradient inf",),
    "vanishing": ("vanishing gradient problem", "梯度消失"),
    "exploding": ("exploding gradient problem",),
    "rnn-clipped": ("clip gradients by norm",),
    "micro-batches": ("gradient accumulation with small batches",),
    "dead-relu": ("dying relu problem",),
    "diverge": ("learning rate too big", "学习率太大"),
    "broken/cleared-too-soon": ("network doesn't learn anything",),
    "broken/softmax-twice": ("softmax and CrossEntropyLoss together",),
    "tensors/silent-broadcast": ("mse target size different warning",),
    "tensors/broadcasting": ("how broadcasting rules work", "广播"),
    "tensors/views": ("view or reshape", "view和reshape"),
    "contiguous": ("what does .contiguous() do",),
    "tensors/gather": ("how does torch.gather work",),
    "linear-algebra/products": ("mul vs matmul",),
    "axes": ("dim argument of sum",),
    "device": ("tensors on different devices cuda cpu",),
    "control-flow": ("backprop through a for loop",),
}


@pytest.mark.parametrize(("first", "asked"), [(first, asked) for first, many in ASKED.items() for asked in many])
def test_a_question_in_plain_words_leads_to_its_answer(first, asked):
    assert found(asked, "zh" if any(letter > "一" for letter in asked) else "en")[0] == first


def test_every_answer_to_a_question_exists():
    known = set(gallery().examples) | set(course().lessons)
    assert {place for question in questions() for place in question.to} <= known


def test_a_search_may_match_nothing_or_everything():
    assert found("qwertz uiop") == []
    assert len(found(" ")) == len(gallery().examples) + len(course().lessons)
    assert found("x" * 10_000) == []


def test_every_concept_of_a_lesson_is_a_term_with_its_chinese():
    named = {concept for lesson in course().lessons.values() for concept in lesson.data.concepts}
    assert named - set(gallery().terms) == set()
