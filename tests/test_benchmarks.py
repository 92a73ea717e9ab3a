from __future__ import annotations

import re

import pytest

from benchmarks import bench_kpm_path


def test_kpm_benchmark_compares_all_solvers_on_the_same_problems(tmp_path, capsys):
    target = tmp_path / "bench.png"
    options = "--sizes 40 60 --max-components 6 --timed 3 --repetitions 1 --no-estimate --plot"
    assert bench_kpm_path.main([*options.split(), str(target)]) == 0
    printed = capsys.readouterr().out
    names = [*bench_kpm_path.PATHS, *bench_kpm_path.SINGLES]
    for n in (40, 60):
        table = printed.split(f"n = {n}, D = 1..6")[1]
        for name in names:
            line = next(line for line in table.splitlines() if line.startswith(name))
            assert float(line.split()[-1]) < 1e-6
    assert target.stat().st_size > 0


def test_protocol_estimate_grows_with_the_sets(capsys):
    one = bench_kpm_path.protocol_estimate({"a": 60}, n_costs_timed=1)
    assert all(seconds > 0 for seconds in one)
    assert not re.search("nan", capsys.readouterr().out)


def test_total_of_per_dimension_timings_is_interpolated():
    timing = bench_kpm_path.Timing(
        *map(bench_kpm_path.np.array, ([1, 3], [1.0, 3.0], [0, 0])), True
    )
    assert timing.total(4) == pytest.approx(1.0 + 2.0 + 3.0 + 3.0)
