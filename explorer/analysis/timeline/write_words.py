"""Writes, updates and gradients in words."""

from explorer.analysis.autograd.entry_texts import sum_digits
from explorer.analysis.autograd.steps import steps
from explorer.analysis.timeline.operation_words import OperationWords
from explorer.analysis.timeline.records import Moment, Stored
from explorer.analysis.timeline.sentence_parts import NAMED, amount, clauses, code, listed, short
from explorer.text import joined
from explorer.text.equations import approx
from explorer.text.numbers import number
from explorer.trace import index_at


class WriteWords(OperationWords):
    """What changed in place, what an optimizer did, and how gradients arrived and went."""

    def write(self, moment: Moment) -> str:
        trace = self.trace
        changed = [row for row in moment.versions if row > trace.tensors.version_start[trace.index.tensor_of(row)]]
        operation = moment.operations - 1
        own = [row for row in changed if moment.first <= trace.versions.operation[row] < moment.operations]
        if not own:
            return self.statement(moment)
        operation = trace.versions.operation[own[-1]]
        given = [*trace.operations.inputs[operation][:1], *trace.operations.outputs[operation]]
        row = next((candidate for candidate in own if trace.index.tensor_of(candidate) in given), own[0])
        tensor = trace.index.tensor_of(row)
        version, earlier = trace.versions.version[row], trace.versions.version[row - 1]
        what = short(self.line_of(moment))
        word = {"what": what, **self.difference(row)}
        if "before" not in word:
            name = self.name(tensor, operation)
            same = "written-same" if word.pop("same", "") else "written-large"
            word.pop("after", "")
            first = self.say(same, **word, name=code(name), version=version) if name and version >= 0 else ""
        elif version < 0:
            first = self.say("written", **word)
        else:
            unseen = version == earlier
            first = self.say("written-unseen" if unseen else "written-version", **word, version=version)
        also = self.also(own, row, operation)
        made = [node for index in range(moment.first, moment.operations) for node in self.made(index)]
        return joined(self.lang, [first or self.say("ran", what=what), also, self.remembers(moment, made)])

    def difference(self, row: int) -> dict[str, str]:
        """A tensor's state before and after a write: a single entry if only that changed; `same` if none did."""
        before, after = self.trace.value_at(row - 1), self.trace.value_at(row)
        if before is None or after is None or before.shape != after.shape:
            return {}
        if before.data is not None and after.data is not None:
            places = [i for i, pair in enumerate(zip(before.data, after.data, strict=True)) if pair[0] != pair[1]]
            if not places:
                return {"same": "same"}
            if len(places) == 1 and len(after.data) > 1:
                index = ", ".join(map(str, index_at(places[0], after.shape)))
                entries = number(before.data[places[0]]), number(after.data[places[0]])
                before_there = self.say("at-entry", value=code(entries[0]), index=code(f"[{index}]"))
                return {"before": before_there, "after": code(entries[1])}
        words = amount(before), amount(after)
        if not all(words) or words[0] == words[1] or len(words[0] + words[1]) > 60:
            return {}
        return {"before": code(words[0]), "after": code(words[1])}

    def also(self, rows: list[int], row: int, operation: int) -> str:
        """Other names of the memory that was written, and whether autograd noticed."""
        trace, own = self.trace, self.name(self.trace.index.tensor_of(row), operation)
        others = [other for other in rows if other != row and "same" not in self.difference(other)]
        unseen = [
            other
            for other in others
            if trace.tensors.requires_grad[trace.index.tensor_of(other)]
            and trace.versions.version[other] == trace.versions.version[other - 1] >= 0
        ]
        names = [self.name(trace.index.tensor_of(other)) for other in (unseen or others)]
        texts = [code(name) for name in dict.fromkeys(names) if name and (name != own or unseen)]
        if not texts:
            return ""
        if unseen:
            return self.say("written-hidden", name=texts[0], version=trace.versions.version[unseen[0]])
        return self.say("written-also", names=listed(texts, self.lang), count=len(texts))

    def found(self, moment: Moment) -> str:
        """A change that no recorded operation wrote."""
        trace = self.trace
        for row in moment.versions:
            tensor = trace.index.tensor_of(row)
            if row > trace.tensors.version_start[tensor] and trace.versions.operation[row] < 0:
                word, name = self.difference(row), self.name(tensor)
                if "before" in word and name:
                    return self.say("found", name=code(name), **word)
        return ""

    def update(self, moment: Moment) -> str:
        trace, parts = self.trace, []
        rows = [row for row in moment.versions if row > trace.tensors.version_start[trace.index.tensor_of(row)]]
        for row in rows:
            tensor = trace.index.tensor_of(row)
            name, before, after = self.name(tensor), amount(trace.value_at(row - 1)), amount(trace.value_at(row))
            if not trace.tensors.requires_grad[tensor] or not name:
                continue
            short_enough = before and after and len(before) + len(after) <= 24
            word = {"name": code(name), "before": code(before), "after": code(after)}
            parts.append(self.say("becomes", **word) if short_enough else code(name))
        if not parts:
            return self.say("ran", what=short(self.line_of(moment)))
        kind = self.optimizer(moment)
        rate = self.rate(moment)
        text = clauses(parts, self.lang)
        if rate is None:
            return self.say("update", kind=kind, parts=text)
        return self.say("update-rate", kind=kind, rate=code(number(rate)), parts=text)

    def optimizer(self, moment: Moment) -> str:
        """The optimizer's class, as code."""
        names = (
            self.trace.strings[self.trace.operations.name[operation]]
            for operation in range(moment.first, moment.operations)
        )
        return next(
            (code(name.partition(".")[0]) for name in names if name.endswith(".step")), short(self.line_of(moment))
        )

    def rate(self, moment: Moment) -> float | None:
        """The learning rate of the step, where all groups have one."""
        log = self.trace.log
        calls = [
            call for call in log.calls if call.kind == "step" and moment.first <= call.operations <= moment.operations
        ]
        if len(calls) != 1 or calls[0].value is None or calls[0].subject < 0:
            return None
        return calls[0].value if len(log.optimizers[calls[0].subject].groups) == 1 else None

    def clear(self, moment: Moment) -> str:
        parts = [self.cleared(stored) for stored in moment.gradients if stored.known]
        if not moment.gradients:
            return self.say("cleared-empty", what=short(self.line_of(moment)))
        parts = [part for part in parts if part]
        names = [code(f"{name}.grad") for name in (self.name(stored.leaf) for stored in moment.gradients) if name]
        if len(names) > 2 and all(stored.known and stored.value < 0 for stored in moment.gradients):
            return self.say("cleared-all", names=listed(names, self.lang))
        return self.say("cleared", parts=clauses(parts, self.lang)) if parts else self.statement(moment)

    def cleared(self, stored: Stored) -> str:
        name = self.name(stored.leaf)
        held = self.held_before(stored)
        if not name:
            return ""
        word, after = code(f"{name}.grad"), amount(self.trace.value(stored.value))
        if stored.value < 0:
            return (
                self.say("cleared-none", name=word, before=code(held))
                if held
                else self.say("cleared-set", name=word, after=code("None"))
            )
        if held and held != after:
            return self.say("cleared-zero", name=word, before=code(held), after=code(after))
        return self.say("cleared-set", name=word, after=code(after)) if after else ""

    def stored_anew(self, moment: Moment) -> str:
        """A change of leaves' `.grad` that is neither a clearing nor a backward."""
        last = {stored.leaf: stored for stored in moment.gradients}
        parts = [part for part in map(self.cleared, last.values()) if part]
        what = short(self.line_of(moment))
        return self.say("stored", what=what, parts=clauses(parts, self.lang)) if parts else ""

    def backward(self, moment: Moment) -> str:
        if moment.step >= 0 and self.view is not None:
            if self.steps is None:
                self.steps = steps(self.trace, self.view, self.lang).steps
            return self.steps[moment.step].sentence if moment.step < len(self.steps) else ""
        chapter = self.line.chapters[moment.chapter]
        call = self.trace.backwards[chapter.backward]
        what = short(self.line_of(moment) or "backward()")
        if call.status == "failed":
            return self.say("backward-failed", what=what)
        parts = [part for part in map(self.arrived, moment.gradients) if part]
        values = self.values([name for name in moment.names if not name.gone])
        if not parts:
            return self.say("value", what=what, value=values) if values else self.say("backward-alone", what=what)
        if all(part[0] == part[-1] == "`" and part.count("`") == 2 for part in parts[:NAMED]):
            parts = [part if part.count("`") == 2 else f"`{part.split('`')[1]}`" for part in parts]
            return self.say("backward-large", what=what, names=listed(parts, self.lang))
        return self.say("backward", what=what, parts=clauses(parts, self.lang))

    def arrived(self, stored: Stored) -> str:
        name, after = self.name(stored.leaf), amount(self.trace.value(stored.value))
        if not name or not after:
            return ""
        word, values = code(f"{name}.grad"), [self.value_before(stored), self.trace.value(stored.added)]
        if all(value is not None and value.data is not None for value in values):
            digits, sign = sum_digits(values, self.trace.value(stored.value))
            before, added = (amount(value, digits) for value in values)
            if len(before + added + after) <= 40:
                told = approx(sign) + code(after)
                return self.say("added", name=word, before=code(before), added=code(added), after=told)
        if len(after) > 24:
            return word
        return self.say("arrived", name=word, after=code(after))
