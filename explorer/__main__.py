"""The entry point of `python -m explorer`."""

import gc
import sys

gc.disable()  # imports make many objects and little garbage
from explorer.cli.main import main  # noqa: E402

gc.freeze()
gc.enable()
sys.exit(main())
