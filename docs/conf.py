"""Sphinx configuration: the site is the clone, read where it lies, with no network.

The source folder is the repository, so that a link in a page leads to the same file in a clone and
on the site. Pages of the estimators are run; notebooks are shown as they were committed and tested.
"""

from __future__ import annotations

import os
import re
import sys
from base64 import b64decode
from pathlib import Path

import nbformat
from pygments.lexers.special import TextLexer

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT)]

os.environ.pop("MPLBACKEND", None)  # any other than that of notebooks would leave out the pictures

import explore  # noqa: E402
import plain_text  # noqa: E402

import data_fetch  # noqa: E402
import reprolib  # noqa: E402
from reprolib.report.page import write_report  # noqa: E402
from reprolib.rerun.records.registry import PAPERS  # noqa: E402

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
root_doc = "docs/index"
include_patterns = ["docs/**", "notebooks/**.ipynb", "examples/*/*.md"]
# What Sphinx would walk through in vain.
exclude_patterns = [".*", "build", "data_fetch", "reprolib", "results", "tests", "docs/templates"]
default_role = "py:obj"
highlight_language = "none"
smartquotes = False
templates_path = [str(HERE / "templates")]

nb_execution_mode = "cache"
nb_execution_excludepatterns = ["notebooks/*", "examples/*"]
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_output_stderr = "remove-warn"
# With a width a picture links to its full size; the sentence before the code says what it shows.
nb_render_image_options = {"alt": "What the sentence above describes.", "width": "100%"}
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
nb_render_markdown_format = "myst"
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3

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
# The methods of a design are described once, in the class that all of them share.
numpydoc_validation_exclude = {r"\.designs\.(?!base)\w+\.[A-Z]\w+\."}

# Pages whose code and tables take the width.
FULL = ["reproduce", "recipe_eeg", "recipe_fmri", "multiple_kernel_learning", "judge", "estimators"]
FULL += ["my_method", "add_paper", "publication"]
FULL = [f"docs/{page}" for page in FULL]
FULL += [str(p.relative_to(ROOT).with_suffix("")) for p in (ROOT / "notebooks").rglob("*.ipynb")]
html_theme = "pydata_sphinx_theme"
html_title = "reprolib"
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "navbar_persistent": ["search-button"],
    # The theme's buttons that unfold branches have no name for a screen reader.
    "collapse_navigation": True,
    "secondary_sidebar_items": {"**": ["page-toc"], **{page: [] for page in FULL}},
    "article_header_end": ["notebook_links.html"],
}
# Wide tables and pictures take the width of the page; the sidebar would halve it.
WIDE = ["docs/index", "docs/explore", "docs/estimators", "docs/data"]
WIDE += [f"notebooks/{path.stem}" for path in (ROOT / "notebooks").glob("*.ipynb")]
html_sidebars = {**{page: [] for page in WIDE}, "**": ["sidebar-nav-bs"]}
html_context = {
    "default_mode": "auto",
    "papers": PAPERS,
    # GitHub's workflows name the repository; elsewhere a notebook can be downloaded alone.
    "repository": os.environ.get("GITHUB_REPOSITORY", ""),
}
html_show_sourcelink = False
html_sourcelink_suffix = ""
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["site"]

#: Pages need their own scripts and styles, from the site or a folder; nothing from elsewhere.
POLICY = (
    "default-src 'self' file: data: blob: 'unsafe-inline' 'unsafe-eval'; "
    "object-src 'none'; base-uri 'self'; form-action 'self' file:"
)


def add_policy(app, pagename, templatename, context, doctree) -> None:
    """Let no page of the site load anything from another host, whatever its text holds."""
    tag = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    context["metatags"] = tag + context.get("metatags", "")


def fill_empty_heads(app, page: str, source: list[str]) -> None:
    """Make the empty heads that pandas writes above an index plain cells, as axe asks."""
    if page.startswith("notebooks/"):
        source[0] = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", source[0])


def complete_pictures(app, doctree) -> None:
    """Give every picture of a notebook its text and its width, by which Sphinx links to it alone.

    myst-nb has one text for all pictures of a cell. On a phone a picture is as narrow as the page;
    a tap on it opens it in full size.
    """
    source = Path(app.env.doc2path(app.env.docname))
    told = picture_texts(nbformat.read(source, as_version=4)) if source.suffix == ".ipynb" else {}
    for image in doctree.findall(lambda node: node.tagname == "image") if told else ():
        picture = (Path(app.srcdir) / image["uri"]).read_bytes()
        if picture in told:
            image["alt"] = told[picture]
            image["width"] = f"{int.from_bytes(picture[16:20])}px"  # the head of a PNG


def picture_texts(notebook) -> dict[bytes, str]:
    """Alternative text of every PNG, from the metadata of its output, where Jupyter has it."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return {
        b64decode(output.data["image/png"]): output.metadata["image/png"]["alt"]
        for output in outputs
        if "alt" in output.get("metadata", {}).get("image/png", {})
    }


def skip_inherited(app, what, name, member, skip, options) -> bool | None:
    """Leave out what scikit-learn documents, and estimators but on their own pages."""
    function = getattr(member, "fget", None) or member
    home = (getattr(function, "__module__", None) or "").split(".")[0]
    foreign = callable(function) and home not in (reprolib.__name__, data_fetch.__name__)
    has_page = what == "module" and hasattr(member, "fit") and name in reprolib.__all__
    return True if foreign or has_page else None


def add_report(app, exception) -> None:
    """Write the report into the finished site."""
    if exception is None and app.builder.format == "html":
        site, title = Path(app.outdir), "reprolib: papers on kernel methods, rerun"
        write_report(PAPERS, None, site / "report.html", title=title, site=site)


def setup(app) -> None:
    """Connect the steps that Sphinx does not know."""
    made = HERE / "made"
    made.mkdir(exist_ok=True)
    (made / "explore.html").write_text(explore.page(), encoding="utf-8")
    app.add_lexer("mermaid", TextLexer)
    app.connect("source-read", fill_empty_heads)
    app.connect("doctree-read", complete_pictures)
    app.connect("autodoc-skip-member", skip_inherited)
    app.connect("autodoc-process-docstring", plain_text.process, priority=400)
    app.connect("html-page-context", add_policy)
    app.connect("build-finished", add_report)
