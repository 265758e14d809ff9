"""Records of lesson.toml: the questions of a lesson, and the facts that judge them."""

from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta, Struct

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Source = Annotated[str, Meta(max_length=20_000)]  # text of a program
Id = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Language = Annotated[str, Meta(pattern=r"^[a-z]{2,3}$")]  # language of a text: en, zh, or any other
Title = Annotated[dict[Language, Name], Meta(min_length=1, max_length=8)]  # language → title
Picture = Literal["autograd", "tensors", "operations", "broadcasting", "derivatives", "output"]


class Fact(Struct, frozen=True, forbid_unknown_fields=True):
    """A fact of a Trace, requested (`expect`) or required (`check`, `when`). See docs/lessons.md.

    Attributes:
        equals: required value: a number, a text, true or false, or a list (entries, sizes).
        entry: index of one entry of a value or gradient.
        first: whether to use the name's first value.
        near: tolerance for a number.
        least, most: bounds of a number. contains: a part of a text. count: number of such nodes.
    """

    value: Name | None = None
    gradient: Name | None = None
    shape: Name | None = None
    dtype: Name | None = None
    stride: Name | None = None
    version: Name | None = None
    writes: Name | None = None
    grad_fn: Name | None = None
    requires_grad: Name | None = None
    leaf: Name | None = None
    shares: tuple[Name, Name] | None = None
    prints: int | None = None
    plots: int | None = None
    error: Name | None = None
    raises: Name | None = None
    node: Name | None = None
    edge: tuple[Name, Name] | None = None
    backwards: int | None = None
    uses: Name | None = None
    absent: Annotated[list[Name], Meta(min_length=1, max_length=50)] | None = None
    diagnosis: Name | None = None
    number: float | None = None
    entry: Annotated[list[int], Meta(max_length=10)] | None = None
    first: bool = False
    equals: bool | int | float | str | Annotated[list, Meta(max_length=100)] | None = None
    near: Annotated[float, Meta(ge=0)] | None = None
    contains: Name | None = None
    least: float | None = None
    most: float | None = None
    count: Annotated[int, Meta(ge=0)] | None = None

    @property
    def subject(self) -> str:
        """Subject, one of its attributes up to `number`, "" if there are none or several."""
        subjects = self.__struct_fields__[: self.__struct_fields__.index("entry")]
        named = [name for name in subjects if getattr(self, name) is not None]
        return named[0] if len(named) == 1 else ""

    @property
    def requires(self) -> bool:
        """Return whether it requires something of its subject."""
        own = ("plots", "error", "raises", "node", "edge", "backwards", "uses", "absent", "diagnosis")
        expected = (self.equals, self.contains, self.least, self.most, self.count)
        return self.subject in own or any(bound is not None for bound in expected)


Says = TypeVar("Says")


class Mistake(Struct, Generic[Says], frozen=True, forbid_unknown_fields=True):
    """A wrong answer, and the name of the reply to it."""

    says: Says
    reply: Id


class CardName(Struct, frozen=True, forbid_unknown_fields=True):
    """A card: an operation by node, a leaf by variable.

    Attributes:
        which: index among nodes of that name, in program order.
    """

    node: Name | None = None
    leaf: Name | None = None
    which: Annotated[int, Meta(ge=0)] = 0


SaysText = Mistake[Annotated[str, Meta(max_length=2_000)]]  # a letter, a printed text, a part of a line
SaysSizes = Mistake[Annotated[list[int], Meta(max_length=20)]]  # a shape or a list of axes


class Tried(Struct, frozen=True, forbid_unknown_fields=True):
    """An edit that many try.

    Attributes:
        program: an example as a whole.
        when: fact that holds for its Trace and no solution. Programs that satisfy it get the reply.
    """

    program: Source
    when: Fact
    reply: Id


class _Asked(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", kw_only=True):
    """Attributes of all questions: name in the texts, and program to use instead of the lesson's."""

    id: Id
    program: Source | None = None


class NumberAsk(_Asked, frozen=True, forbid_unknown_fields=True, tag="number"):
    """What number will it be?"""

    expect: Fact
    wrong: tuple[Mistake[int | float], ...] = ()


class ShapeAsk(_Asked, frozen=True, forbid_unknown_fields=True, tag="shape"):
    """What shape will it have?"""

    expect: Fact
    wrong: tuple[SaysSizes, ...] = ()


class PrintsAsk(_Asked, frozen=True, forbid_unknown_fields=True, tag="prints"):
    """What will it print?"""

    expect: Fact
    wrong: tuple[SaysText, ...] = ()


class ChoiceAsk(_Asked, frozen=True, forbid_unknown_fields=True, tag="choice"):
    """Multiple choice. Attributes: right: its letter. look: whether the picture may be seen before the answer."""

    right: Annotated[str, Meta(pattern="^[a-h]$")]
    wrong: tuple[SaysText, ...] = ()
    look: bool = False


class CardAsk(_Asked, frozen=True, forbid_unknown_fields=True, tag="card"):
    """Which card of the picture?"""

    right: CardName
    wrong: tuple[Mistake[CardName], ...] = ()


class AxesAsk(_Asked, frozen=True, forbid_unknown_fields=True, tag="axes"):
    """Question about the axes stretched when tensors of the program are broadcast."""

    tensors: Annotated[tuple[Name, ...], Meta(min_length=2, max_length=3)]
    wrong: tuple[SaysSizes, ...] = ()


class MakeAsk(_Asked, frozen=True, forbid_unknown_fields=True, tag="make"):
    """Change the program until every check holds.

    Attributes:
        solution: a whole program of which they hold.
        wrong: edits that many try.
    """

    check: Annotated[tuple[Fact, ...], Meta(min_length=1, max_length=20)]
    solution: Source
    wrong: tuple[Tried, ...] = ()


Ask = NumberAsk | ShapeAsk | PrintsAsk | ChoiceAsk | CardAsk | AxesAsk | MakeAsk


class LessonData(Struct, frozen=True, forbid_unknown_fields=True):
    """lesson.toml.

    Attributes:
        ask: questions in order.
        picture: view next to the program.
        minutes: time needed, 0 if unknown.
        needs: required lessons. concepts: terms of the glossary. seeds: sections of the seed notebooks.
    """

    ask: Annotated[tuple[Ask, ...], Meta(min_length=1, max_length=12)]
    picture: Picture = "autograd"
    minutes: Annotated[int, Meta(ge=0, le=240)] = 0
    needs: Annotated[tuple[Name, ...], Meta(max_length=20)] = ()
    concepts: Annotated[tuple[Name, ...], Meta(max_length=40)] = ()
    seeds: Annotated[tuple[Name, ...], Meta(max_length=40)] = ()


def in_language(title: Title, lang: str) -> str:
    """Return a title in a language, otherwise in its first one."""
    return title.get(lang) or next(iter(title.values()))


class Chapter(Struct, frozen=True, forbid_unknown_fields=True):
    """A chapter.

    Attributes:
        needs: ids of chapters. lessons: names of folders, in order.
        can: skill learned, by language, as the end of "You can …".
    """

    id: Id
    title: Title
    lessons: Annotated[tuple[Id, ...], Meta(max_length=60)]
    needs: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    can: Annotated[dict[Language, Name], Meta(max_length=8)] = {}


class CoursePath(Struct, frozen=True, forbid_unknown_fields=True):
    """A path through the course, in course order, for learners with prior knowledge (`title`)."""

    id: Id
    title: Title
    lessons: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=200)]


class CourseData(Struct, frozen=True, forbid_unknown_fields=True):
    """course.toml."""

    chapter: Annotated[tuple[Chapter, ...], Meta(min_length=1, max_length=40)]
    path: Annotated[tuple[CoursePath, ...], Meta(max_length=8)] = ()
