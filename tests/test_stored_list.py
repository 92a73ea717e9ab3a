import pytest

from tests import stored_list

MADE = {"a": [1.0, 2.0], "b": {"title": "x"}}


def test_round_off_agrees_and_everything_else_is_said(tmp_path):
    path = tmp_path / "list.json"
    stored_list.write({"a": [1.0, 2.0 + 1e-7], "b": {"title": "x"}}, path)
    assert "[1.0,2.0000001]" in path.read_text(encoding="utf-8").splitlines()[1]
    stored_list.check(MADE, path, "tests.list")
    for changed in ({**MADE, "a": [1.0, 2.001]}, {**MADE, "b": {"title": "y"}}):
        with pytest.raises(AssertionError, match=r"/ (a / 1|b / title); .* `python -m tests.list`"):
            stored_list.check(changed, path, "tests.list")
    for changed in ({**MADE, "a": [1.0]}, {"a": [1.0, 2.0]}, {**MADE, "c": 1}):
        with pytest.raises(AssertionError, match="if that was meant"):
            stored_list.check(changed, path, "tests.list")
