"""Writes the API reference of docs/python.md from the docstrings of the package.

    python python/docs.py           writes it anew
    python python/docs.py --check   exits with 1 where that would change it

What stands between the two marker comments is made here; the rest of the page is written by hand. Sources are read, not imported, so
that the page does not depend on the version of Python; only what the native module says of itself is imported.
"""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from typing import NamedTuple, Optional, Union

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "drystone"
PAGE = HERE.parent / "docs" / "python.md"
BEGIN, END = "<!-- made from the docstrings: begin -->", "<!-- made from the docstrings: end -->"

#: Modules whose names are imported from them, beside the package itself.
MODULES = ["study", "compas", "compas_cra"]

Definition = Union[ast.FunctionDef, ast.ClassDef]


class Source(NamedTuple):
    """A module: its lines, and what it defines."""

    lines: list[str]
    tree: ast.Module

    @classmethod
    def of(cls, path: Path) -> Source:
        text = path.read_text(encoding="utf-8")
        return cls(text.splitlines(), ast.parse(text))

    def public(self) -> list[str]:
        """What `__all__` lists."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                return [str(name) for name in ast.literal_eval(node.value)]
        return []

    def definitions(self) -> dict[str, Definition]:
        """Functions and classes by name."""
        return {node.name: node for node in self.tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}

    def remark(self, line: int) -> str:
        """The `#:` comment above a line, counted from 1."""
        found: list[str] = []
        while line >= 2 and self.lines[line - 2].strip().startswith("#:"):
            line -= 1
            found.insert(0, self.lines[line - 1].strip()[2:].strip())
        return " ".join(found)

    def chapter(self, node: ast.stmt, after: int) -> Optional[str]:
        """The comment that opens a chapter of a class between a line and a node."""
        for line in range(after, node.lineno):
            text, behind = self.lines[line - 1].strip(), self.lines[line].strip()
            if text.startswith("# ") and not behind:
                return text[2:].rstrip(".")
        return None


def docstring(node: Definition) -> str:
    """The docstring as Markdown: examples are blocks of code."""
    return examples_fenced(ast.get_docstring(node) or "")


def examples_fenced(text: str) -> str:
    """Doctests as blocks of code."""
    out: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.startswith(">>>") and not inside:
            out.append("```pycon")
            inside = True
        if inside and not line.strip():
            out.append("```")
            inside = False
        out.append(line)
    return "\n".join([*out, "```"] if inside else out)


def signature(function: ast.FunctionDef, name: str) -> str:
    """How a function is called, a line for each argument where one line is too long."""
    arguments = function.args
    parts = [part.strip() for part in split(ast.unparse(arguments))]
    parts = [part.replace("=", " = ", 1) if ":" in part else part for part in parts if part.split(":")[0] not in ("self", "cls")]
    gives = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    line = f"{name}({', '.join(parts)}){gives}"
    if len(line) <= 110:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){gives}"


def split(text: str) -> list[str]:
    """Cuts at commas that stand in no brackets and no quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        depth += (letter in "([{") - (letter in ")]}") if not quote else 0
        if letter == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]


def is_property(function: ast.FunctionDef) -> bool:
    """Whether it is read as an attribute."""
    return any(isinstance(each, ast.Name) and each.id == "property" for each in function.decorator_list)


def is_hidden(function: ast.FunctionDef) -> bool:
    """Private ones, and those without a docstring, which say what every Python object says."""
    return function.name.startswith("_") or ast.get_docstring(function) is None


def of_function(function: ast.FunctionDef, name: str, level: int) -> list[str]:
    """A function: how it is called, and its docstring."""
    return [f"{'#' * level} `{name}`", "```py\n" + signature(function, name) + "\n```", docstring(function)]


def of_class(source: Source, node: ast.ClassDef, name: str) -> list[str]:
    """A class: its docstring, a table of its attributes, and its methods."""
    bases = public_bases(source, node)
    title = f"### `{name}`" + (f", a `{bases[0]}`" if bases else "")
    out = [title, docstring(node)]
    rows: list[tuple[str, str, str]] = []
    methods: list[str] = []
    last = node.body[0].end_lineno or node.lineno
    for member in with_private_bases(source, node):
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            said = source.remark(member.lineno)
            if said or not rows:
                rows.append((f"`{member.target.id}`", plain(member.annotation), said))
            else:
                # A field without a remark belongs to that of the field above.
                rows[-1] = (f"{rows[-1][0]}, `{member.target.id}`", *rows[-1][1:])
        if not isinstance(member, ast.FunctionDef):
            continue
        chapter = source.chapter(member, last)
        last = member.end_lineno or last
        if chapter and chapter not in methods:
            methods.append(f"**{chapter}**")
        if is_hidden(member):
            continue
        if is_property(member):
            gives = plain(member.returns) if member.returns is not None else ""
            rows.append((f"`{member.name}`", gives, " ".join(docstring(member).split())))
        else:
            methods.extend(of_function(member, f"{name}.{member.name}", 4))
    if rows:
        out.append("\n".join(["| attribute | is | meaning |", "|---|---|---|", *(f"| {a} | `{b}` | {c} |" for a, b, c in rows)]))
    # A chapter of which nothing is left goes.
    kept = [text for k, text in enumerate(methods) if not (text.startswith("**") and (k + 1 == len(methods) or methods[k + 1].startswith("**")))]
    return out + kept


def public_bases(source: Source, node: ast.ClassDef) -> list[str]:
    """Names of the bases of a class; a private one stands for its own."""
    found: list[str] = []
    for base in map(ast.unparse, node.bases):
        private = source.definitions().get(base) if base.startswith("_") else None
        found.extend(public_bases(source, private) if isinstance(private, ast.ClassDef) else [base])
    return found


def with_private_bases(source: Source, node: ast.ClassDef) -> list[ast.stmt]:
    """The members of a class, after those of its private bases."""
    known = source.definitions()
    inherited = [known.get(ast.unparse(base)) for base in node.bases if ast.unparse(base).startswith("_")]
    return [member for base in inherited if base is not None for member in base.body] + node.body


def plain(annotation: ast.expr) -> str:
    """A type, as a cell of a table can hold it."""
    return ast.unparse(annotation).replace("|", "\\|")


def of_native(name: str) -> list[str]:
    """What the native module says of a name, with the signature of its stub."""
    from drystone import _drystone as native

    thing = getattr(native, name)
    if name == "__version__":
        return ["### `__version__`", "The version of the package, as text."]
    stub = Source.of(PACKAGE / "_drystone.pyi").definitions()[name]
    text = inspect.getdoc(thing) or ""
    if isinstance(stub, ast.ClassDef):
        return [f"### `{name}`, a `{ast.unparse(stub.bases[0])}`", text]
    return [f"### `{name}`", "```py\n" + signature(stub, name) + "\n```", text]


def of_name(name: str, sources: list[Source]) -> list[str]:
    """A public name of the package."""
    for source in sources:
        node = source.definitions().get(name)
        if isinstance(node, ast.ClassDef):
            return of_class(source, node, name)
        if node is not None:
            return of_function(node, name, 3)
    return of_native(name)


def reference() -> str:
    """The whole of it."""
    sources = [Source.of(PACKAGE / f"{name}.py") for name in ("model", "results")]
    names = Source.of(PACKAGE / "__init__.py").public()
    # What is used first stands first; errors and the like come last.
    first = ["Model", "recipes", "Result", "Check", "Answer", "Limit", "Tilt", "Settle", "Run", "Contacts", "Verification", "StudyResult"]
    ordered = [name for name in first if name in names] + [name for name in names if name not in first]
    parts = [part for name in ordered for part in of_name(name, sources)]
    for module in MODULES:
        path = PACKAGE / f"{module}.py"
        if not path.is_file():
            continue
        source = Source.of(path)
        parts += [f"### The module `drystone.{module}`", examples_fenced(ast.get_docstring(source.tree) or "")]
        for name in source.public():
            node = source.definitions()[name]
            parts += of_class(source, node, name) if isinstance(node, ast.ClassDef) else of_function(node, name, 4)
    return "\n\n".join(part for part in parts if part)


def page(old: str) -> str:
    """The page with the reference made anew."""
    head, begin, rest = old.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE}: the comments `{BEGIN}` and `{END}` must stand in it")
    return f"{head}{BEGIN}\n\n{reference()}\n\n{END}{tail}"


def main(words: list[str]) -> int:
    """Writes the page, or says whether that would change it."""
    old = PAGE.read_text(encoding="utf-8")
    new = page(old)
    if words == ["--check"]:
        if new != old:
            print(f"{PAGE.name} is not up to date; run python/docs.py", file=sys.stderr)
        return int(new != old)
    if words:
        print(__doc__, file=sys.stderr)
        return 2
    PAGE.write_bytes(new.encode())
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main(sys.argv[1:]))
