"""Work that is followed, interrupted and shared among threads, what it costs, and the command line of the package."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

import numpy as np
import pytest
from common import PROGRAM, assert_same_bits, environment, program, python, shaken, two_blocks, without_times

import drystone
from drystone import InputError, Model

# Work: progress, interruption, threads.


def test_progress_rises() -> None:
    told: list[tuple[float, str]] = []
    shaken(4, progress=lambda done, what: told.append((done, what)))
    fractions = [done for done, _ in told]
    assert len(told) >= 2
    assert fractions == sorted(fractions) and 0 <= fractions[0] and fractions[-1] <= 1
    assert fractions[-1] > 0.5
    assert all(isinstance(what, str) and what for _, what in told)


@pytest.mark.parametrize("error", [KeyError("mine"), KeyboardInterrupt(), StopIteration()])
def test_an_exception_in_progress_ends_the_work(error: BaseException) -> None:
    def refuse(done: float, what: str) -> None:
        raise error

    start = time.perf_counter()
    with pytest.raises(type(error)) as raised:
        shaken(5000, progress=refuse)
    assert raised.value is error
    assert time.perf_counter() - start < 5
    assert two_blocks().check().verdict == "stable"


def test_progress_may_ask_for_itself() -> None:
    verdicts: list[str] = []
    two_blocks().simulate(0.2, dt=0.01, progress=lambda done, what: verdicts.append(two_blocks().check().verdict))
    assert set(verdicts) == {"stable"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one thread")
@pytest.mark.parametrize("work", [lambda: shaken(5000), Model.recipe("church").contacts], ids=["run", "search"])
def test_ctrl_c_ends_work_within_two_seconds(work: Callable[[], object]) -> None:
    sent: list[float] = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Timer(0.3, send)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        assert time.perf_counter() - sent[0] < 2
    finally:
        sender.cancel()
        sender.join()
    assert two_blocks().check().verdict == "stable"
    assert len(two_blocks().simulate(0.1, dt=0.01).times) > 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_ends_a_process_that_does_not_catch_it() -> None:
    code = (
        "import drystone; arch = drystone.Model.recipe('arch', voussoirs=40); print('at work', flush=True)\n"
        "arch.simulate(5000, dt=0.001, motion='sine:amplitude=0.1g,frequency=1,direction=x')"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "at work"
    time.sleep(0.5)
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=20)
    assert time.perf_counter() - start < 2.5
    assert "KeyboardInterrupt" in told and process.returncode in (1, -signal.SIGINT, 128 + signal.SIGINT)


def test_other_threads_run_meanwhile() -> None:
    ticks: list[float] = []
    over = threading.Event()

    def tick() -> None:
        while not over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.005)

    counter = threading.Thread(target=tick)
    start = time.perf_counter()
    counter.start()
    try:
        shaken(4)
    finally:
        over.set()
        counter.join()
    took = time.perf_counter() - start
    assert took > 0.2, "too short to tell"
    assert np.diff(ticks).max() < min(0.5, took / 2)
    assert len(ticks) > 20 * took


def test_several_threads_get_the_same_answer() -> None:
    arch = Model.recipe("arch", voussoirs=8)
    alone = without_times(arch.check().fields)
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(lambda _: arch.check(), range(8)):
            assert_same_bits(without_times(answer.fields), alone)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_can_check() -> None:
    # What multiprocessing does on Linux before Python 3.14.
    code = (
        "import multiprocessing as mp, drystone\n"
        "def ask(k): return drystone.Model.recipe('arch', voussoirs=8).check().verdict\n"
        "ask(0)\n"
        "with mp.get_context('fork').Pool(2) as pool: print(pool.map_async(ask, range(4)).get(timeout=10))\n"
    )
    done = python(code, timeout=40)
    assert done.stdout.strip() == str(["stable"] * 4), done.stderr[-500:]


# Costs.


def median_ms(call: Callable[[], object], times: int = 200) -> float:
    """Median time of a call (ms)."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return 1e3 * sorted(taken)[times // 2]


def test_overhead_of_calls_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    model = two_blocks()
    calls: dict[str, Callable[[], object]] = {
        "copy": model.copy,
        "names": lambda: model.names,
        "masses": lambda: model.masses,
        "move by nothing": lambda: model.move("high", (0, 0, 0)),
        "option refused": lambda: pytest.raises(InputError, model.check, friction=-1),
        "contacts": model.contacts,
        "check, cone": lambda: model.check("cone"),
        "check": model.check,
        "check, by its own clock": lambda: None,
    }
    inside = 1e3 * sorted(model.check().fields["time_s"] for _ in range(50))[25]
    with capsys.disabled():
        print("\nms a call, median:")
        for name, call in calls.items():
            print(f"  {name:28} {inside if name.endswith('clock') else median_ms(call):8.3f}")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="there is no /proc/self/statm")
def test_ten_thousand_checks_leak_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    model = two_blocks()

    def resident_mb() -> float:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    for _ in range(500):
        model.check("cone")
    before, start, count = resident_mb(), time.perf_counter(), 0
    while count < 10_000 and time.perf_counter() - start < 15:
        model.check("cone")
        count += 1
    took, grown = time.perf_counter() - start, resident_mb() - before
    with capsys.disabled():
        print(f"\n{count} checks in {took:.1f} s, {10_000 * took / count:.1f} s for 10,000; memory grew by {grown:.2f} MB of {before:.0f}")
    assert count > 500
    assert grown < 8


# The command line.


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["--help"], 0, "Usage: drystone"),
        (["--version"], 0, f"drystone {drystone.__version__}"),
        ([], 2, "Usage: drystone"),
        (["nonsense"], 2, "unrecognized subcommand 'nonsense'"),
        (["check", "no-such-file.json"], 2, "no-such-file.json"),
    ],
)
def test_the_command_line_is_in_the_package(words: list[str], status: int, text: str) -> None:
    done = subprocess.run([sys.executable, "-m", "drystone", *words], capture_output=True, text=True, timeout=60, env=environment())
    assert done.returncode == status
    assert text in done.stdout + done.stderr
    if PROGRAM:
        other = program(*words)
        assert (done.returncode, done.stdout, done.stderr) == (other.returncode, other.stdout, other.stderr)


def test_a_failure_of_a_run_is_status_1(tmp_path: Path) -> None:
    Model.recipe("block").save(tmp_path / "block.json")
    (tmp_path / "taken").write_text("a file where a folder is to be")
    words = ["check", "block.json", "-o", "taken"]
    done = subprocess.run(
        [sys.executable, "-m", "drystone", *words], capture_output=True, text=True, timeout=60, env=environment(), cwd=tmp_path
    )
    assert done.returncode == 1, done.stderr
    with pytest.raises(drystone.RunError, match="taken"):
        Model.load(tmp_path / "block.json").check(output=tmp_path / "taken")


def test_warnings_are_told(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        two_blocks().check()
    assert [str(w.message) for w in caught] == []
