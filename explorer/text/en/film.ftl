# A training loop on the time line, and what a step shows of which only the record was kept.

film-at = Training step { $step } of { $count }
film-steps = { COUNTED($count, "training step", "training steps") }
film-to-step = Training step { $step }
film-thinned = { $count } of { $all } training steps recorded
film-counted = Training step { $step } of { $count }: showing its leaves and loss. The numbers of the operations in between were not kept.
reason-not-kept = Not kept at this training step: in the middle of a long loop, only leaves and loss are recorded.
graph-not-kept = not kept
