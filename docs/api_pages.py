"""Pages of the API reference: one a module, listing every public class and function once."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from estimator_pages import estimators

import data_fetch
import reprolib

PACKAGES = (reprolib, data_fetch)
#: Modules that are commands, not a library.
_LEFT_OUT = ("reprolib.__main__",)


def public_modules() -> Iterator[ModuleType]:
    """Modules of both packages without a leading underscore in their path."""
    for package in PACKAGES:
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if found.name not in _LEFT_OUT and "._" not in found.name:
                yield importlib.import_module(found.name)


def offered(module: ModuleType) -> dict[str, object]:
    """Public classes and functions of the packages that a module defines or re-exports."""
    exported = getattr(module, "__all__", ())
    # Names that are imported when they are first used are there whether or not somebody used them.
    named = {**vars(module), **{name: getattr(module, name) for name in exported}}
    return {
        name: value
        for name, value in named.items()
        if callable(value)
        and is_ours(value)
        and not name.startswith("_")
        and (value.__module__ == module.__name__ or name in exported)
    }


def is_ours(value: object) -> bool:
    """Whether an object is defined in one of the packages."""
    module = getattr(value, "__module__", None) or ""
    return module.split(".")[0] in {package.__name__ for package in PACKAGES}


def homes() -> dict[str, dict[str, object]]:
    """Objects by name and by the module to import them from: the shortest path of several.

    Estimators have pages of their own.
    """
    described = {id(estimator) for estimator in estimators().values()}
    best: dict[int, tuple[int, str, str, object]] = {}
    for module in public_modules():
        depth = module.__name__.count(".")
        for name, value in offered(module).items():
            if id(value) in described:
                continue
            here = (depth, module.__name__, name, value)
            best[id(value)] = min(here, best.get(id(value), here), key=lambda home: home[:3])
    pages: dict[str, dict[str, object]] = {}
    for _, module_name, name, value in sorted(best.values(), key=lambda home: home[1:3]):
        pages.setdefault(module_name, {})[name] = value
    return pages


def page(module_name: str, objects: dict[str, object]) -> str:
    """Page of one module: what it is for, a list of its objects, and each in full."""
    lines = [module_name, "=" * len(module_name), "", f".. automodule:: {module_name}"]
    lines += ["", f".. currentmodule:: {module_name}", ""]
    lines += [".. autosummary::", "   :nosignatures:", "", *(f"   {name}" for name in objects), ""]
    for name, value in objects.items():
        lines += [name, "-" * len(name), ""]
        if inspect.isclass(value):
            lines += [f".. autoclass:: {name}", "   :members:", "   :inherited-members: object", ""]
        else:
            lines += [f".. autofunction:: {name}", ""]
    return "\n".join(lines)


def write_api_pages(directory: Path) -> None:
    """Write ``<module>.rst`` for every module that is the home of something.

    Parameters
    ----------
    directory : Path
    """
    directory.mkdir(parents=True, exist_ok=True)
    for stale in directory.glob("*.rst"):
        stale.unlink()
    for module_name, objects in homes().items():
        text = page(module_name, objects)
        (directory / f"{module_name}.rst").write_text(text, encoding="utf-8")
