"""``python -m rfviz.cli`` does what ``rfviz`` does."""

import sys

from rfviz.cli import main

sys.exit(main())
