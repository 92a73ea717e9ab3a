from __future__ import annotations

import json
import math
import re
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import kpm, large_n, mkpm, simplex

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda p: p.stem)
def test_every_benchmark_takes_its_arguments_from_the_command_line(path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    assert end.value.code == 0
    assert path.stem in capsys.readouterr().out


def test_kpm_benchmark_compares_all_solvers_on_the_same_problems(tmp_path, capsys):
    target = tmp_path / "bench.png"
    options = "--sizes 40 60 --max-components 6 --timed 3 --repetitions 1 --no-estimate --plot"
    assert kpm.main([*options.split(), str(target)]) == 0
    printed = capsys.readouterr().out
    names = [*kpm.PATHS, *kpm.SINGLES]
    for n in (40, 60):
        table = printed.split(f"n = {n}, D = 1..6")[1]
        for name in names:
            line = next(line for line in table.splitlines() if line.startswith(name))
            assert float(line.split()[-1]) < 1e-6
    assert target.stat().st_size > 0


@pytest.mark.slow
def test_mkpm_benchmark_measures_the_large_fit_in_a_process_of_its_own(capfd):
    options = "--samples 60 --test 40 --refits 3 --repeats 1 --large 300 --rank 20"
    assert mkpm.main(options.split()) == 0
    line = re.search(
        r"N = 300, Nystrom rank 20: .* peak ([\d.]+) GiB, .* (0\.\d+)", capfd.readouterr().out
    )
    assert line is not None
    assert float(line[1]) > 0.05
    assert float(line[2]) > 0.5


def test_simplex_benchmark_certifies_what_it_times_on_letter(monkeypatch, capsys):
    monkeypatch.setattr(simplex, "letter", lambda: simplex.make_data(200, 5, 4))
    assert simplex.main(["letter"]) == 0
    gaps = re.findall(r"^10?\.0 .*\(gap (\S+)\)", capsys.readouterr().out, flags=re.MULTILINE)
    assert len(gaps) == 2
    assert all(abs(float(gap)) <= 1e-3 for gap in gaps)


def test_protocol_estimate_grows_with_the_sets(capsys):
    one = kpm.protocol_estimate({"a": 60}, n_costs_timed=1)
    assert all(seconds > 0 for seconds in one)
    assert not re.search("nan", capsys.readouterr().out)


def test_total_of_per_dimension_timings_is_interpolated():
    timing = kpm.Timing(*map(kpm.np.array, ([1, 3], [1.0, 3.0], [0, 0])), True)
    assert timing.total(4) == pytest.approx(1.0 + 2.0 + 3.0 + 3.0)


def _measure_here(method, n, rank, folder, limit):
    job = {"method": method, "n": n, "rank": rank, "folder": str(folder), "limit": limit}
    return {"method": method, "n": n, "rank": rank, **large_n.run_job(job)}


def test_large_n_benchmark_runs_every_method_and_stores_what_it_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(large_n, "measure", _measure_here)
    monkeypatch.setattr(large_n, "limit_allocations", lambda megabytes: None)
    target = tmp_path / "large_n.csv"
    options = "--sizes 2000 4000 --rank 20 --ranks 20 --ranks-large --full 400 --output"
    assert large_n.main([*options.split(), str(target)]) == 0
    records = pd.read_csv(target)
    assert set(records["method"]) == set(large_n.METHODS)
    assert records["accuracy"].between(0.3, 1.0).all()
    for name in large_n.GROWING:
        seconds, peak, *_ = (t for t in large_n.tables(records).values() if name in t.index)
        assert list(seconds.columns) == list(peak.columns) == [2000, 4000, "exponent"]
    assert json.loads(target.with_suffix(".meta.json").read_text())["versions"]["numpy"]


def test_documented_measurements_are_the_stored_ones():
    stored = pd.read_csv(ROOT / "benchmarks" / "large_n.csv")
    text = (ROOT / "docs" / "large_n.md").read_text(encoding="utf-8")
    assert text.split(large_n.BEGIN)[1].split(large_n.END)[0].strip() == (large_n.markdown(stored))


def test_large_n_benchmark_needs_the_marker_before_it_measures(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("no tables here")
    with pytest.raises(SystemExit):
        large_n.main(["--document", str(page)])
    assert "has no line <!-- measured: begin -->" in " ".join(capsys.readouterr().err.split())


def test_large_n_entries_end_where_they_may_not_allocate(tmp_path):
    large_n.write_rows(tmp_path, 100_000)
    refused = large_n.measure("MKPM, Nystrom, limited", 100_000, 20, tmp_path, 8.0)
    fitted = large_n.measure("MKPM, Nystrom, limited", 100_000, 20, tmp_path, 96.0)
    assert refused["accuracy"] is None or refused["accuracy"] != refused["accuracy"]
    assert fitted["accuracy"] > 0.5


def test_exponent_is_the_slope_at_the_large_sizes():
    sizes = [1000, 30_000, 300_000]
    assert large_n.exponent(sizes, [9.0, 2.0, 20.0]) == pytest.approx(1.0)
    assert math.isnan(large_n.exponent([30_000], [2.0]))
