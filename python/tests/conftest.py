"""Where everything that tests need was installed (DRYSTONE_TESTS_COMPLETE), a test that is skipped for want of it has failed."""

from __future__ import annotations

import os
from typing import Any

import pytest

#: What may be missing all the same: data beside the project, and what other systems do not have.
MAY_BE_MISSING = ("shared/cra/", "Windows has ", "there is no ")
_missing: list[str] = []


def _look(report: Any) -> None:
    if report.skipped and os.environ.get("DRYSTONE_TESTS_COMPLETE"):
        why = str(report.longrepr[2]).removeprefix("Skipped: ")
        if not why.startswith(MAY_BE_MISSING):
            _missing.append(f"{report.nodeid}: {why}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _look(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _look(report)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _missing:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for each in _missing:
        terminalreporter.write_line(f"skipped, and must not be: {each}", red=True)
