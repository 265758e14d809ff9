"""tqdm in a confined child: bars are text, and no monitor thread runs."""

import threading

import tqdm
import tqdm.auto
import tqdm.notebook
from tqdm.std import tqdm as text_bar
from tqdm.std import trange


def prepare_progress() -> None:
    """Let tqdm start no thread, share no lock with other runs, and write text instead of widgets."""
    text_bar.monitor_interval = 0
    text_bar.set_lock(threading.RLock())  # tqdm's own lock is system-wide, and every fork would share it
    for module in (tqdm.notebook, tqdm):
        vars(module).update(tqdm_notebook=text_bar, tnrange=trange)
    tqdm.notebook.tqdm, tqdm.notebook.trange = text_bar, trange
