"""Makes the picture of docs/web.md: a headless browser on a live run, with rays and a selected robot.

`python docs/web_figures.py`
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "standins"))
from browser import Browser  # noqa: E402 - where it is
from web_pages import PageProcess  # noqa: E402

from coopsim.testkit import Run  # noqa: E402


def main() -> None:
    """Draw it."""
    with Run("formation", "--duration", "60") as run, PageProcess(run.endpoint) as server, Browser(None) as page:
        page.open(server.link("edit"))
        page.until("coopsim.app && coopsim.app.now && coopsim.app.role === 'edit'")
        page.value("coopsim.app.select('robot1')")
        page.value("document.getElementById('layer-rays').click()")
        page.until("coopsim.app.now.time > 9 && coopsim.app.inspector.outputs.length > 5")
        page.value("[...document.querySelectorAll('[data-module=motors] .readings button')].at(-1).click()")
        page.until("coopsim.app.plots.curves && coopsim.app.plots.curves[0].length > 60")
        page.picture(ROOT / "docs" / "web.png")


if __name__ == "__main__":
    main()
