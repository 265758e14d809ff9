# The film of a training loop: the time line above the graph, and what a step shows of which only the record was kept.

film-label = Steps of the training loop
film-step = Step
film-play = Play the steps
film-pause = Pause
film-loss = loss
film-log = log scale
film-at = Step { $step } of { $count }
film-steps = { $count } steps
film-to-step = Step { $step }
film-none = Another picture is shown
film-hint = Drag, or ← → a step, Page Up and Page Down ten, Home and End, space plays
film-thinned = { $count } of { $all } recorded
film-counted = Step { $step } of { $count }: the leaves and the loss are of this step; of the operations between them no numbers were kept.
inspect-counted = Choose a card to see its numbers.
reason-not-kept = Not kept at this step: of the middle of a long loop only leaves and loss are recorded.
graph-not-kept = not kept
