"""Which module may import which, read from the source."""

from __future__ import annotations

import ast
import configparser
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "trec_eval_py"
FILES = {str(path.relative_to(PACKAGE)): path for path in sorted(PACKAGE.rglob("*.py"))}

# A module imports only those before it. `_version` imports nothing; `__init__` is the public door,
# and `__main__`, where the program enters, imports the command line alone.
LAYERS = (
    *("errors", "schemas", "ranking", "reading", "measures", "scoring", "aggregating"),
    *("checking", "provenance", "reporting", "converting", "distributing", "twin", "cli"),
)
APART = ("_version", "__init__", "__main__")
SOLE_IMPORTERS = {
    "ir_datasets": {"reading"},
    "pyarrow.csv": {"reading"},
    "pytrec_eval": {"scoring"},
    "pytrec_eval_ext": {"scoring"},
    "click": {"cli"},
    "rich": {"reporting"},
}
HEAVY = ("pandas", "numpy", "pyarrow", "scipy", "ir_datasets", "pytrec_eval", "rich", "click")


class Import(NamedTuple):
    """One imported name: `trec_eval_py.reading` for both forms of importing it."""

    name: str
    line: int
    at_once: bool
    """Whether importing the file imports it: not inside a function, nor for types alone."""


def imports(path: Path) -> list[Import]:
    return list(_imports(ast.parse(path.read_text(encoding="utf-8")), path, at_once=True))


def _imports(node: ast.AST, path: Path, at_once: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, at_once) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"{path}:{child.lineno}: a relative import hides its layer"
            for alias in child.names:
                yield Import(f"{child.module}.{alias.name}", child.lineno, at_once)
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for part in child.body:
                yield from _imports(ast.Module([part], []), path, at_once=False)
            for part in child.orelse:
                yield from _imports(ast.Module([part], []), path, at_once)
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, path, at_once and not function)


def module_of(file: str) -> str:
    """Give the module of a file: `reading` for `reading/_lines.py`."""
    return Path(file).parts[0].removesuffix(".py")


def ours(name: str) -> str | None:
    """Give the module of ours that an imported name lies in; None where it is not ours."""
    package, _, rest = name.partition(".")
    if package != PACKAGE.name:
        return None
    module = rest.partition(".")[0]
    return module if module in (*LAYERS, *APART) else "__init__"


def is_of(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def test_every_module_has_a_layer() -> None:
    assert {module_of(file) for file in FILES} == {*LAYERS, *APART}


@pytest.mark.parametrize("file", [f for f in FILES if module_of(f) in LAYERS])
def test_a_module_imports_only_those_before_it(file: str) -> None:
    module = module_of(file)
    allowed = {"_version", module, *LAYERS[: LAYERS.index(module)]}
    wrong = [
        f"{file}:{found.line}: {found.name}"
        for found in imports(FILES[file])
        if ours(found.name) not in (None, *allowed)
    ]
    assert wrong == []


def test_the_entry_imports_the_command_line_alone() -> None:
    found = [one.name for one in imports(FILES["__main__.py"]) if ours(one.name)]
    assert [ours(name) for name in found] == ["cli"]
    assert not any(ours(one.name) for one in imports(FILES["_version.py"]))


def test_the_program_enters_by_main() -> None:
    settings = configparser.ConfigParser()
    settings.read(PACKAGE.parent / "setup.cfg", encoding="utf-8")
    scripts = settings["options.entry_points"]["console_scripts"].split("\n")
    assert [line for line in scripts if line] == ["trec_eval_py = trec_eval_py.__main__:run"]
    assert callable(importlib.import_module("trec_eval_py.__main__").run)
    # Since 8.2, click's runner in the tests keeps standard error apart.
    assert "click>=8.2" in settings["options"]["install_requires"].split()


@pytest.mark.parametrize("package", SOLE_IMPORTERS)
def test_a_package_is_imported_by_one_module(package: str) -> None:
    importers = {
        module_of(file)
        for file, path in FILES.items()
        if any(is_of(found.name, package) for found in imports(path))
    }
    assert importers <= SOLE_IMPORTERS[package]


@pytest.mark.parametrize("file", FILES)
def test_private_modules_stay_private(file: str) -> None:
    wrong = []
    for found in imports(FILES[file]):
        package, *parts = found.name.split(".")
        if package != PACKAGE.name:
            continue
        for depth, part in enumerate(parts):
            # A private name is for the folder that holds it.
            home = Path(*parts[:depth])
            if part.startswith("_") and not part.startswith("__"):
                inside = Path(file).parent
                if not (inside == home or home in inside.parents):
                    wrong.append(f"{file}:{found.line}: {found.name}")
    assert wrong == []


@pytest.mark.parametrize("file", FILES)
def test_heavy_packages_are_imported_where_they_are_needed(file: str) -> None:
    free = {"click"} if module_of(file) == "cli" else set()
    wrong = [
        f"{file}:{found.line}: {found.name}"
        for found in imports(FILES[file])
        if found.at_once and any(is_of(found.name, heavy) for heavy in HEAVY if heavy not in free)
    ]
    assert wrong == []


def test_the_public_names_are_few_and_there() -> None:
    import trec_eval_py as te

    assert all(getattr(te, name) is not None for name in te.__all__)
    assert sorted(te.__all__) == te.__all__
    assert dir(te) == sorted(te.__all__)


def test_an_unknown_name_is_refused() -> None:
    import trec_eval_py as te

    with pytest.raises(AttributeError, match="has no attribute 'metric'"):
        te.metric  # noqa: B018
