# The player: the events of each step, and its controls.

# How an operation passes its gradient on, in the player and on the page Operations.
rule-add = Addition passes the gradient on unchanged
rule-same = The gradient is passed on unchanged
rule-sub = Subtraction passes the gradient on, negated for the subtrahend
rule-mul = Multiplication sends the gradient times the other factor
rule-sum = A sum gives every entry the whole gradient
rule-mean = A mean gives every entry an equal share of the gradient
rule-moved = Each gradient goes back where its entry came from
rule-relu = relu passes the gradient on where { $name } > 0 and stops it elsewhere
rule-stretched = The gradient is summed over the axes that were stretched

# A text as a sentence, alone or with its parts.
sentence = { $text }.
sentence-parts = { $text }: { $parts }.

step-start = { $call } starts with gradient { $seed }.
step-start-implicit = { $call } would start with gradient { $seed }.
step-start-asked = You start with gradient { $seed }.
step-hooked = A hook changed the gradient.
step-hooked-from = { $hook ->
    [none] A hook
   *[other] The hook { $hook }
} changed the gradient from { $before } to { $after }.
step-has = { $card } has gradient { $gradient }.
step-relu-one = { $open ->
    [yes] relu passes the gradient on to { $to } because { $name } > 0.
   *[other] relu stops the gradient: { $name } is 0.
}
step-relu-count = { $open } of { COUNTED($count, "entry", "entries") } go through to { $to }
step-matmul = { $card } has gradient { $gradient } and sends { $parts }.
step-upstream = { $gradient } is the gradient that arrives here.
step-inside = { $card } sends { $parts }.
step-own = The program's own backward of { $card } sends { $parts }.
step-other = Multiplied by the local derivative: { $parts }.
step-conjugated = Multiplied by the conjugate of the local derivative: { $parts }.
step-nothing = { $card } sends no gradient to its inputs.
step-rounds = The gradient goes back through { $kept ->
    [some] the recorded
   *[all] all
} { COUNTED($count, "round", "rounds") } of { $card }.
step-to-summed = { $amount } to { $to }, summed over axis { $axes }
step-entropy = Cross entropy sends { $factor }: { $parts }.{ $ignored ->
    [no] {""}
   *[other] {" "}A row with label { $ignored } is ignored: 0.
}
step-to = { $amount } to { $to }
step-to-role = { $amount } to { $to } as { $role }
step-more = and { $count } more
step-freed = Its saved tensors are freed: { $names }.
step-leaf-added = { $total } is added to { $name }.
step-leaf-kept = `.grad` does not change.
step-ask = Which gradient does { $card } send to { $to }?
step-ask-leaf = What is { $name } after this step?
step-ask-entry = What is entry { $entry } of the gradient that { $card } sends to { $to }?
step-ask-several = { COUNTED($count, "edge", "edges") } lead from { $card } to { $to }. What is their total gradient?
step-ask-several-entry = { COUNTED($count, "edge", "edges") } lead from { $card } to { $to }. What is their total at { $entry }?
step-ask-shape = What is the shape of the gradient that { $card } sends to { $to }?
step-ask-result = What is the total gradient at { $name }?
step-ask-result-shape = What is the shape of the gradient at { $name }?
step-ask-value = What will { $name } be?
step-ask-value-shape = What is the shape of { $name }?
step-ask-next = { $what } runs next. { $question }
hint-operands = Now { $values }.
hint-unchanged = { $card } passes its gradient on unchanged.
hint-arrived = { $gradient } arrived at { $card }.
hint-local = Multiply it by the local derivative: { $rules }.
hint-whole = For the gradient { $gradient } it sends { $rules }.
hint-other = Multiply it by the local derivative of { $card } with respect to { $to }.
hint-words = The rule: { $rule }.
hint-summed = The contributions to one entry of { $to } are summed over the axes along which it was stretched.
hint-added = Then add the gradients of the { COUNTED($count, "edge", "edges") }.
hint-sum = Add up everything that arrives
hint-held = { $name } was not empty before, so add that too.
hint-shape = A gradient has the shape of its tensor: look at { $to }.

player = The run, step by step
player-play = Play
player-pause = Pause
player-first = Back to the start
player-back = Step back
player-next = Step
player-last = To the end
player-step = Step { $step } of { $count }
player-speed = Speed
player-keys = Drag, or ← → one step, Shift ← → one line, Page Up and Page Down one chapter, Home and End; space plays, L goes to the cursor's line
player-end = End of the run
player-forward = forward
player-backward = backward
player-update = update
player-after = after
player-round = Round { $round }
player-loss = loss
player-log = log scale
player-version = version { $before } → { $after }
player-predict = Predict
player-check = Check
player-answer = Your answer
player-right = Right: { $answer }.
player-wrong = Not { $guess }: it is { $answer }.
player-hint = Not { $guess }.
player-unread = Type a number, such as 4, −0.5, 1/3 or 2e-3: “{ $guess }” is not a number.
player-unread-shape = Type a shape, such as (2, 3), or () for a single number: “{ $guess }” is not a shape.
player-predicting = Guess each gradient before you see it. Press H to show all.
uncover-show = Show it
player-predicting-all = Guess each value, then each gradient, before you see it. Page Down shows all values; H shows everything.
player-elsewhere = Right now the numbers are on the cards.
player-ready = { COUNTED($count, "step", "steps") }

# A step through a closed module
step-module = { $parameters ->
    [0] { $given ->
        [0] The gradient flows back through everything inside.
       *[other] The gradient flows back through everything inside, to { $to }.
    }
   *[other] { $given ->
        [0] The gradient flows back through everything inside, to its parameters.
       *[other] The gradient flows back through everything inside, to its parameters and to { $to }.
    }
}
