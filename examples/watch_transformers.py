"""Hugging Face's Trainer: 2 000 steps of a small GPT-2, watched. Needs `pip install transformers accelerate`.

python examples/watch_transformers.py
"""

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

import explorer

WORDS, LENGTH = 32, 24


class Watch(TrainerCallback):
    """Watches a training."""

    def on_train_begin(self, args, state, control, model=None, optimizer=None, **given):
        self.watch = explorer.watch(model, optimizer, every=100, out="runs/transformers")

    def on_train_end(self, args, state, control, **given):
        self.watch.close()


if __name__ == "__main__":
    torch.set_num_threads(1)  # more threads only wait for each other in a model this small
    torch.manual_seed(0)
    starts = torch.randint(0, WORDS, (2_000, 1))
    counted = (starts + torch.arange(LENGTH)) % WORDS  # the model learns to count
    data = [{"input_ids": row, "labels": row} for row in counted]
    shape = {"n_layer": 2, "n_head": 2, "n_embd": 64, "vocab_size": WORDS, "n_positions": LENGTH}
    arguments = TrainingArguments(
        "runs/checkpoints",
        max_steps=2_000,
        per_device_train_batch_size=8,
        report_to=[],
        save_strategy="no",
        use_cpu=True,
    )
    model = GPT2LMHeadModel(GPT2Config(**shape, bos_token_id=0, eos_token_id=0))
    Trainer(model, arguments, train_dataset=data, callbacks=[Watch()]).train()
