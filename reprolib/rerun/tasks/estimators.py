"""Estimators of others: loaded from a module that the user names, and identified."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import sys
import sysconfig
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType
from typing import Any

import joblib
from sklearn.utils import get_tags

from reprolib.rerun.printed.names import nearest
from reprolib.rerun.records.fingerprint import module_fingerprint, package_versions


def load_estimator(named: str) -> Any:
    """Estimator by the name of its module and of a class, a function or an object in it.

    The module is imported, which runs its code: a file of the current folder if there is one of
    that name, else an installed module.

    Parameters
    ----------
    named : str
        "my_module:MyClassifier", "folder/my_module.py:make_pipeline",
        "sklearn.neighbors:KNeighborsClassifier". A class or a function is called without arguments.

    Raises
    ------
    ValueError
        If there is no such module or name, or it is no scikit-learn classifier.
    """
    where, _, name = named.rpartition(":")
    if not where or not name.isidentifier():
        raise ValueError(
            f"--estimator is {named!r}; give module:Name, for example my_module:MyClassifier or "
            "sklearn.neighbors:KNeighborsClassifier."
        )
    module = _module(where)
    if not hasattr(module, name):
        public = {n: getattr(module, n) for n in dir(module) if not n.startswith("_")}
        known = [n for n, it in public.items() if hasattr(it, "fit") or inspect.isfunction(it)]
        raise ValueError(f"{where} has no {name!r}{nearest(name, known or public)}")
    found = getattr(module, name)
    is_made = not (inspect.isclass(found) or inspect.isfunction(found))
    if not is_made:
        try:
            found = found()
        except TypeError as error:
            raise ValueError(
                f"{named} cannot be made without arguments ({error}); name a function without "
                "arguments that returns the estimator."
            ) from error
    return require_classifier(found)


def require_classifier(estimator: Any) -> Any:
    """Return a classifier that can be copied, fitted and asked; ValueError for anything else.

    What it is is read from its tags, which a pipeline and a search take from what they hold.
    """
    lacking = [n for n in ("get_params", "set_params", "fit") if not hasattr(estimator, n)]
    if inspect.isclass(estimator):
        raise ValueError(
            f"the estimator is the class {estimator.__name__}; give an instance of it."
        )
    if not lacking and not hasattr(estimator, "predict"):
        lacking = ["predict"]
    if lacking:
        raise ValueError(
            f"the estimator is a {type(estimator).__name__} without {lacking[0]!r}; give a "
            "scikit-learn classifier, or a pipeline that ends in one."
        )
    try:
        kind = get_tags(estimator).estimator_type
    except AttributeError:  # of a class without scikit-learn's base
        kind = None
    if kind != "classifier":
        raise ValueError(
            f"the estimator is a {name_of(estimator)} ({kind or 'no kind in its tags'}); give a "
            "classifier, or a pipeline that ends in one. A class of your own is one if it is made "
            "from ClassifierMixin and BaseEstimator in this order: "
            "class Mine(ClassifierMixin, BaseEstimator)."
        )
    return estimator


def _module(where: str) -> ModuleType:
    """Module by name or file; those beside a file can be imported after it, in workers too."""
    file = Path(where) if where.endswith(".py") else Path(*where.split(".")).with_suffix(".py")
    if where.endswith(".py") and not file.is_file():
        raise ValueError(f"--estimator names the file {where}, which does not exist.")
    if (file.is_file() and file.parent == Path()) or where.endswith(".py"):
        file = file.resolve()
        spec = importlib.util.spec_from_file_location(file.stem, file)
        if spec is None or spec.loader is None:
            raise ValueError(f"{file} is no Python module.")
        if str(file.parent) not in sys.path:
            sys.path.insert(0, str(file.parent))
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module
        spec.loader.exec_module(module)
        return module
    try:
        return importlib.import_module(where)
    except ModuleNotFoundError as error:
        parent, _, last = str(error.name).rpartition(".")
        beside = pkgutil.iter_modules(sys.modules[parent].__path__ if parent else ["."])
        near = nearest(last, [module.name for module in beside])
        raise ValueError(
            f"there is no module {error.name!r}, neither installed nor a file in {Path.cwd()}"
            f"{near if 'did you mean' in near else ''}; name the file: "
            "path/to/my_module.py:MyClassifier."
        ) from error


def name_of(estimator: Any) -> str:
    """Name in tables: its class, or those of the steps of a pipeline."""
    steps = getattr(estimator, "steps", None)
    if steps:
        return " + ".join(name_of(step) for _, step in steps)
    inner = getattr(estimator, "estimator", None)
    return type(estimator).__name__ if inner is None else name_of(inner)


def described(estimator: Any, grid: Any) -> dict[str, Any]:
    """What identifies an estimator: its parameters, its code, the packages it is from.

    A stored result is used again only if all of these are the same.
    """
    modules = {type(part).__module__ for part in _parts(estimator)}
    installed = [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib", "stdlib")]
    files = {name: _file(name) for name in modules}
    own = {
        name: file
        for name, file in files.items()
        if file is not None and not any(folder in file.parents for folder in installed)
    }
    # It may depend on what lies in the same folder, as far as that is loaded.
    beside = {
        name
        for folder in {file.parent for file in own.values()}
        for name in list(sys.modules)
        if name != "__main__" and (file := _file(name)) is not None and file.parent == folder
    }
    packages = packages_distributions()
    foreign = {d for m in modules - own.keys() for d in packages.get(m.split(".")[0], ())}
    return {
        "estimator": _digest((estimator, grid)),
        "modules": {name: module_fingerprint(name) for name in sorted(own.keys() | beside)},
        "packages": package_versions(sorted(foreign)),
    }


def _parts(estimator: Any) -> list[Any]:
    return [estimator, *estimator.get_params(deep=True).values()]


def _file(module: str) -> Path | None:
    """File of a module, if it is loaded from one."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file).resolve() if file else None


def _digest(value: Any) -> str:
    """Hash of an estimator and its grid.

    Raises
    ------
    ValueError
        If it holds a function or class without a name in a module, such as a lambda: worker
        processes could not receive it.
    """
    try:
        return str(joblib.hash(value))
    except Exception as error:  # pickle raises what it likes
        raise ValueError(
            f"the estimator cannot be identified ({error}); give its functions and classes "
            "names in a module, no lambdas."
        ) from error
