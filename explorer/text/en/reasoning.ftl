# "Why?" asked of a number: a derivation, step by step.

help-why = explain how numbers of a program were computed
help-why-name = what to explain, such as w.grad, w.grad[0, 1], loss or y.requires_grad; omit it to list what can be explained

why = Why?
why-colon = :_
why-of-passed = passed on to { $name }
why-part = { $amount } ({ $about })
why-share = { $about }, { $share } of the sum
why-term-via = via { $word }
why-term-start = starting gradient
why-term-backward-number = line { $line }, backward { $number }
why-term-backward-somewhere = a backward
why-term-before = from before
why-term-several = { COUNTED($count, "contribution", "contributions") }
why-further = { $count ->
    [one] one more
   *[other] { $count } more
}
why-close = Close this answer
why-ask = Why { $word }?
why-ask-value = Why is the value { $amount }?
why-ask-gradient = Why is the gradient { $amount }?
why-ask-none = Why no gradient?
path-part = { $part } (of { $whole })
why-show = show
why-goto = Show { $word } in the graph
why-above = explained above
why-not-yet = This gradient has not arrived yet. Step forward in the player first.
why-entry = This explains entry { $index }. Choose another entry under Details.
why-more = To continue, ask why about one of these numbers.
why-begin = The first number that is not finite: { $text }
why-folded = … { $count } more steps …
why-all = For all { $count } lines, use --all, or .lines in Python. To continue, ask why about one of these numbers.
help-why-all = print every step, not only the largest parts
why-chosen = Entry { $index } { $kind ->
    [largest] has the largest magnitude
    [sample] has the largest magnitude of the { $count } recorded entries
   *[bad] is the first non-finite entry
}. Ask for another entry by its index.

why-again = Running the program again to get the factors of this entry …
why-again-other = The program ran again but computed other gradients, so the factors are unknown.
why-again-recorded = Too little was recorded. Record again with full=["{ $question }"] to keep every factor that torch provides.
why-again-saved = Too little was recorded, and this run was read from a file. Run the program again to get every factor that torch provides.

why-unknown-empty = Enter a name from the program, such as w.grad, w.grad[0, 1] or loss.
why-unknown-name = The program has no tensor named { $name }.{ $has ->
    [yes] {" "}Did you mean { $near }?
   *[no] {""}
}
why-unknown-module = No module named { $name } ran or has parameters.{ $has ->
    [yes] {" "}Did you mean { $near }?
   *[no] {""}
}
why-unknown-index = { $name } has shape { $shape }, so there is no entry { $index }.

# What a step adds, or why it has no parts.
why-note-unknown = this value was not recorded
why-note-empty = it has no entries
why-note-unknown-parts = its parts were not recorded
why-note-underflow = this number is too small for { $dtype } and becomes 0
why-note-hooked = a hook turned { $sum }, the sum that arrived at { $word }, into this
why-note-own = { $node }, a backward written in Python, passed this on
why-note-not-kept = the factors were not recorded: the tensors are large
why-note-changed = { $node } passed this on; { $changed }
why-note-no-factors = { $node } passed this on; its factors are not listed
why-note-complex = { $node } passed this on; factors of complex gradients are not listed
why-note-zero = the incoming gradient is 0
why-note-step = a step of { $optimizer }{ $rated ->
        [yes] {" "}with the learning rate { $rate }
       *[no] {""}
    }, computed from the previous value, its gradient and the optimizer's state
why-note-step-sgd = an SGD step
why-note-shared = { $text } wrote to the memory that it shares with another tensor
why-note-normalised = (x − mean) / √(variance + eps), then weight and bias if the layer has them
why-note-cross-entropy-of = each is −log softmax of a row at its label{ $ignored ->
        [no] {""}
       *[yes] , or 0 if the label is ignore_index
    }{ $count ->
        [0] {""}
       *[other] ; the other { $count } average { $mean }
    }
why-note-nll-loss-of = each is minus the entry of a row at its label{ $ignored ->
        [no] {""}
       *[yes] , or 0 if the label is ignore_index
    }{ $count ->
        [0] {""}
       *[other] ; the other { $count } average { $mean }
    }
why-note-terms-of = each is a term of { $function }, before it is reduced{ $count ->
        [0] {""}
       *[other] ; the other { $count } average { $mean }
    }
why-note-entries-of = { $count ->
        [0] {""}
       *[other] the other { $count } average { $mean }
    }
why-note-row-ignored = the row is left out: its label { $label } is ignore_index
why-note-row = row with the label { $label }
why-note-term-not-kept = only the largest terms of a loss are recorded
why-note-operands-large = its operands were only partly recorded: they are large
why-note-left-as-was = line { $line } did not write this entry
why-note-entropy-label = the factor { $factor } is { $expression } = { $numbers }, because { $label } is the label{ $rows ->
    [1] {""}
   *[other] {" "}of row { $row }
}
why-note-entropy-other = the factor { $factor } is { $expression } = { $numbers }; the label{ $rows ->
    [1] {""}
   *[other] {" "}of row { $row }
} is { $label }
why-note-norm = this is (g − mean(g) − x̂ · mean(g · x̂)) / σ = { $numbers }, with g = gradient{ $weighted ->
    [yes] {" "}· weight
   *[no] {""}
}, x̂ = normalized input
why-note-norm-eval = the factor { $factor } is { $weighted ->
    [yes] weight
   *[no] 1
} / √(running_var + eps) = { $numbers }
why-note-not-leaf = { $name } is not a leaf, so { $name }.grad stays None{ $other ->
        [0] {""}
       *[other] . This { $name } was created on line { $made }; another { $name }, from line { $other }, is a leaf
    }
why-note-implicit = a backward() would compute this; none ran
why-note-no-value = this value was not recorded
why-note-is-grad = it is { $grad }
why-note-unmade = no recorded operation created it
why-note-unseen = an unrecorded operation wrote to it
why-note-made = made by { $text }
why-note-drawn = drawn at random by { $text }
why-note-base-clipped = line { $line } clipped it
why-note-base-zeroed = line { $line } set it to 0
why-note-base-changed = line { $line } changed it: { $text }
why-note-base-assigned = line { $line } assigned it: { $text }
why-note-base-cleared = line { $line } cleared it
why-note-since = since { $what }
why-note-cleared = cleared on line { $line } by { $text }
why-note-asks-leaf = it is a leaf, made with requires_grad=True on line { $line }
why-note-asks-result = { $text } on line { $line } computed it from a tensor with requires_grad=True
why-frozen = { $word }.requires_grad has been False since line { $line }{ $moved ->
    [yes] , but the optimizer still changes it.
   *[no] : later backward calls don't add to its .grad.
}
why-note-asks-not-made = { $text } on line { $line } does not set requires_grad
why-note-asks-not = requires_grad was not set
