"""The page docs/python.md: its code runs, and its reference is that of the docstrings."""

from __future__ import annotations

import doctest
import importlib
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import drystone

PYTHON = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PYTHON))

import docs  # noqa: E402

TEXT = docs.PAGE.read_text(encoding="utf-8")
WRITTEN = TEXT.partition(docs.BEGIN)[0]


def blocks(text: str, kind: str) -> list[tuple[int, str]]:
    """Blocks of code of a kind, with the lines that they begin at."""
    found = re.finditer(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n"), match.group(1)) for match in found]


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    found = blocks(WRITTEN, "python")
    assert len(found) >= 10
    for line, code in found:
        # With the lines of the page, so that a traceback names them.
        exec(compile("\n" * line + code, str(docs.PAGE), "exec"), names)
    assert (names["answer"].verdict, names["falls"].verdict) == ("stable", "unstable")
    assert (tmp_path / "answer.json").stat().st_size > 100
    assert "-1" in capsys.readouterr().out


def test_code_for_other_programs_is_python() -> None:
    for line, code in blocks(WRITTEN, "py"):
        compile("\n" * line + code, str(docs.PAGE), "exec")


def test_the_readme_of_the_package_runs() -> None:
    for _, code in blocks((PYTHON / "README.md").read_text(encoding="utf-8"), "python"):
        exec(compile(code, "README.md", "exec"), {})


def test_links_of_the_page_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", WRITTEN):
        assert (docs.PAGE.parent / target).exists(), target


def test_files_that_the_page_names_are_there() -> None:
    for name in re.findall(r"`(python/[\w/.]+\.py)`", WRITTEN):
        assert (PYTHON.parent / name).is_file(), name


def test_the_reference_is_up_to_date() -> None:
    assert docs.page(TEXT) == TEXT, "run python/docs.py"


def test_the_reference_has_every_public_name() -> None:
    reference = docs.reference()
    for name in drystone.__all__:
        assert f"### `{name}`" in reference, name
    for name, member in vars(drystone.Model).items():
        if not name.startswith("_"):
            assert f"`Model.{name}`" in reference or f"`{name}`" in reference, name
            assert member.__doc__ or getattr(member, "__func__", member).__doc__, name


@pytest.mark.parametrize("module", sorted(path.stem for path in (PYTHON / "drystone").glob("*.py") if path.stem != "__main__"))
def test_examples_of_docstrings_hold(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "drystone" if module == "__init__" else f"drystone.{module}"
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
