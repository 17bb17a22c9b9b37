"""The runs of a study on a Dask cluster.

The client's process holds the store of the study, and is its only writer. A worker is sent a run as text, and what it needs of models
and records once; it gives back the outcome as text. It needs this package and nothing of the study.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Callable, Optional
from uuid import uuid4

from ._drystone import InputError, NativeStudy, RunError, __build__, perform

__all__ = ["Cluster"]

#: Runs that the scheduler holds at a time, at least: by them it knows how many workers are of use.
HELD = 1000
#: How often a run is handed out that the scheduler gives up, because it was on several workers that were lost.
ATTEMPTS = 2
#: How often the scheduler does a run again that a worker could not begin, as where a package is missing on one of them.
RETRIES = 2
#: Time between two looks at what has ended, at how far it is, and at how many workers there are (s).
LOOK, TELL, COUNT = 0.05, 0.2, 2.0

Tell = Optional[Callable[[float, str], object]]


def on_worker(run: str, build: str, keys: list[str], *texts: str) -> Optional[tuple[str, str]]:
    """Performs a run on a worker; gives the outcome, and which worker it was. Nothing where the study was interrupted."""
    if build != __build__:
        raise RuntimeError(f"this worker has drystone {__build__}, and the study is run by {build}: install the same build on both")
    worker, given_up = _this_worker()
    outcome = perform(run, dict(zip(keys, texts)), given_up)
    return None if outcome is None else (outcome, worker)


def shared(text: str) -> str:
    """What runs share, as a task: unlike data that is scattered, it is there again where its worker is lost."""
    return text


def _this_worker() -> tuple[str, Optional[Callable[[], bool]]]:
    """Address of this worker, and whether the run that it does is no longer wanted."""
    from distributed import get_worker

    worker = get_worker()
    try:
        key, tasks = worker.get_current_task(), worker.state.tasks
    except AttributeError:
        # Another version of Dask keeps them elsewhere: then an interrupted run is done to its end.
        return worker.address, None

    def given_up() -> bool:
        task = tasks.get(key)
        return task is None or task.state == "cancelled"

    return worker.address, given_up


@dataclass
class _Run:
    """A run that was handed out."""

    id: str
    label: str
    cost: float
    text: str
    keys: list[str]
    attempts: int = 0
    future: Any = None


class Cluster:
    """Hands out the runs of a study to the workers of a client, and records what they give back."""

    def __init__(self, study: NativeStudy, client: Any) -> None:
        distributed = _distributed()
        self.study = study
        self.client = client
        self.lost: tuple[type[BaseException], ...] = (distributed.KilledWorker,)
        self.ended = distributed.as_completed([], loop=client.loop, with_results=True, raise_errors=False)
        # Keys of its own: what another study left on the scheduler is not taken for a result.
        self.name = uuid4().hex[:12]
        self.shared: dict[str, Any] = {}
        #: Runs that are under way, by the keys of their futures.
        self.runs: dict[str, _Run] = {}
        #: Runs that wait for their last attempt.
        self.suspects: list[_Run] = []
        self.threads = 0
        self.counted = self.told = float("-inf")

    def work(self, tell: Tell) -> None:
        """Has all runs performed that are not recorded yet."""
        try:
            while self._hand_out():
                while not self.ended.has_ready():
                    self._tell(tell)
                    time.sleep(LOOK)
                for future, found in self.ended.next_batch(block=False):
                    self._take(future, found)
            self.told = float("-inf")
            self._tell(tell)
        except (OSError, TimeoutError) as error:
            if self.client.status == "running":
                raise
            raise _lost() from error
        finally:
            # What is left is not wanted: the work was interrupted. Whoever keeps the exception keeps nothing on the cluster.
            with suppress(Exception):
                if self.runs:
                    self.client.cancel([run.future for run in self.runs.values()])
            self.runs.clear()
            self.shared.clear()
            self.ended.clear()

    def _hand_out(self) -> int:
        """Hands out runs, the expensive ones first; gives how many are under way."""
        self._count()
        if any(run.attempts > 1 for run in self.runs.values()):
            return len(self.runs)
        while len(self.runs) < max(HELD, 4 * self.threads):
            found = self.study.next()
            if found is None:
                break
            self._submit(_Run(*found))
        if self.suspects and not self.runs:
            # The scheduler suspects all runs of a worker that is lost. One on each worker, with no others: then it is the guilty one.
            at_a_time = max(1, len(self.client.nthreads()))
            for run in self.suspects[:at_a_time]:
                self._submit(run)
            del self.suspects[:at_a_time]
        return len(self.runs)

    def _submit(self, run: _Run) -> None:
        for key in run.keys:
            held = self.shared.get(key)
            if held is None or held.status == "error":
                name = f"drystone-shared-{self.name}-{key}-{run.attempts}"
                self.shared[key] = self.client.submit(shared, self.study.shared(key), key=name, pure=False)
        run.attempts += 1
        run.future = self.client.submit(
            on_worker,
            run.text,
            __build__,
            run.keys,
            *(self.shared[key] for key in run.keys),
            key=f"drystone-run-{self.name}-{run.id}-{run.attempts}",
            priority=run.cost,
            retries=RETRIES,
            pure=False,
        )
        self.runs[run.future.key] = run
        self.ended.add(run.future)

    def _take(self, future: Any, found: Any) -> None:
        """Takes what came of a run."""
        run = self.runs.pop(future.key)
        # With errors, `found` is their type, the error and its traceback.
        error = found[1] if future.status == "error" and isinstance(found, tuple) else found
        if future.status == "finished" and isinstance(found, tuple):
            self.study.record(run.id, *found)
        elif future.status == "error" and not isinstance(error, self.lost):
            raise RunError(
                f"{run.label}: the worker could not do it: {type(error).__name__}: {error}\n"
                f"help: workers need drystone {__build__}; runs that were recorded are kept: the same call goes on"
            ) from (error if isinstance(error, BaseException) else None)
        elif future.status == "cancelled":
            raise _lost()
        elif run.attempts < ATTEMPTS:
            self.suspects.append(run)
        else:
            self.study.fail(
                run.id,
                "every worker that had it was lost (give workers more memory or more time, and run again with retry_failed=True)",
                "lost",
            )

    def _count(self) -> None:
        """Counts the threads of the workers, now and then."""
        if time.monotonic() - self.counted > COUNT:
            self.threads = sum(self.client.nthreads().values())
            self.counted = time.monotonic()

    def _tell(self, tell: Tell) -> None:
        if time.monotonic() - self.told < TELL:
            return
        self._count()
        done, words = self.study.progress(self.threads)
        if tell is not None:
            tell(done, words if self.threads or not self.runs else f"{words}, waiting for workers")
        self.told = time.monotonic()


def _lost() -> RunError:
    return RunError(
        "the scheduler has dropped the runs: it was restarted, or the connection to it was lost\n"
        "help: runs that were recorded are kept: the same call, with a client that is connected, goes on"
    )


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ImportError("client= needs Dask: pip install drystone[dask]") from error
    return distributed


def checked(client: Any) -> Any:
    """A client of Dask that can be waited for."""
    if not isinstance(client, _distributed().Client):
        raise TypeError(f"client must be a dask.distributed.Client, and is {client!r}")
    if client.asynchronous:
        raise InputError("client is asynchronous; give one that was made with asynchronous=False")
    return client
