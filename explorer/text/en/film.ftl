# A training loop on the time line, and what a step shows of which only the record was kept.

film-at = Training step { $step } of { $count }
film-steps = { COUNTED($count, "step", "steps") }
film-to-step = Step { $step }
film-thinned = { $count } of { $all } recorded
film-counted = Step { $step } of { $count }: the leaves and the loss are of this step; of the operations between them no numbers were kept.
inspect-counted = Choose a card to see its numbers.
reason-not-kept = Not kept at this step: of the middle of a long loop only leaves and loss are recorded.
graph-not-kept = not kept
