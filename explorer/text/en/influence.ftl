# What has an effect, and what does not

influence-idle = line { $line }: Nothing depends on { $name }{ $where }. Changing these entries { $rounds ->
        [one] does not change the loss at all.
       *[other] changes none of the { $rounds } losses.
    }
influence-order = line { $line }: The order of the { $size } entries along axis { $axis } of { $name } has no effect. Reversing { $name } at the first weight { $rounds ->
        [one] does not change the loss.
       *[other] changes none of the { $rounds } losses.
    }
influence-mixed = line { $line }: { $code } combines the { $rows } rows of { $name }. Changing one row also changes other rows of the results.
influence-halves = line { $line }: The first loss, { $loss }, is not the mean of the losses of the two halves of { $name }, { $mean }. Accumulating gradients over smaller batches is not the same as one step on a larger batch.
influence-uncalled = line { $line }: { $name } is never called. Line { $named } names it.
influence-unread = line { $line }: { $function } never reads its argument { $name }.
influence-measured = Measured: { $parts }.
influence-unmeasured = Not measured: { $parts }.
influence-part-results = which results are used
influence-part-functions = which functions are called
influence-part-entries = { $count ->
    [0] which entries of data have an effect
    [one] which entries of 1 tensor have an effect
   *[other] which entries of { $count } tensors have an effect
}
influence-limits = No measurement tells whether loss, data and metrics are the intended ones.
influence-unused = line { $line }: { $rounds ->
        [one] Nothing in this run uses { $name }.
       *[other] Nothing uses { $name } ({ $unused } of { $rounds } rounds).
    }
influence-nothing = Nothing without effect was found.
influence-grey = Grey in the editor: results that nothing in this run uses, functions that are never called, and arguments that are never read.
influence-data = What the losses depend on
influence-zeros = { $zeros ->
    [0] The losses change with each of its { $count } entries.
   *[other] { $zeros } of { $count } entries have a slope of 0 in all backward calls.
}
influence-dependents = { $names ->
    [none] No named result depends on it.
   *[other] Computed from it: { $names }.{ $losses ->
        [none] {""}
       *[other] {" "}Backward starts at { $losses }.
    }
}
