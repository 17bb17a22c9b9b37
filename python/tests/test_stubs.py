"""The stub says what the native module holds, and the types of the package are sound."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import drystone
from drystone import _drystone as native

PACKAGE = Path(drystone.__file__).resolve().parent
PYTHON = PACKAGE.parent
STUB = ast.parse((PACKAGE / "_drystone.pyi").read_text(encoding="utf-8"))
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}

#: Settings of mypy: strict, and packages that need not be there have no types.
SETTINGS = "[mypy]\nstrict = True\ndisable_error_code = import-untyped,import-not-found\n"
#: Where the stub says more than the module: names of types, and of one class that it is final.
ALLOWED = r"drystone\._drystone\.(Floats|Path|Tell|Told|__all__|NativeModel|NativeStudy)"


def arguments(function: ast.FunctionDef) -> list[tuple[str, bool]]:
    """Names of the arguments of a function of the stub, and whether they may be left out; without `self`."""
    found = function.args.args
    optional = len(found) - len(function.args.defaults)
    return [(each.arg, k >= optional) for k, each in enumerate(found) if each.arg != "self"]


def own_arguments(function: object) -> list[tuple[str, bool]]:
    """The same of the module."""
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    return [(p.name, p.default is not p.empty) for p in parameters if p.name != "self"]


def decorators(function: ast.FunctionDef) -> set[str]:
    """Names of the decorators of a function of the stub."""
    return {each.id for each in function.decorator_list if isinstance(each, ast.Name)}


def methods(name: str) -> dict[str, ast.FunctionDef]:
    """What the stub says of a class."""
    return {node.name: node for node in CLASSES[name].body if isinstance(node, ast.FunctionDef)}


NATIVE = [name for name in CLASSES if name.startswith("Native")]
METHODS = [(name, method) for name in NATIVE for method in methods(name)]


def test_the_module_has_what_the_stub_names_and_nothing_else() -> None:
    constants = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    assert {*FUNCTIONS, *CLASSES, *constants} == set(native.__all__)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_the_same_arguments(name: str) -> None:
    assert arguments(FUNCTIONS[name]) == own_arguments(getattr(native, name))


@pytest.mark.parametrize("name", NATIVE)
def test_classes_have_the_same_methods(name: str) -> None:
    own = {each for each in vars(getattr(native, name)) if not each.startswith("_")}
    assert set(methods(name)) == own


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_methods_take_the_same_arguments(name: str, method: str) -> None:
    owner, stub = getattr(native, name), methods(name)[method]
    found = inspect.getattr_static(owner, method)
    said = decorators(stub)
    assert ("property" in said) == inspect.isgetsetdescriptor(found)
    assert ("staticmethod" in said) == isinstance(found, staticmethod)
    if "property" not in said:
        assert arguments(stub) == own_arguments(getattr(owner, method))


@pytest.mark.parametrize("name", [name for name in CLASSES if name.endswith("Error")])
def test_exceptions_have_the_same_bases(name: str) -> None:
    said = [base.id for base in CLASSES[name].bases if isinstance(base, ast.Name)]
    assert said == [base.__name__ for base in getattr(native, name).__bases__]


def mypy(tmp_path: Path, module: str, *words: str, settings: str = SETTINGS) -> str:
    """What a module of mypy complains of."""
    pytest.importorskip("mypy")
    file = tmp_path / "mypy.ini"
    file.write_text(settings)
    option = "--mypy-config-file" if module.endswith("stubtest") else "--config-file"
    done = subprocess.run(
        [sys.executable, "-m", module, *words, option, str(file)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=PYTHON,
        env={**os.environ, "MYPYPATH": str(PYTHON), "PYTHONPATH": str(PYTHON), "MYPY_CACHE_DIR": str(tmp_path / "cache")},
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_stubtest_accepts_the_stub(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.write_text(ALLOWED + "\n")
    # What is wrong elsewhere is told by the next test.
    settings = SETTINGS + "[mypy-drystone.*]\nignore_errors = True\n"
    words = ["drystone._drystone", "--concise", "--allowlist", str(allowed), "--ignore-unused-allowlist"]
    assert mypy(tmp_path, "mypy.stubtest", *words, settings=settings) == ""


def test_the_package_is_strictly_typed(tmp_path: Path) -> None:
    assert mypy(tmp_path, "mypy", "-p", "drystone") == ""


@pytest.mark.parametrize("file", ["docs.py", *sorted(f"examples/{path.name}" for path in (PYTHON / "examples").glob("*.py"))])
def test_scripts_are_strictly_typed(tmp_path: Path, file: str) -> None:
    complaints = mypy(tmp_path, "mypy", file)
    assert [line for line in complaints.splitlines() if line.startswith(file)] == []
