"""Severity of each kind of finding, the condition for a certain fault, and explaining kinds."""

from typing import Literal

Level = Literal["fault", "note", "info"]

# A fault is certain: a requested effect cannot happen. A note is unusual and may be intended. Info is worth knowing. A
# rule that cannot establish the condition below yields certain=False, which makes its finding a note.
LEVELS: dict[str, Level] = {
    "not_called": "fault",  # a method is a statement without brackets, or bound to a name that nothing uses
    "gradient_falsified": "fault",  # backward reads other entries than the forward saved
    "root_is_leaf": "fault",  # backward begins at a tensor without history, and leaves get nothing
    "gradient_stale": "fault",  # an update reads the sum of a new gradient and an already used one
    "step_without_gradient": "fault",  # no step of this optimizer ever changes anything
    "leaf_rebound": "fault",  # the name now means a result, or a tensor without history, and feeds a later root
    "update_lost": "fault",  # nothing ever reads the updated value
    "never_used": "fault",  # the optimizer holds a parameter whose name now means another tensor
    "not_in_optimizer": "fault",  # a module keeps its layer in a plain list, or it is the bias of a trained weight
    "layer_in_forward": "fault",  # each of its parameters gets one gradient, behind trained parameters
    "never_stepped": "fault",  # nothing uses the gradients of an optimizer's tensors, which are cleared
    "stepped_twice": "fault",  # in every round
    "step_before_backward": "fault",  # in every round, and no gradient is there before the first
    "optimizer_renewed": "fault",  # it gathers moments, and takes one step in every round
    "step_scaled": "fault",  # in every round, and no line divides them
    "accumulation_lost": "fault",  # in every round, and nothing reads the gradients
    "loss_not_renewed": "fault",  # an optimizer moves the same leaf before each further backward through one root
    "gradient_left": "fault",  # in every round, and the other optimizer cleared its own gradients in between
    "draws_repeat": "fault",  # rows of the data: between any two draws an optimizer steps
    "argument_unused": "fault",  # none of the arguments is read
    "paths_cancel": "fault",  # in every backward, at a result, to exactly 0
    "moved_for_each": "fault",  # by an optimizer that is not linear in the gradient
    "frozen_moves": "fault",  # its entries change
    "setting_misspelt": "fault",  # no line reads it
    "penalty_constant": "fault",  # the term has no history, and no backward went through its source
    "loss_dropped": "fault",  # in every round, with tensors in an optimizer; all but the last of each loop
    "targets_cut": "fault",  # different targets become one number
    "parameter_scaled": "fault",  # what every round uses never changes
    "asked_too_late": "fault",  # no gradient arrives, and the root of a later backward was computed before
    "grad_of_result": "fault",  # .grad of a result is read, not compared with None
    "gradient_cut": "fault",  # an optimizer holds the leaf, its .grad is read, or nothing else has a gradient
    "step_function": "fault",  # its slope is 0 everywhere
    "sample_stops": "fault",  # an optimizer holds the leaf, and no backward gives it a nonzero gradient
    "gradient_stopped": "fault",  # it is flat in every round, so the leaf never moves
    "softmax_of_one": "fault",  # a layer of the program has one output
    "symmetric": "fault",  # equal rows get equal gradients in every backward
    "loss_swapped": "fault",  # its scores are data of zeros and ones
    "nan_forward": "fault",  # NaN reaches a root
    "nan_backward": "fault",  # a leaf's gradient is NaN
    "missing_cells": "fault",  # NaN reaches a root
    "nan_given": "fault",  # NaN reaches a root
    "root_nonfinite": "note",
    "loss_broadcast": "fault",  # predictions (n, 1) and targets (n,), and no axis was inserted on purpose
    "probabilities_as_scores": "fault",  # softmax is applied twice
    "not_log_probabilities": "fault",  # probabilities or scores of a layer go into nll_loss as they are
    "shuffled_apart": "fault",  # the target of a loss and its predictions have different orders
    "wrong_mode": "note",
    "dropout_always": "fault",  # eval() was called, and the call of the function ignores the mode
    "graph_kept": "note",
    "loss_grows": "note",
    "truncated": "fault",  # fractions are put into signed integers
    "float_equality": "note",
    "frozen_in_optimizer": "fault",  # a plain tensor that never requires a gradient is handed to an optimizer
    "zeros_hold": "fault",  # weights and their gradients are 0 in every round, each because of the other
    "data_lost": "fault",  # all entries of data are 0 after a division into whole numbers, before they multiply a leaf
    "kept_weights_shared": "fault",  # weights are copied back from their own memory, after steps or by another name
    "softmax_axis": "fault",  # rows that a loss compares, or parts of an example that has a target, do not sum to 1
    "average_fails": "fault",  # it moves away, or not at all since its dtype rounds the steps away
    "own_similarity": "fault",  # every row scores highest with itself, and no class is its own
    "ratio_of_itself": "fault",  # exactly 1 in every round, with steps between, and clipped
    "byte_inverted": "fault",  # zeros and ones become other numbers that weigh or select
    "targets_are_inputs": "note",
    "sign_flipped": "fault",  # a divergence falls in every backward, for every entry
    "loss_climbs": "note",
    "rate_jumps_back": "note",
    "momentum_stays": "note",
    "clipped_to_nothing": "fault",  # the bound is 0 in every round
    "argument_overwritten": "note",
    "clip_unused": "fault",  # no step uses a gradient that was clipped
    "hook_zeroes": "note",
    "weights_untied": "note",
    "data_rescaled": "note",
    "target_moves": "note",
    "several_classes": "note",
    "normalized_over_batch": "note",
    "best_learned": "note",
    "layer_repeated": "note",
    "target_without_effect": "fault",  # a layer and data, in every round
    "labels_pick_rows": "fault",  # labels of all rows, some equal, fill rows that a loss compares
    "scores_cut": "fault",  # relu before binary_cross_entropy_with_logits, and some labels are 0
    "gradient_unread": "fault",  # one other than 1 arrives
    "mask_too_weak": "fault",  # the filled-in number is near 0, but not 0
    "integer_wraps": "fault",  # a sum, difference or product exceeds its dtype, and a training reads it
    "never_scheduled": "fault",  # no other line has its name
    "loss_as_epoch": "fault",  # the program's loss goes to a scheduler that counts epochs
    "axes_mixed": "fault",  # class scores go into a class loss, and rows of several examples share a target
    "batch_read_as_time": "note",
    "losses_apart": "note",
    "padding_attended": "fault",  # the mask keeps exactly the padding, or exactly the later positions
    "advantage_attached": "fault",  # one optimizer moves the value and the policy that drew the action
    "policy_upside_down": "note",
    "target_never_follows": "note",
    "target_out_of_reach": "fault",  # two fifths of the targets, clearly, in each of the first rounds
    "padding_learned": "fault",  # one class is at all padding and nowhere else
    "mean_averaged": "fault",  # every root of that name is a mean over several examples
    "noise_scaled": "fault",  # the divergence next to it squares the same mean
    "state_empty": "fault",  # each of several steps of one sequence, in one backward, begins with zeros
    "inputs_rescaled": "fault",  # fractions near 1, and whole numbers from 0 to above 100, in inputs of one shape
    "eps_as_momentum": "fault",  # given by its position, and half of a normalized variance or more
    "mean_over_batch": "note",
    "schedule_first": "note",
    "rate_falls": "note",
    "schedule_pace": "fault",  # made for all steps, and called once in each round around them
    "wrapper_bypassed": "fault",  # no line of the program calls the wrapper
    "nothing_loaded": "fault",  # no entry was copied
    "plateau_upside_down": "note",
    "rate_tiny": "note",
    "decay_dominates": "note",
    "gradient_vanishes": "note",
    "activation_saturated": "note",
    "quotient_lost": "fault",  # x + h equals x for every h that the line runs with
    # Training steps:
    "loss_nonfinite": "fault",
    "gradient_nonfinite": "fault",  # a value becomes non-finite too, or it stays; skipping that step is harmless
    "zero": "fault",  # every gradient, or a flat function explains it; an unused expert is not a fault
    "vanishing": "fault",  # the leaf never moves
    "unmoved": "fault",  # nothing moves; a part may be constant on purpose
    "dead_units": "info",
}
ORDER: tuple[Level, ...] = ("fault", "note", "info")

# Kinds that explain another kind or say the same, which is then not reported.
EXPLAINED_BY: dict[str, tuple[str, ...]] = {
    "grad_of_result": ("leaf_rebound", "asked_too_late"),
    "gradient_cut": ("root_is_leaf", "not_called", "asked_too_late"),
    "penalty_constant": ("gradient_cut", "asked_too_late"),
    "step_without_gradient": ("root_is_leaf", "gradient_cut", "not_called", "step_before_backward"),
    "loss_grows": ("gradient_stale", "gradient_unread", "step_scaled", "loss_not_renewed"),
    "gradient_stopped": ("softmax_of_one",),
    "symmetric": ("zeros_hold",),
    "not_in_optimizer": ("layer_in_forward", "step_without_gradient"),
    "never_used": ("layer_in_forward",),
    "never_stepped": ("not_called",),
    "gradient_stale": ("not_called", "never_stepped"),
    "softmax_axis": ("not_log_probabilities",),
    "schedule_first": ("never_scheduled",),
    "rate_tiny": ("rate_falls", "gradient_vanishes"),
    "activation_saturated": ("gradient_stopped",),
    "gradient_vanishes": ("gradient_stopped", "zeros_hold"),
    "data_rescaled": ("data_lost",),
    # Training steps:
    "unmoved": (
        "not_in_optimizer", "never_used", "update_lost", "step_without_gradient", "rate_tiny",
        "step_before_backward",
    ),
    "loss_nonfinite": ("nan_forward", "nan_backward", "gradient_unread", "missing_cells", "nan_given"),
    "root_nonfinite": ("loss_nonfinite", "gradient_nonfinite"),
    "gradient_nonfinite": (
        "gradient_stale", "nan_forward", "nan_backward", "gradient_unread", "missing_cells", "nan_given"
    ),
    "vanishing": ("gradient_vanishes", "padding_attended"),
    "zero": ("sample_stops", "zeros_hold", "hook_zeroes", "paths_cancel", "state_empty"),
}  # fmt: skip


def level_of(kind: str, certain: bool = True) -> Level:
    """Return a finding's severity; unknown kinds are notes."""
    level = LEVELS.get(kind, "note")
    return "note" if level == "fault" and not certain else level
