"""The Python on the pages of the documentation runs, from top to bottom of each page."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(path.stem for path in (ROOT / "docs").glob("*.md"))


def text_of(page):
    return (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")


def code_of(page):
    return re.findall(r"^```python\n(.*?)^```$", text_of(page), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if code_of(page)])
def test_code_runs(page, tmp_path):
    blocks = code_of(page)
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", text_of(page)):
        path, _, anchor = target.partition("#")
        linked = ROOT / "docs" / path
        if path:
            assert linked.exists(), target
        if anchor:
            text = linked.read_text(encoding="utf-8") if path else text_of(page)
            headings = [heading.lower() for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
            assert anchor in [re.sub(r"[^\w -]", "", text).replace(" ", "-") for text in headings]
