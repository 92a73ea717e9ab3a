"""docs/faults.md: the faults that tests try, counted from the parameters of the tests.

``python -m tests.fault_table`` writes it anew.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATH = ROOT / "docs/faults.md"
HEAD = """# Faults

Networks, disks and files fail, and some of them lie. Each fault in this table is tried by a test,
on a machine without network: the fault ends in one clear message or in the right data from the next
source; nothing false is used, nothing that was there is lost, nothing secret is shown.
`python -m tests.fault_table` writes this page from the parameters of the tests (`pytest -m fault`),
so that it counts what is tried and nothing else.
"""
KINDS = {
    "network": "Servers, proxies, certificates, package indexes",
    "disk": "Disks, folders, power",
    "parser": "Files and archives of wrong or hostile content",
}


def collected() -> list[str]:
    """Tests of faults, one a parameter, with their kind."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    command += ["-p", "tests.fault_table", "-m", "fault", "tests/faults", "tests/data"]
    # The plugins of others, and the options for them, have no say in which tests there are.
    command += ["-o", "addopts="]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=alone)
    lines = [line for line in done.stdout.splitlines() if line.startswith("fault\t")]
    if done.returncode != 0 or not lines:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return lines


def pytest_collection_finish(session) -> None:
    """Say kind, file, test and parameters of every fault: a plugin of pytest."""
    for item in session.items:
        for marker in item.iter_markers("fault"):
            parameters = item.callspec.id if hasattr(item, "callspec") else ""
            path = item.path.relative_to(ROOT).as_posix()
            sys.stdout.write(
                "\t".join(["\nfault", marker.args[0], path, item.originalname, parameters]) + "\n"
            )


def document() -> str:
    """Text of the page."""
    found: dict[str, dict[tuple[str, str], list[str]]] = {kind: defaultdict(list) for kind in KINDS}
    for line in collected():
        _, kind, path, test, parameters = line.split("\t")
        found[kind][path, test].append(parameters)
    counts = {kind: sum(map(len, tests.values())) for kind, tests in found.items()}
    lines = [HEAD, "| kind | faults |", "|---|---|"]
    lines += [f"| [{title}](#{kind}) | {counts[kind]} |" for kind, title in KINDS.items()]
    lines += [f"| all | {sum(counts.values())} |", ""]
    for kind, title in KINDS.items():
        lines += [f"({kind})=", f"## {title}", "", "| test | faults | which |", "|---|---|---|"]
        for (path, test), parameters in found[kind].items():
            which = ", ".join(filter(None, parameters)).replace("|", "\\|")
            lines.append(f"| `{path}::{test}` | {len(parameters)} | {which} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PATH.write_text(document(), encoding="utf-8")
    sys.stdout.write(f"{PATH}\n")
