"""``python -m rfviz`` does what ``rfviz`` does."""

import sys

from rfviz.cli import main

sys.exit(main())
