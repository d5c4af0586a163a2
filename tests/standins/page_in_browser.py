"""A page of a run in a real browser, and what a user does there."""

import json

from browser import Browser

from coopsim.client import Client

PHONE = {"width": 390, "height": 780, "deviceScaleFactor": 1, "mobile": True}
DESK = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}


def open_page(window: Browser, link: str, **size: object) -> Browser:
    """Open a link on a desk, or on a screen of another size, and wait until the page shows the run."""
    window.call("Page.navigate", url="about:blank")
    window.call("Emulation.setDeviceMetricsOverride", **(size or DESK))
    window.complaints.clear()
    window.open(link)
    window.until("coopsim.app && coopsim.app.now && coopsim.app.time.clock !== null")
    return window


def click(window: Browser, selector: str) -> None:
    """Click what is seen and covered by nothing; at once, since its place may change between two messages."""
    window.until(
        f"(() => {{ const widget = document.querySelector({json.dumps(selector)});"
        " const { left, top, width, height } = widget.getBoundingClientRect();"
        " if (!widget.contains(document.elementFromPoint(left + width / 2, top + height / 2))) return false;"
        " widget.click(); return true; })()"
    )


def choose(window: Browser, field: str, value: str) -> None:
    """Change what stands in a field."""
    window.value(
        f"(() => {{ const field = document.getElementById('{field}'); field.value = {json.dumps(value)};"
        " field.dispatchEvent(new Event('change')); })()"
    )


def names_of(sim: Client, prefix: str) -> list[str]:
    """Return the names of all that there is which begin in this way."""
    return sorted(entity.name for entity in sim.scene().entities if entity.name.startswith(prefix))


def x_of(sim: Client, name: str) -> float:
    """Return where an entity stands along x [m]."""
    return float(sim.world.get(name).pose[0])


def pixel_of(window: Browser, name: str) -> tuple[float, float]:
    """Return where an entity is seen, as soon as the camera has drawn it from where it is."""
    window.until(f"coopsim.app.drawn > {window.value('coopsim.app.drawn')} + 1")
    x, y = window.value(
        "(() => { const { app } = coopsim, { view, cameras } = app, entity = view.byName.get("
        f"{json.dumps(name)});"
        "const pose = view.pose(entity, app.latest), box = view.canvas.getBoundingClientRect();"
        "const point = new THREE.Vector3(pose[0], pose[1], pose[2] + entity.size[2] / 2).project(cameras.camera);"
        "return [box.left + (point.x + 1) / 2 * box.width, box.top + (1 - point.y) / 2 * box.height]; })()"
    )
    return float(x), float(y)
