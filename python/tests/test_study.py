"""Studies: on threads of this machine, and on a Dask cluster of processes; interrupted, killed, resumed."""

from __future__ import annotations

import csv
import filecmp
import json
import os
import signal
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from common import G, needs_program, program, python

import drystone
from drystone import InputError, Model, RunError, StudyResult, study
from drystone._drystone import __build__

#: How runs came about, and not what they found.
TIMINGS = {"wall_s", "computing_s"}

ARCH = 'model = { recipe = "arch", parameters = { voussoirs = 3 } }\n'
#: Grows with what it finds: amplitudes between the last that stands and the first that does not.
DOMAIN = ARCH + (
    "[simulation]\ndt = 0.005\nafter = 0.2\ncollapse = { displacement = 0.05 }\n"
    '[failure_domain]\ndirection = "x"\nhalf_periods = [0.2, 0.4]\namplitudes_g = [0.2, 1.0]\nsearch = "boundary"\nresolution_g = 0.1\n'
)
#: Runs that are long enough to be caught at work: some tenths of a second each.
SHAKEN = (
    'model = { recipe = "arch", parameters = { voussoirs = 12 } }\n[simulation]\ndt = 0.001\n[sweep]\n'
    'analysis = { simulate = { duration = DURATION, motion = "sine:amplitude=0.05g,frequency=2,direction=x,centred=true" } }\n'
    '[[sweep.parameters]]\nname = "friction"\nvalues = [0.5, 0.6, 0.7, 0.8]\n'
)
LONG, ENDLESS = SHAKEN.replace("DURATION", "3"), SHAKEN.replace("DURATION", "9000")


def swept(name: str, values: str, analysis: str = '{ limit = { direction = "x" } }', model: str = 'model = { recipe = "block" }\n') -> str:
    """A sweep of one parameter."""
    return f'{model}[sweep]\nanalysis = {analysis}\n[[sweep.parameters]]\nname = "{name}"\nvalues = {values}\n'


def assert_same_files(found: StudyResult, expected: StudyResult) -> None:
    """The same files to the last byte, but for times."""
    names = {path.name for path in expected.folder.iterdir() if not path.name.startswith("study.sqlite")}
    assert {path.name for path in found.folder.iterdir() if not path.name.startswith("study.sqlite")} == names
    told = {"report.html", "summary.json", "timings.csv"}
    assert names > told | {"runs.csv", "runs.parquet"}
    differ = filecmp.cmpfiles(expected.folder, found.folder, sorted(names - told), shallow=False)[1:]
    assert differ == ([], [])
    # As text, so that every digit counts.
    texts = [json.dumps({k: v for k, v in each.fields.items() if k not in TIMINGS}) for each in (found, expected)]
    assert texts[0] == texts[1]
    assert json.loads((found.folder / "summary.json").read_text()) == found.fields


def timings(result: StudyResult) -> dict[str, tuple[str, str]]:
    """How long each run took, and who did it: others, where it was done again."""
    with (result.folder / "timings.csv").open() as file:
        return {row["run"]: (row["wall_s"], row["worker"]) for row in csv.DictReader(file)}


def workers(result: StudyResult) -> list[str]:
    """Who did the runs that have ended."""
    return [worker for _, worker in timings(result).values()]


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    """The failure domain, by threads of this machine."""
    return study.run(DOMAIN, tmp_path_factory.mktemp("domain"))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    """The shaken arch, by threads of this machine."""
    return study.run(LONG, tmp_path_factory.mktemp("long"), threads=2)


# What comes of it.


def test_a_sweep_finds_what_theory_says(tmp_path: Path) -> None:
    frictions = [0.1, 0.2, 0.28]
    found = study.run(swept("friction", str(frictions)), tmp_path / "block")
    # The block slides at its friction coefficient; it would turn over at 0.3.
    assert found.table()["multiplier"] == pytest.approx(np.array(frictions), rel=1e-6)
    assert (found.runs, found.done, found.failed, found.complete) == (3, 3, 0, True)
    assert found.kind == "sweep" and found.conclusions and found.wall_s > 0
    assert set(workers(found)) == {"local"}


def test_the_table_is_that_of_the_file(domain: StudyResult) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table, written = domain.table(), pandas.read_parquet(domain.folder / "runs.parquet")
    assert list(table) == list(written.columns) and len(written) == domain.done
    for name, column in table.items():
        if column.dtype == object:
            assert list(column) == list(written[name]), name
        elif written[name].dtype == float:
            assert column.tobytes() == written[name].to_numpy().tobytes(), name
        else:
            # Truth values, where a run has one.
            assert [{1.0: "true", 0.0: "false"}.get(value, "") for value in column] == list(written[name]), name
    assert set(table["collapsed"][~np.isnan(table["collapsed"])]) == {0.0, 1.0}
    assert domain.to_pandas().shape == written.shape and domain.to_arrow().num_rows == domain.done
    # The caller's own.
    table["amplitude_g"][:] = 0
    assert np.nanmax(domain.table()["amplitude_g"]) == 1


def test_results_are_read_from_the_folder(domain: StudyResult) -> None:
    read = study.read(domain.folder)
    assert read.fields == json.loads((domain.folder / "summary.json").read_text())
    assert {name: column.tolist() for name, column in read.to_pandas().items() if column.dtype == object} == {
        name: column.tolist() for name, column in domain.to_pandas().items() if column.dtype == object
    }
    # Without the file, of what the database knows.
    table = domain.folder / "runs.parquet"
    kept = table.read_bytes()
    table.unlink()
    try:
        known = study.read(domain.folder).table()
    finally:
        table.write_bytes(kept)
    for name, column in domain.table().items():
        assert np.array_equal(known.pop(name), column, equal_nan=column.dtype != object), name
    assert not known


def test_a_study_file_names_its_model_from_where_it_is(tmp_path: Path) -> None:
    Model.recipe("block", friction=0.3).save(tmp_path / "block.json")
    file = tmp_path / "study.toml"
    file.write_text(swept("gravity", "[1, 2]", model='model = "block.json"\n'))
    assert study.run(file, tmp_path / "a").table()["multiplier"] == pytest.approx(np.array([0.3, 0.3]), rel=1e-6)
    assert study.run(str(file), tmp_path / "b").complete
    assert (tmp_path / "a" / "study.toml").read_text() == file.read_text()


@pytest.mark.parametrize("kind", ["failure-domain", "fragility", "sweep", "assembly"])
def test_templates_are_study_files(kind: str) -> None:
    text = study.template(kind, "arch")
    assert f"[{kind.replace('-', '_')}]" in text and 'recipe = "arch"' in text


@needs_program
def test_templates_are_those_of_the_command_line() -> None:
    assert program("study", "--new", "sweep", "arch").stdout == study.template("sweep", "arch")


def test_a_run_is_done_again(domain: StudyResult, tmp_path: Path) -> None:
    table = domain.table()
    strongest = int(np.nanargmax(table["amplitude_g"]))
    film = study.again(domain.folder, table["run"][strongest])
    assert isinstance(film, drystone.Run) and len(film.times) > 20
    assert film.max_displacement_m == table["max_displacement_m"][strongest]
    capacity = int(np.flatnonzero(~np.isnan(table["multiplier"]))[0])
    limit = study.again(domain.folder, table["run"][capacity][:10], tmp_path / "run")
    assert isinstance(limit, drystone.Limit) and limit.multiplier == table["multiplier"][capacity]
    assert (tmp_path / "run" / "certificate-stands.json").is_file()


def test_a_limit_is_done_again_with_its_loads_and_its_law(tmp_path: Path) -> None:
    model = Model.recipe("block", friction=0.2)
    model.add_load("push", model.names[-1], (float(0.1 * G * model.masses[-1]), 0, 0))
    model.save(tmp_path / "block.json")
    (tmp_path / "study.toml").write_text(
        swept("load:push", "[0.5, 1.0]", '{ limit = { direction = "x", friction_law = "coulomb" } }', 'model = "block.json"\n')
    )
    found = study.run(tmp_path / "study.toml", tmp_path / "out")
    multipliers = found.table()["multiplier"]
    # What the load takes away is lost to the earthquake.
    assert multipliers == pytest.approx(np.array([0.15, 0.1]), rel=1e-4)
    again = study.again(found.folder, found.table()["run"][1])
    assert isinstance(again, drystone.Limit) and again.multiplier == multipliers[1]
    assert again.fields["friction"] == "coulomb"


# Shown.


def test_a_chart_is_drawn(domain: StudyResult) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    (chart,) = domain.charts
    ax = domain.plot()
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == (chart["x"], chart["y"], chart["title"])
    for line, series in zip(ax.lines, chart["series"]):
        assert np.array_equal(line.get_xydata(), np.array(series["points"], dtype=float))
    assert len(ax.lines) == len(chart["series"])
    own = plt.figure().add_subplot()
    assert domain.plot(chart["name"], own) is own
    with pytest.raises(KeyError, match="failure-domain"):
        domain.plot("fragility")
    plt.close("all")


def test_a_card_tells_what_was_found(domain: StudyResult) -> None:
    from test_shows import Reader

    card = Reader(domain._repr_html_())
    assert all(sentence in card.text for sentence in domain.conclusions)
    assert f"{domain.done} of {domain.runs}" in card.text and "complete" in card.text
    (picture,) = card.links
    assert picture.startswith("data:image/svg+xml;base64,")
    assert repr(domain) == f"<StudyResult of arch: {domain.runs} of {domain.runs} runs>"


# Locally: progress, interruption, several folders.


def test_progress_is_the_fraction_of_runs(tmp_path: Path) -> None:
    told: list[tuple[float, str]] = []
    study.run(LONG, tmp_path / "out", progress=lambda done, words: told.append((done, words)))
    fractions = [done for done, _ in told]
    assert fractions == sorted(fractions) and fractions[0] == 0 and fractions[-1] == 1
    assert told[0][1] == "0 of 4 runs" and any(0 < done < 1 and " of 4 runs" in words for done, words in told)


def interrupt(at: Callable[[float], bool]) -> Callable[[float, str], None]:
    """Ctrl-C, once, when a part is done."""
    sent: list[float] = []

    def tell(done: float, _: str) -> None:
        if at(done) and not sent:
            sent.append(done)
            os.kill(os.getpid(), signal.SIGINT)

    return tell


needs_sigint = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one thread")


@needs_sigint
def test_ctrl_c_leaves_a_folder_that_goes_on(tmp_path: Path, long: StudyResult) -> None:
    folder = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        study.run(LONG, folder, threads=1, progress=interrupt(lambda done: done > 0))
    left = study.read(folder)
    assert 0 < left.done < left.runs and not left.complete and len(left.table()["run"]) == left.done
    assert (folder / "report.html").is_file()
    kept = timings(left)
    found = study.run(LONG, folder)
    assert_same_files(found, long)
    # They were not done again.
    assert kept.items() < timings(found).items()


@needs_sigint
def test_ctrl_c_does_not_wait_for_runs_to_end(tmp_path: Path) -> None:
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        study.run(ENDLESS, tmp_path / "out", progress=interrupt(lambda done: True))
    assert time.perf_counter() - began < 5
    # The folder is free.
    assert study.read(tmp_path / "out").done == 0
    study.run(swept("friction", "[0.3]"), tmp_path / "out")


def test_an_exception_in_progress_ends_a_study(tmp_path: Path) -> None:
    def refuse(done: float, words: str) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        study.run(ENDLESS, tmp_path / "out", progress=refuse)


def test_parts_are_put_together(tmp_path: Path, domain: StudyResult) -> None:
    for part in (1, 2, 3):
        study.run(DOMAIN, tmp_path / f"part{part}", shard=f"{part}/3")
    parts = [tmp_path / f"part{part}" for part in (1, 2, 3)]
    known = [timings(study.read(part)) for part in parts]
    assert sum(map(len, known)) == domain.runs and max(map(len, known)) < domain.runs
    whole = study.run(DOMAIN, tmp_path / "all", merge=parts)
    assert_same_files(whole, domain)
    # Nothing was done again.
    assert timings(whole) == {run: how for part in known for run, how in part.items()}


def test_failed_runs_are_told_and_done_again(tmp_path: Path) -> None:
    text = swept("gravity", "[1, 0]")
    with pytest.warns(UserWarning, match="1 of 2 runs failed"):
        found = study.run(text, tmp_path / "out")
    table = found.table()
    assert found.failed == 1 and list(table["status"]) == ["done", "failed"]
    assert "gravity" in table["error"][1] and np.isnan(table["multiplier"][1])
    assert repr(found).endswith("2 of 2 runs, 1 failed>")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert study.run(text, tmp_path / "out").done == 2
        assert study.run(text, tmp_path / "out", retry_failed=True).failed == 1


# Bad input.


BAD = {
    "an unknown field": ("oops = 3\n" + swept("friction", "[0.5]"), {}, "study:1:1: unknown field `oops`"),
    "no TOML": ("model = \n[sweep]\n", {}, "study:1:"),
    "NaN": (swept("friction", "[0.5, nan]"), {}, "`friction`) has NaN; it must be a finite number"),
    "NaN as a step": (ARCH + "[simulation]\ndt = nan\n" + DOMAIN[DOMAIN.index("[failure") :], {}, "dt"),
    "no kind": ("# nothing\n" + ARCH, {}, "says nothing to do"),
    "no such model": (swept("friction", "[0.5]", model='model = "nowhere.json"\n'), {}, "nowhere.json"),
    "no such records": (ARCH + '[fragility]\nrecords = "nowhere"\nintensities = [0.5]\n', {}, "nowhere: the folder cannot be read"),
    "no threads": (swept("friction", "[0.5]"), {"threads": 0}, "'--threads <N>': 0 is not in 1..=1024"),
    "no such part": (swept("friction", "[0.5]"), {"shard": "9/8"}, "`9/8` is no part"),
    "nothing to merge": (swept("friction", "[0.5]"), {"merge": "nowhere"}, "nowhere: there is no study here"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_the_command_line_says(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, options, message = BAD[case]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as raised:
        study.run(text, tmp_path / "out", **options)
    assert message in str(raised.value)
    assert not list(tmp_path.glob("out/runs.csv"))


@needs_program
@pytest.mark.parametrize("case", [case for case in BAD if not BAD[case][1]])
def test_messages_are_those_of_the_command_line(case: str, tmp_path: Path) -> None:
    (tmp_path / "study").write_text(BAD[case][0])
    with pytest.raises(InputError) as raised:
        study.run(tmp_path / "study", tmp_path / "out")
    done = program("study", tmp_path / "study", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert str(raised.value).splitlines()[0] in done.stderr


def test_folders_without_a_study_are_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="there is no study here"):
            study.read(folder)
        with pytest.raises(InputError, match="there is no study here"):
            study.again(folder, "0")
    with pytest.raises(InputError, match="no kind of study `dome`"):
        study.template("dome", "arch")
    with pytest.raises(InputError, match="nowhere"):
        study.template("sweep", tmp_path / "nowhere")


def test_a_folder_has_one_writer(tmp_path: Path) -> None:
    def meddle(done: float, words: str) -> None:
        # The last word comes when it is over.
        if words != "done":
            with pytest.raises(RunError, match="is writing there"):
                study.run(swept("friction", "[0.5]"), tmp_path / "out")
            tried.append(done)

    tried: list[float] = []
    study.run(swept("friction", "[0.2, 0.25]"), tmp_path / "out", progress=meddle)
    assert tried


# On a cluster.


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of a scheduler with two worker processes of one thread each, over loopback."""
    distributed = pytest.importorskip("distributed")
    import dask

    # One lost worker is enough to give a run up once: the tests need not lose four.
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def fresh(client: Any) -> Any:
    """The same, with both workers at hand and idle."""
    client.wait_for_workers(2, timeout=30)
    assert_idle(client)
    return client


def assert_idle(client: Any) -> None:
    """No worker holds a run, not even one that is no longer wanted."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        held = client.run(lambda dask_worker: [str(key) for key in dask_worker.state.tasks])
        if not any(held.values()):
            return
        time.sleep(0.1)
    raise AssertionError(held)


def at_work(client: Any) -> list[str]:
    """Addresses of workers that are doing a run."""
    return [address for address, keys in client.processing().items() if any("shared" not in str(key) for key in keys)]


@pytest.mark.parametrize("name", ["domain", "long"])
def test_a_cluster_makes_the_same_files(name: str, fresh: Any, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    local: StudyResult = request.getfixturevalue(name)
    told: list[tuple[float, str]] = []
    found = study.run(
        (local.folder / "study.toml").read_text(), tmp_path / "out", client=fresh, progress=lambda *each: told.append(each)
    )
    assert_same_files(found, local)
    assert set(workers(found)) <= set(fresh.nthreads()) and found.complete
    if name == "long":
        assert len(set(workers(found))) == 2
    assert told[-1][0] == 1 and told[-2][1] == f"{local.runs} of {local.runs} runs"


def test_models_and_records_are_sent_once(fresh: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from drystone import _cluster

    Model.recipe("arch", voussoirs=3).save(tmp_path / "arch.json")
    file = tmp_path / "study.toml"
    file.write_text(
        'model = "arch.json"\n[simulation]\ndt = 0.005\nafter = 0.1\n[fragility]\nsynthetic = { count = 2, motion = { duration = 2.0 } }\n'
        'direction = "x"\nintensities = [0.5, 1.0, 2.0]\nmethod = "incremental"\nbootstrap = 20\n'
    )
    sent: list[tuple[Any, str]] = []
    submit = fresh.submit

    def counted(function: Any, text: str, *args: Any, **options: Any) -> Any:
        sent.append((function, text))
        assert not any(isinstance(each, str) and len(each) > 100 for each in args)
        return submit(function, text, *args, **options)

    monkeypatch.setattr(fresh, "submit", counted)
    found = study.run(file, tmp_path / "out", client=fresh)
    texts = [text for function, text in sent if function is _cluster.shared]
    assert len(texts) == 3 and (tmp_path / "arch.json").read_text() in texts
    runs = [text for function, text in sent if function is _cluster.on_worker]
    assert len(runs) == found.runs >= 6
    assert all(len(run) < 2000 for run in runs)
    assert_same_files(found, study.run(file, tmp_path / "local"))


@needs_sigint
def test_a_worker_that_is_killed_costs_its_run_only(fresh: Any, tmp_path: Path, long: StudyResult) -> None:
    processes = fresh.run(os.getpid)
    killed: list[str] = []

    def kill(done: float, words: str) -> None:
        if done > 0 and not killed and at_work(fresh):
            killed.append(at_work(fresh)[0])
            os.kill(processes[killed[0]], signal.SIGKILL)

    found = study.run(LONG, tmp_path / "out", client=fresh, progress=kill)
    assert killed, "no worker was at work"
    assert found.failed == 0
    assert_same_files(found, long)


@needs_sigint
def test_a_run_that_ends_its_workers_has_failed(fresh: Any, tmp_path: Path) -> None:
    from distributed import WorkerPlugin

    class Deadly(WorkerPlugin):  # type: ignore[misc]
        """Ends the worker at a run, as one that needs too much memory does."""

        name = "deadly"

        def setup(self, worker: Any) -> None:
            from drystone import _cluster

            perform = _cluster.perform

            def deadly(run: str, *more: Any) -> Any:
                if "friction 0.2000" in run:
                    os.kill(os.getpid(), 9)
                return perform(run, *more)

            self.undo = lambda: setattr(_cluster, "perform", perform)
            _cluster.perform = deadly

        def teardown(self, worker: Any) -> None:
            self.undo()

    text = swept("friction", "[0.1, 0.15, 0.2, 0.25]")
    fresh.register_plugin(Deadly())
    try:
        with pytest.warns(UserWarning, match="1 of 4 runs failed"):
            found = study.run(text, tmp_path / "out", client=fresh)
    finally:
        fresh.unregister_worker_plugin("deadly")
    table = found.table()
    assert list(table["status"]) == ["done", "done", "failed", "done"]
    assert "lost" in table["error"][2] and "retry_failed" in table["error"][2]
    whole = study.run(text, tmp_path / "out", client=fresh, retry_failed=True)
    assert whole.failed == 0 and whole.table()["multiplier"] == pytest.approx(np.array([0.1, 0.15, 0.2, 0.25]), rel=1e-6)


@needs_sigint
def test_ctrl_c_frees_the_workers(fresh: Any, tmp_path: Path) -> None:
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        study.run(ENDLESS, tmp_path / "out", client=fresh, progress=interrupt(lambda done: len(at_work(fresh)) == 2))
    assert time.perf_counter() - began < 10
    assert_idle(fresh)
    assert study.read(tmp_path / "out").done == 0


@needs_sigint
def test_an_interrupted_cluster_goes_on_where_it_was(fresh: Any, tmp_path: Path, long: StudyResult) -> None:
    with pytest.raises(KeyboardInterrupt):
        study.run(LONG, tmp_path / "out", client=fresh, progress=interrupt(lambda done: done > 0))
    left = study.read(tmp_path / "out")
    assert 0 < left.done <= left.runs
    # Here, what is left.
    found = study.run(LONG, tmp_path / "out")
    assert_same_files(found, long)
    assert workers(found).count("local") == 4 - left.done


def test_failures_are_the_same_on_a_cluster(fresh: Any, tmp_path: Path) -> None:
    text = swept("gravity", "[1, 0]")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same_files(study.run(text, tmp_path / "there", client=fresh), study.run(text, tmp_path / "here"))


def test_other_builds_on_workers_are_refused(fresh: Any, tmp_path: Path) -> None:
    def pretend(build: str) -> None:
        from drystone import _cluster

        _cluster.__build__ = build  # type: ignore[attr-defined]

    fresh.run(pretend, drystone.__version__ + "+0")
    try:
        with pytest.raises(RunError, match=r"this worker has drystone [0-9.]+\+0, and the study is run by"):
            study.run(swept("friction", "[0.2, 0.3]"), tmp_path / "out", client=fresh)
    finally:
        fresh.run(pretend, __build__)
    assert study.run(swept("friction", "[0.2, 0.3]"), tmp_path / "out", client=fresh).complete


def test_a_cluster_is_refused_what_it_has_not(fresh: Any, tmp_path: Path) -> None:
    text = swept("friction", "[0.2]")
    with pytest.raises(InputError, match="client or threads"):
        study.run(text, tmp_path / "out", client=fresh, threads=2)
    with pytest.raises(TypeError, match=r"must be a dask\.distributed\.Client"):
        study.run(text, tmp_path / "out", client="tcp://127.0.0.1:8786")
    with pytest.raises(InputError, match="unknown field `oops`"):
        study.run("oops = 1\n" + text, tmp_path / "out", client=fresh)
    assert not (tmp_path / "out" / "runs.csv").exists()


def test_without_dask_the_remedy_is_told() -> None:
    code = "import sys; sys.modules['distributed'] = None\nimport drystone\ndrystone.study.run('a\\nb', 'out', client=1)"
    done = python(code)
    assert done.returncode == 1 and "ImportError: client= needs Dask: pip install drystone[dask]" in done.stderr
