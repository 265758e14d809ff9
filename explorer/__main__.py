"""`python -m explorer run | draw | lesson | doctor`."""

import sys

from explorer.cli import main

sys.exit(main())
