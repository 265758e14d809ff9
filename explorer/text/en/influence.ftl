# What has an effect, and what has none

influence-idle = line { $line }: Nothing depends on { $name }{ $where }. With these entries moved, { $rounds ->
        [one] the loss is
       *[other] all { $rounds } losses are
    } exactly the same.
influence-uncalled = line { $line }: { $name } is never called. Line { $named } names it.
influence-unread = line { $line }: { $function } never reads its argument { $name }.
influence-scope = Measured: { $results ->
        [yes] whether each result is used
       *[no] not the use of results, because only part of the run is known
    }{ $functions ->
        [yes] , which functions are called
       *[no] {""}
    }{ $entries ->
        [yes] { $data ->
            [0] {""}
            [one] , and whether the entries of 1 tensor have an effect
           *[other] , and whether the entries of { $data } tensors have an effect
        }
       *[no] {""}
    }.{ $missing ->
        [no] {""}
       *[yes] {" "}Not measured: { $functions ->
            [yes] entries of data
           *[no] functions and entries of data
        }.
    } No measurement tells whether loss, data and metrics are the intended ones.
influence-unused = line { $line }: { $rounds ->
        [one] Nothing in this run uses { $name }.
       *[other] Nothing uses { $name } ({ $unused } of { $rounds } rounds).
    }
influence-nothing = Nothing without effect was found.
influence-program = The program
influence-data = What the losses depend on
influence-line-unused = Nothing uses this result.
influence-line-uncalled = This function is never called.
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
