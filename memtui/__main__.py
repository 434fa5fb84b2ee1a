"""`python -m memtui`."""

import sys

from memtui.cli.main import main

sys.exit(main())
