"""The page of the papers has every claim with its word, and leads to all that there is."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path

import pytest

from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_claims, judge_paper
from reprolib.rerun.verdicts.printed import paper_entry

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


#: All are made when the site is built.
SHOWN = PAPERS[:2]


@pytest.fixture(scope="module")
def sections():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(DOCS), *sys.path])
        import paper_pages

        return {paper: paper_pages.section(paper) for paper in SHOWN}


@pytest.mark.parametrize("paper", SHOWN)
def test_a_paper_has_its_title_authors_claims_and_numbers(sections, paper):
    about = paper_entry(paper)["paper"]
    section = sections[paper]
    assert about["title"] in section
    assert about["authors"] in section
    assert f"](notebooks/{about['notebook']})" in section
    for claim in judge_claims(paper):
        assert any(claim.text in line and claim.word in line for line in section.splitlines())
    told = re.search(r"^Its printed numbers: (.*?)\. ", section, flags=re.MULTILINE)
    counted = sum(map(int, re.findall(r"\d+", told.group(1)))) if told else 0
    assert counted == len(judge_paper(paper))


def test_the_word_on_a_claim_opens_its_evidence(sections):
    from explore import page

    addresses = re.findall(r'href="explore\.html#(\w+/claims/[^"]+)"', sections[PAPERS[0]])
    assert len(addresses) == len(judge_claims(PAPERS[0]))
    html = page([PAPERS[0]])
    assert all(f'<li id="{unescape(address)}">' in unescape(html) for address in addresses)


def test_its_links_lead_to_files(sections):
    for target in re.findall(r"\]\(([^)#]+)\)", "".join(sections.values())):
        source = ROOT / target if target.startswith("notebooks/") else DOCS / target
        assert source.is_file() or target == "gallery.md", target
