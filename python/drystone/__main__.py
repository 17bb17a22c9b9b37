"""The command line: `python -m drystone`."""

from __future__ import annotations

import signal
import sys

from ._drystone import run


def main() -> int:
    """Runs the command line of this process; gives its exit status."""
    # Ctrl-C is the program's own to deal with, as it is without Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
