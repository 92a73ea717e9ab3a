"""The list of numbers that nothing on a notebook's page explains."""

import nbformat
import pytest
from nbformat import v4

from tests import claims


@pytest.fixture
def notebook(tmp_path):
    def write(prose, code="", text=""):
        output = v4.new_output("execute_result", {"text/plain": text, "image/png": "/77/"})
        cells = [v4.new_markdown_cell(prose), v4.new_code_cell(code, outputs=[output])]
        path = tmp_path / "toy.ipynb"
        nbformat.write(v4.new_notebook(cells=cells), path)
        return path

    return write


@pytest.mark.parametrize(
    ("prose", "text"),
    [
        ("The error is 25.3 %.", "0.2534"),
        ("It has 3,686 points.", "n = 3686"),
        ("A difference of −1.5 points.", "0.015"),
        ("Printed in 2004 on page $x = 41$, `n=77`, Table 17.", ""),
        ("The best of 11 readings.", ""),
    ],
)
def test_explained_number_is_not_listed(notebook, prose, text):
    assert claims.unexplained(notebook(prose, text=text))[1] == []


@pytest.mark.parametrize(
    ("prose", "text", "listed"),
    [
        ("The error is 25.3 %.", "0.2539", "25.3"),
        ("It has 77 points.", "n = 770", "77"),
        ("The gain is 1.25 and 1.5.", "1.5", "1.25"),
    ],
)
def test_number_that_no_output_has_is_listed(notebook, prose, text, listed):
    (claim,) = claims.unexplained(notebook(prose, text=text))[1]
    assert claim.text == listed


def test_printed_numbers_of_the_paper_count(tmp_path):
    value = claims.numbers("kpm")[0]
    page = v4.new_notebook(cells=[v4.new_markdown_cell(f"Printed is {value.value:.1f} there.")])
    nbformat.write(page, tmp_path / "kpm.ipynb")
    assert claims.unexplained(tmp_path / "kpm.ipynb") == (1, [])
