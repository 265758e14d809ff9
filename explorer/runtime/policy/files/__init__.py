"""Libraries' ways to files and to the network, as a program has them: over its own files in memory.

In here: which paths a call may name (`paths`), and what stands in for functions of NumPy (`arrays`), pandas (`frames`),
pickle and torch (`pickles`), the standard library (`folders`, `archives`), and for libraries that download
(`downloads`). Not in here: the tree of files itself (explorer.runtime.notebook.files), and which names a program may
use at all (the tables).
"""

from explorer.runtime.policy.files.archives import archives
from explorer.runtime.policy.files.arrays import array_files, write_array
from explorer.runtime.policy.files.downloads import DOWNLOADING, downloads
from explorer.runtime.policy.files.folders import folders, touched
from explorer.runtime.policy.files.frames import frame_files, frame_options, written_frame
from explorer.runtime.policy.files.pickles import pickles

__all__ = [
    "DOWNLOADING",
    "archives",
    "array_files",
    "downloads",
    "folders",
    "frame_files",
    "frame_options",
    "pickles",
    "touched",
    "write_array",
    "written_frame",
]
