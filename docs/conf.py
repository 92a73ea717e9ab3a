"""Sphinx configuration: API reference, notebooks as committed, and the report; no network."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT)]

import estimator_pages  # noqa: E402
import house  # noqa: E402
import matplotlib  # noqa: E402
import plain_text  # noqa: E402
from api_pages import is_ours, write_api_pages  # noqa: E402
from data_sets import write_data_sets  # noqa: E402
from explore import write_explore  # noqa: E402
from gallery import write_gallery  # noqa: E402
from notebook_pages import complete_pictures, write_page  # noqa: E402
from paper_pages import write_papers  # noqa: E402

import reprolib  # noqa: E402
from reprolib.report.page import write_report  # noqa: E402
from reprolib.rerun.records.folders import committed_directory  # noqa: E402
from reprolib.rerun.records.registry import PAPERS, packaged  # noqa: E402
from reprolib.rerun.verdicts.printed_file import printed_schema  # noqa: E402

project = "reprolib"
author = "The reprolib developers"
release = version = reprolib.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_nb",
    "sphinx-mathjax-offline",
]
exclude_patterns = ["_readme.md", "made/*"]
default_role = "py:obj"
highlight_language = "none"
smartquotes = False

# The notebooks are shown as they were committed and tested.
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
nb_render_markdown_format = "myst"
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = False
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_validation_checks = {
    "GL06",
    "GL07",
    "GL08",
    "GL10",
    "PR02",
    "PR03",
    "PR04",
    "PR06",
    "PR10",
    "SS01",
}

html_theme = "pydata_sphinx_theme"
html_title = "reprolib"
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "navbar_persistent": ["search-button"],
    # The theme's buttons that unfold branches have no name for a screen reader.
    "collapse_navigation": True,
    "secondary_sidebar_items": ["page-toc"],
}
# Notebooks take the width for their pictures and tables; the sidebar would halve it.
WIDE = ("index", "explore", *(f"notebooks/{n.stem}" for n in (ROOT / "notebooks").glob("*.ipynb")))
html_sidebars = {**{page: [] for page in WIDE}, "**": ["sidebar-nav-bs"]}
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_static_path = ["static"]
html_extra_path = ["scoreboard-light.svg", "scoreboard-dark.svg"]


def copy_in() -> None:
    """Bring what lives elsewhere in the checkout below the source folder of the site, afresh."""
    shutil.rmtree(HERE / "notebooks", ignore_errors=True)
    (HERE / "notebooks").mkdir()
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        write_page(notebook, HERE / "notebooks" / notebook.name)
    pages = {name: name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")}
    for source, copy in {**pages, "README.md": "_readme.md"}.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        text = text.replace("](docs/", "](").replace('"docs/', '"')
        (HERE / copy).write_text(text, encoding="utf-8")
    write_api_pages(HERE / "api")
    matplotlib.use("Agg")
    write_gallery(HERE / "gallery.md", HERE / "gallery_pictures")
    (HERE / "made").mkdir(exist_ok=True)
    estimator_pages.write_pictures_and_table()
    house.write_house(HERE / "made")
    write_data_sets(HERE / "made")
    write_papers(HERE / "made")
    write_explore(HERE / "made")


def add_report(app, exception) -> None:
    """Write the report into the finished site."""
    if exception is None and app.builder.format == "html":
        site = Path(app.outdir)
        title = "reprolib: papers on kernel methods, rerun"
        write_report(
            packaged(PAPERS),
            committed_directory(),
            site / "report.html",
            title=title,
            site=site,
        )


def add_schema(app, exception) -> None:
    """Write the form of printed.toml into the finished site, for editors."""
    if exception is None and app.builder.format == "html":
        text = json.dumps(printed_schema(), indent=1) + "\n"
        (Path(app.outdir) / "printed.schema.json").write_text(text, encoding="utf-8")


#: Pages need their own scripts and styles, from the site or a folder; nothing from elsewhere.
POLICY = (
    "default-src 'self' file: data: blob: 'unsafe-inline' 'unsafe-eval'; "
    "object-src 'none'; base-uri 'self'; form-action 'self' file:"
)


def add_policy(app, pagename, templatename, context, doctree) -> None:
    """Let no page of the site load anything from another host, whatever its text holds."""
    tag = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    context["metatags"] = tag + context.get("metatags", "")


def skip_inherited(app, what, name, member, skip, options) -> bool | None:
    """Leave out the methods that come from scikit-learn, which documents them itself."""
    function = getattr(member, "fget", None) or member
    return True if callable(function) and not is_ours(function) else None


def setup(app) -> None:
    """Connect the steps that Sphinx does not know."""
    copy_in()
    app.connect("source-read", estimator_pages.complete)
    app.connect("doctree-read", complete_pictures)
    app.connect("autodoc-skip-member", skip_inherited)
    app.connect("autodoc-process-docstring", plain_text.process, priority=400)
    app.connect("html-page-context", add_policy)
    app.connect("build-finished", add_report)
    app.connect("build-finished", add_schema)
