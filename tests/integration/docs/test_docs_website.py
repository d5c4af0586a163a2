"""The documentation becomes a site without a warning, and what is wrong in it is one."""

import subprocess
import sys
from pathlib import Path

import pytest
from docs_modules import ROOT, module

SECONDS = 300.0
PAGES = (
    *("LICENSE", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "clients/c/README.md", "docs/files.md"),
    *(f"docs/{folder}/README.md" for folder in ("tutorial", "course", "howto", "reference")),
    "docs/reference/commands.md",
)

pytestmark = [pytest.mark.integration, pytest.mark.timeout(SECONDS)]


def built(program: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-W", "ignore", str(program), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


def test_the_site_is_built_without_a_warning_and_has_every_page_and_room(tmp_path: Path) -> None:
    done = built(ROOT / "docs" / "website.py", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for page in ROOT.glob("docs/**/*.md"):
        name = "index" if page.stem == "README" else page.stem
        assert (tmp_path / page.relative_to(ROOT).parent / f"{name}.html").exists(), page
    with module("rooms") as rooms:
        for room in rooms.ROOMS:
            assert room in (tmp_path / "docs" / "reference" / f"{room}.html").read_text(encoding="utf-8")
    text = (tmp_path / "docs" / "reference" / "coopsim.client.html").read_text(encoding="utf-8")
    assert "Connect to a running simulation." in text
    assert '<script src="http' not in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_link_that_leads_nowhere_is_a_warning_and_exit_code_1(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    for name in PAGES:
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text("# A page\n", encoding="utf-8")
    for name in ("coopsim", "tests"):
        (clone / name).mkdir()
    (clone / "docs" / "website.py").write_bytes((ROOT / "docs" / "website.py").read_bytes())
    (clone / "docs" / "rooms.py").write_text("ROOMS = {}\n", encoding="utf-8")
    (clone / "docs" / "files.md").write_text("# Files\n\n[nowhere](nowhere.md)\n", encoding="utf-8")
    done = built(clone / "docs" / "website.py", tmp_path / "site")
    assert done.returncode == 1
    assert "nowhere.md" in done.stderr
    assert "1 warnings; see above" in done.stdout
