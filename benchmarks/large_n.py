"""Up to a million rows: how time and memory grow, and what accuracy a low rank costs.

Every entry is a process of its own, one thread, on the same memory-mapped rows: 32 features on a
4-dimensional surface, 4 classes with curved boundaries, 5 % of the labels redrawn. Time is
processor time of the fit; memory is the peak resident set (Linux) beyond that before the fit,
mapped pages of the data included. The entries marked "limited" may allocate no more than
``--limit`` MiB, in the tables by rank eight times as much (RLIMIT_DATA, which does not count the
mapped file). The former is less than the data at a million rows: what stores the data, or n x rank
features, would end there with a MemoryError. The peers solve their own problems: SGDClassifier has
the hinge loss and, at the same alpha, half our penalty.

    python benchmarks/large_n.py [--sizes 10000 ...] [--rank 100] [--output FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.pipeline import make_pipeline

from reprolib.methods.mkpm import MKPMClassifier, NystromMKPMClassifier
from reprolib.methods.simplex import SimplexRLSClassifier, SimplexSGDClassifier
from reprolib.rerun.records.registry import write_atomically
from reprolib.rerun.tasks.worker import environment

N_FEATURES = 32
N_CLASSES = 4
N_TEST = 5000
BLOCK_ROWS = 10_000
GAMMA = 0.3
ALPHA = 1e-5
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def make_rows(n_samples: int, seed: int):
    """Rows of the problem in the module docstring, and their labels."""
    problem, rng = np.random.default_rng(0), np.random.default_rng(seed)
    frame = np.linalg.qr(problem.normal(size=(N_FEATURES, 4)))[0]
    frequencies, phases = 0.8 * problem.normal(size=(4, 24)), problem.uniform(0, 2 * np.pi, 24)
    heights = problem.normal(size=(24, N_CLASSES))
    latent = rng.normal(size=(n_samples, 4))
    y = np.argmax(np.cos(latent @ frequencies + phases) @ heights, axis=1)
    redrawn = rng.random(n_samples) < 0.05
    y[redrawn] = rng.integers(N_CLASSES, size=int(redrawn.sum()))
    return latent @ frame.T + 0.05 * rng.normal(size=(n_samples, N_FEATURES)), y


def write_rows(folder: Path, n_samples: int) -> None:
    """Write the rows to ``X`` and the labels to ``y.npy``, block by block."""
    labels = []
    with open(folder / "X", "wb") as file:
        for block, start in enumerate(range(0, n_samples, BLOCK_ROWS)):
            X, y = make_rows(min(BLOCK_ROWS, n_samples - start), 1 + block)
            file.write(X.tobytes())
            labels.append(y)
    np.save(folder / "y.npy", np.concatenate(labels))


def rows_of(path, n_samples):
    """The first rows of the file, mapped and not read."""
    return np.memmap(path, dtype=np.float64, mode="r").reshape(-1, N_FEATURES)[:n_samples]


def stream(model, path, y, n_samples, passes=3):
    """Feed blocks of rows to ``partial_fit``; a block's pages are let go with its mapping."""
    classes = np.arange(N_CLASSES)
    starts = np.arange(0, n_samples, BLOCK_ROWS)
    for seed in range(passes):
        for start in np.random.default_rng(seed).permutation(starts):
            rows = slice(start, min(start + BLOCK_ROWS, n_samples))
            model.partial_fit(rows_of(path, n_samples)[rows], y[rows], classes=classes)
    return model


def simplex_sgd(path, y, n_samples, rank):
    model = SimplexSGDClassifier(alpha=1e-5, average=True, random_state=0)
    return stream(model, path, y, n_samples)


def peer_sgd(path, y, n_samples, rank):
    model = SGDClassifier(alpha=1e-5, average=True, random_state=0)
    return stream(model, path, y, n_samples)


def nystrom_rls(path, y, n_samples, rank):
    features = Nystroem(gamma=GAMMA, n_components=rank, random_state=0)
    return make_pipeline(features, SimplexRLSClassifier(ALPHA)).fit(rows_of(path, n_samples), y)


def nystrom_mkpm(path, y, n_samples, rank):
    model = NystromMKPMClassifier(rank=rank, gamma=GAMMA, random_state=0)
    return model.fit(rows_of(path, n_samples), y)


def nystrom_kpm(path, y, n_samples, rank):
    model = NystromMKPMClassifier(rank=rank, code="simplex", gamma=GAMMA, random_state=0)
    return model.fit(rows_of(path, n_samples), y == 0)


def stored_mkpm(path, y, n_samples, rank):
    model = MKPMClassifier(basis="nystrom", rank=rank, gamma=GAMMA, random_state=0)
    return model.fit(rows_of(path, n_samples), y)


def peer_ridge(path, y, n_samples, rank):
    features = Nystroem(gamma=GAMMA, n_components=rank, random_state=0)
    ridge = RidgeClassifier(ALPHA * n_samples, fit_intercept=False, solver="cholesky")
    return make_pipeline(features, ridge).fit(rows_of(path, n_samples), y)


def full_rls(path, y, n_samples, rank):
    model = SimplexRLSClassifier(ALPHA, kernel="rbf", gamma=GAMMA)
    return model.fit(rows_of(path, n_samples), y)


def full_mkpm(path, y, n_samples, rank):
    """Total dimension 4 x 300: without an end, exact kernel PCA interpolates the labels."""
    model = MKPMClassifier(N_CLASSES * 300, gamma=GAMMA)
    return model.fit(rows_of(path, n_samples), y)


def full_kpm(path, y, n_samples, rank):
    model = MKPMClassifier(300, code="simplex", gamma=GAMMA)
    return model.fit(rows_of(path, n_samples), y == 0)


METHODS = {
    "simplex SGD, limited": simplex_sgd,
    "SGDClassifier (peer), limited": peer_sgd,
    "Nystroem + S-RLS": nystrom_rls,
    "MKPM, Nystrom, limited": nystrom_mkpm,
    "KPM square, Nystrom, limited": nystrom_kpm,
    "MKPM, Nystrom features stored": stored_mkpm,
    "Nystroem + RidgeClassifier (peer)": peer_ridge,
    "S-RLS, full kernel": full_rls,
    "MKPM, full kernel": full_mkpm,
    "KPM square, full kernel": full_kpm,
}

GROWING = [name for name in METHODS if "full" not in name]
RANKED = [name for name in METHODS if "Nystrom, limited" in name or "Nystroem" in name]
RANKED_LARGE = ["MKPM, Nystrom, limited"]
FULL = [name for name in METHODS if "full" in name]


def status(field: str) -> float:
    """Entry of /proc/self/status, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field + ":"))


def limit_allocations(megabytes: float) -> None:
    """Let the process allocate so much more; mapped files do not count."""
    limit = int((status("VmData") + megabytes) * 2**20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def run_job(job: dict) -> dict:
    """Fit one method in this process: seconds, peak MiB beyond the start, test accuracy."""
    method, path, n_samples = METHODS[job["method"]], Path(job["folder"]) / "X", job["n"]
    y = np.load(path.with_name("y.npy"))[:n_samples]
    X_test, y_test = make_rows(N_TEST, 0)
    y_test = y_test == 0 if "KPM square" in job["method"] else y_test
    # What is compiled or allocated once, at the first call.
    n_warm = min(1000, n_samples)
    method(path, y[:n_warm], n_warm, min(job["rank"], 50)).predict(X_test)
    if "limited" in job["method"]:
        limit_allocations(job["limit"])
    Path("/proc/self/clear_refs").write_text("5")
    before, start = status("VmRSS"), time.process_time()
    try:
        model = method(path, y, n_samples, job["rank"])
    except MemoryError:
        return {"seconds": np.nan, "peak": np.nan, "accuracy": np.nan}
    seconds, peak = time.process_time() - start, status("VmHWM") - before
    return {"seconds": seconds, "peak": peak, "accuracy": float(model.score(X_test, y_test))}


def measure(method: str, n: int, rank: int, folder: Path, limit: float) -> dict:
    """`run_job` in a process of its own, one thread."""
    job = {"method": method, "n": n, "rank": rank, "folder": str(folder), "limit": limit}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    answer = subprocess.run(
        [sys.executable, __file__, "--job", json.dumps(job)],
        env={**os.environ, **threads},
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode:
        raise ChildProcessError(f"{method}, n = {n}, rank {rank}:\n{answer.stderr[-2000:]}")
    measured = {name: float(f"{value:.4g}") for name, value in json.loads(answer.stdout).items()}
    return {"method": method, "n": n, "rank": rank, **measured}


def exponent(sizes, values) -> float:
    """Slope of log(value) against log(size), over the sizes from 30,000 where there are two.

    NaN where one size was measured.
    """
    sizes, values = np.asarray(sizes, dtype=float), np.asarray(values, dtype=float)
    large = (sizes >= 30_000) & (values > 0)
    kept = large if large.sum() >= 2 else values > 0
    if kept.sum() < 2:
        return np.nan
    return float(np.polyfit(np.log(sizes[kept]), np.log(values[kept]), 1)[0])


def run_all(options, folder: Path) -> pd.DataFrame:
    """Every measurement, to four digits, one row each; ``part`` is the table it belongs to."""
    largest, limit = max(options.sizes), options.limit
    jobs = [("growth", name, n, options.rank, limit) for name in GROWING for n in options.sizes]
    limit *= 8  # Matrices of rank x rank, up to 1500.
    jobs += [("by rank", name, options.full, r, limit) for name in RANKED for r in options.ranks]
    jobs += [("full kernel", name, options.full, 1, limit) for name in FULL]
    jobs += [
        ("by rank, all rows", name, largest, r, limit)
        for name in RANKED_LARGE
        for r in options.ranks_large
    ]
    rows = []
    for number, (part, *job, megabytes) in enumerate(jobs, start=1):
        rows.append({"part": part, **measure(*job, folder, megabytes)})
        print(f"{number} of {len(jobs)} measured", file=sys.stderr, flush=True)
    return pd.DataFrame(rows)


def growth_table(records: pd.DataFrame, column: str) -> pd.DataFrame:
    """Seconds or peak MiB of every method at every size, and the exponent."""
    rows = records[records["part"] == "growth"]
    table = rows.pivot_table(index="method", columns="n", values=column, sort=False)
    exponents = [exponent(table.columns, values) for values in table.to_numpy()]
    return table.map(lambda v: f"{v:,.0f}" if v >= 10 else f"{v:.2g}").assign(
        exponent=[f"{e:.2f}" for e in exponents]
    )


def accuracy_table(records: pd.DataFrame, part: str) -> pd.DataFrame:
    """Test accuracy in percent of every method at every rank."""
    rows = records[records["part"] == part]
    table = rows.pivot_table(index="method", columns="rank", values="accuracy", sort=False)
    return (100 * table).map("{:.1f}".format)


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Everything that was measured, by title."""
    found = {
        "seconds, n =": growth_table(records, "seconds"),
        "peak MiB, n =": growth_table(records, "peak"),
    }
    for part in ("by rank", "full kernel", "by rank, all rows"):
        rows = records[records["part"] == part]
        if len(rows):
            end = part if part == "full kernel" else "rank ="
            title = f"accuracy in %, n = {int(rows['n'].max()):,}, {end}"
            found[title] = accuracy_table(records, part)
    return found


def markdown(records: pd.DataFrame) -> str:
    """All tables, as they stand in docs/large_n.md."""
    blocks = []
    for title, table in tables(records).items():
        heads = [f"{c:,}" if isinstance(c, int) else str(c) for c in table.columns]
        heads = ["" if "full kernel" in title else head for head in heads]
        lines = [f"| {title} | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
        lines += [f"| {name} | {' | '.join(row)} |" for name, *row in table.itertuples()]
        blocks.append("\n".join(lines).replace("nan", "–"))
    return "\n\n".join(blocks)


def document(records: pd.DataFrame, path: Path) -> None:
    """Put the tables between the two markers of a Markdown file."""
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    write_atomically(path, f"{before}{BEGIN}\n\n\n{markdown(records)}\n\n\n{END}{after}")


def write(records: pd.DataFrame, path: Path) -> None:
    """Write the measurements, and where they come from, beside each other."""
    write_atomically(path, records.to_csv(index=False))
    about = {"date": datetime.now(UTC).date().isoformat(), **environment()}
    write_atomically(path.with_suffix(".meta.json"), json.dumps(about, indent=1) + "\n")


def main(arguments=None) -> int:
    """Print growth against N, then accuracy against rank, beside the full kernel and at N."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/large_n.py", description=__doc__.splitlines()[0]
    )
    sizes = [10_000, 30_000, 100_000, 300_000, 1_000_000]
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes)
    parser.add_argument("--rank", type=int, default=100, help="rank of the growth table")
    parser.add_argument("--ranks", type=int, nargs="+", default=[50, 150, 500, 1500])
    parser.add_argument("--ranks-large", type=int, nargs="*", default=[50, 150, 500])
    parser.add_argument("--full", type=int, default=4000, help="rows beside the full kernel")
    parser.add_argument("--limit", type=float, default=128.0, help="MiB that may be allocated")
    parser.add_argument("--output", type=Path, help="CSV file to write the measurements to")
    parser.add_argument("--document", type=Path, help="Markdown file to put the tables into")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.document and BEGIN not in options.document.read_text(encoding="utf-8"):
        parser.error(f"{options.document} has no line {BEGIN} after which to put the tables")
    if options.job:
        print(json.dumps(run_job(json.loads(options.job))))
        return 0
    with tempfile.TemporaryDirectory() as name:
        write_rows(Path(name), max(*options.sizes, options.full))
        records = run_all(options, Path(name))
    print(markdown(records))
    if options.output:
        write(records, options.output)
    if options.document:
        document(records, options.document)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
