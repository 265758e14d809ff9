"""`python -m explorer run | draw | doctor`."""

import sys

from explorer.cli import main

sys.exit(main())
