"""Does a structure of blocks that touch without glue stand, what would bring it down, and how does it fall?

>>> import drystone
>>> arch = drystone.Model.recipe("arch")
>>> answer = arch.check()
>>> answer.verdict, answer.proven
('stable', True)
"""

from . import study as study
from ._drystone import InputError, RunError, __version__, schema
from .model import Model, recipes
from .results import Answer, Check, Contacts, Limit, Result, Run, Settle, StudyResult, Tilt, Verification

__all__ = [
    "Answer",
    "Check",
    "Contacts",
    "InputError",
    "Limit",
    "Model",
    "Result",
    "Run",
    "RunError",
    "Settle",
    "StudyResult",
    "Tilt",
    "Verification",
    "__version__",
    "recipes",
    "schema",
]
