"""Python reads this when it starts, in every process below `python -m tests.elsewhere win32`."""

import taken_away

taken_away.take_away("win32")
