"""Studies: many runs of one structure, until a curve comes of them. On threads of this machine, or on a Dask cluster.

>>> import drystone, tempfile
>>> text = '''
... model = { recipe = "block" }
... [sweep]
... analysis = { limit = { direction = "x" } }
... [[sweep.parameters]]
... name = "friction"
... values = [0.2, 0.25]
... '''
>>> found = drystone.study.run(text, tempfile.mkdtemp())
>>> found.runs, found.complete
(2, True)
>>> found.table()["multiplier"].round(6).tolist()
[0.2, 0.25]
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Optional, Union

from ._cluster import Cluster, checked
from ._drystone import InputError, NativeStudy, study_again, study_run, study_table, study_template
from ._options import words
from ._progress import Progress, told
from .model import Model
from .results import Check, Limit, Result, Run, StudyResult, Tilt

__all__ = ["again", "read", "run", "template"]

AnyPath = Union[str, "PathLike[str]"]

#: Results of questions by the name of the command.
_RESULTS: dict[str, type[Result]] = {"check": Check, "limit": Limit, "tilt": Tilt}


def run(
    study: AnyPath,
    folder: AnyPath,
    *,
    client: Any = None,
    threads: Optional[int] = None,
    shard: Optional[str] = None,
    merge: Union[AnyPath, Sequence[AnyPath]] = (),
    retry_failed: bool = False,
    redo_other_builds: bool = False,
    progress: Progress = None,
) -> StudyResult:
    """Performs all runs of a study that are not recorded in the folder yet; as `drystone study`.

    `study` is a study file, or the text of one (text has more than one line; files that it names are looked for in the current
    directory). Each run is recorded when it has ended: after an interruption the same call goes on.

    Runs are done on `threads` of this machine (default: one for each core), one thread each, or by the workers of `client`, a
    `dask.distributed.Client` of any cluster. Workers need this package and nothing else; the folder is on this machine. Tables are
    the same to the last bit, wherever runs are done.

    `shard` (`"3/8"`) does only a part of the runs, `merge` takes over the runs of other folders first, `retry_failed` does failed
    runs again and `redo_other_builds` those that other builds of the package did. `progress` is told the fraction of the runs that are done, of those that are known to be needed.
    """
    path, text = _source(study)
    options = words(
        output=fspath(folder),
        threads=threads,
        shard=shard,
        merge=[fspath(each) for each in ([merge] if isinstance(merge, (str, PathLike)) else merge)],
        retry_failed=retry_failed,
        redo_other_builds=redo_other_builds,
    )
    if client is None:
        with told(progress) as tell:
            fields, heard = study_run(path, text, options, tell)
    elif threads is not None:
        raise InputError("threads are those of this machine; a worker of Dask does a run on each of its own: give client or threads")
    else:
        fields, heard = _on_cluster(path, text, options, checked(client), progress)
    _warn([*heard, *fields["notes"]])
    return StudyResult(fields, study_table(fspath(folder)), Path(folder))


def _on_cluster(
    path: Optional[str], text: Optional[str], options: list[str], client: Any, progress: Progress
) -> tuple[dict[str, Any], list[str]]:
    began = time.monotonic()
    study, heard = NativeStudy.open(path, text, options)
    try:
        with told(progress) as tell:
            Cluster(study, client).work(tell)
    except BaseException:
        # Why it ended is of more interest than what goes wrong after that.
        with suppress(Exception):
            study.finish(time.monotonic() - began)
        raise
    return study.finish(time.monotonic() - began), heard


def read(folder: AnyPath) -> StudyResult:
    """What is known of the study in a folder, also while it is under way.

    >>> import drystone, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> found = drystone.study.run(drystone.study.template("sweep", "block"), folder)
    >>> drystone.study.read(folder)
    <StudyResult of block: 15 of 15 runs>
    """
    # First, because it says what is wrong with a folder.
    table = study_table(fspath(folder))
    path = Path(folder) / "summary.json"
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: there is no summary yet; a study that is under way leaves one within seconds") from None
    return StudyResult(fields, table, Path(folder))


def again(folder: AnyPath, run: str, output: Optional[AnyPath] = None, *, progress: Progress = None) -> Result:
    """Does one run of a study again, with all that a single question gives: a time history with its frames, which is left in `output`
    as `simulate` does, or a check, a limit or a tilt. `run` is its identity, or the start of it: the column `run` of the table.

    >>> import drystone, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> table = drystone.study.run(drystone.study.template("sweep", "block"), folder).table()
    >>> limit = drystone.study.again(folder, table["run"][0])
    >>> bool(limit.multiplier == table["multiplier"][0])
    True
    """
    with told(progress) as tell:
        native, command, found = study_again(fspath(folder), run, None if output is None else fspath(output), tell)
        if found is not None:
            result: Result = Run(Model(native), *found)
        else:
            name, *options = command
            if output is not None:
                options += words(output=fspath(output))
            result = _RESULTS[name](Model(native), *getattr(native, name)(options, tell))
    _warn(result.warnings)
    return result


def template(kind: str, model: AnyPath) -> str:
    """A study file to start from, with comments: `kind` is `failure-domain`, `fragility`, `sweep` or `assembly`, `model` a model file
    or the name of a recipe.

    >>> import drystone
    >>> print(drystone.study.template("sweep", "arch").splitlines()[0])
    # A study of drystone: drystone study THIS-FILE -o FOLDER
    """
    text, heard = study_template(kind, fspath(model))
    _warn(heard)
    return text


def _source(study: AnyPath) -> tuple[Optional[str], Optional[str]]:
    """The path of a study file, or its text."""
    given = fspath(study)
    if not isinstance(given, str):
        raise TypeError(f"study must be a path or a text, and is {study!r}")
    is_text = isinstance(study, str) and "\n" in given
    return (None, given) if is_text else (given, None)


def _warn(messages: Sequence[str]) -> None:
    for message in messages:
        warnings.warn(message, stacklevel=3)
