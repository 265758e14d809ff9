# A page of its own that plays a run without a server: what it leaves out.
offline-most = This page does not play the run: it has { COUNTED($count, "step", "steps") }, more than { $most }.
offline-unwatched = Plain Python variables were not recorded. The player shows only operations and gradients.
offline-statements = { $count ->
    [one] One statement at the end was
   *[other] { $count } statements at the end were
} not recorded one by one.
offline-plot = This plot was left out because it would make the page too large.
