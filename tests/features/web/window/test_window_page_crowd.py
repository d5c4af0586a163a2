"""A page of hundreds of robots: drawn as one geometry each shape, legible, and each of them is found."""

from collections.abc import Iterator

import pytest
from browser import Browser
from page_in_browser import open_page
from web_pages import PageProcess

from coopsim.testkit import Run

pytestmark = pytest.mark.integration
CROWD = """
[ROBOT_1]
type  single
name  robot
count 600
grid  30x20 1.5

[ROBOT_2]
type  scout
name  scout
count 600
grid  30x20 1.5
position 0 40 0
"""
TURNS = """
for (const [k, group] of coopsim.app.view.groups.entries()) {
  if (!group.pack) continue;
  group.mesh.setColorAt(7, new THREE.Color(0, k / 9, 1));
  group.mesh.instanceColor.needsUpdate = true;
}
"""
"""Gives one instance of each shape another colour."""
PICTURES = """
(({ asFine }) => {
  const { view, cameras } = coopsim.app, pen = view.renderer.getContext(), { width, height } = view.canvas;
  const packs = view.groups.filter(({ pack }) => pack), limits = packs.map(({ pack }) => pack.levels[0].from);
  if (asFine) for (const { pack } of packs) pack.levels[0].from = 0;
  for (const { mesh } of packs) mesh.material = mesh.material.clone(); // without what packs add
  const picture = (isPacked) => {
    for (const { pack, mesh } of packs) {
      pack.object.visible = isPacked;
      mesh.visible = !isPacked;
    }
    view.draw(cameras.camera);
    const pixels = new Uint8Array(4 * width * height);
    pen.readPixels(0, 0, width, height, pen.RGBA, pen.UNSIGNED_BYTE, pixels);
    return pixels;
  };
  const single = picture(false), packed = picture(true);
  let differing = 0, blue = 0, before = 0, after = 0;
  for (let i = 0; i < packed.length; i += 4) {
    if ([0, 1, 2].some((k) => Math.abs(packed[i + k] - single[i + k]) > 8)) differing += 1;
    if (packed[i + 2] > packed[i] + 60) blue += 1;
    before += single[i] > single[i + 2] + 60;
    after += packed[i] > packed[i + 2] + 60;
  }
  const [fine, coarse] = [0, 1].map((k) => packs.map(({ pack }) => pack.levels[k].count));
  packs.forEach(({ pack }, k) => { pack.levels[0].from = limits[k]; });
  return { packs: packs.length, differing, blue, before, after, fine, coarse };
})
"""
"""A function: pictures of single instances and of packs, all of them as fine as near ones or not, compared."""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageProcess]:
    file = tmp_path_factory.mktemp("crowd") / "crowd.scenario"
    file.write_text(CROWD, encoding="utf-8")
    with Run(str(file), "--duration", "7200") as live, PageProcess(live.endpoint) as process:
        process.wait_for("shows crowd")
        yield process


@pytest.fixture
def page(window: Browser, crowd: PageProcess) -> Browser:
    return open_page(window, crowd.link("watch"))


def follow(page: Browser, robot: str) -> None:
    """Select a robot and come near it."""
    page.value(f"coopsim.app.select('{robot}'); coopsim.app.setView('follow')")
    page.until("!coopsim.app.cameras.comesNear")


def test_hundreds_of_equal_shapes_are_drawn_as_one_and_look_as_single_ones_do(page: Browser) -> None:
    for robot in ("scout8", "robot8"):
        follow(page, robot)
        before = page.value(f"({PICTURES})({{ asFine: true }})")
        assert before["packs"] == 3, before  # boxes, cylinders, and the arrows of both
        assert before["differing"] == 0, before
    page.value(f"(() => {{ {TURNS} }})()")
    painted = page.value(f"({PICTURES})({{ asFine: true }})")
    assert painted["differing"] == 0, painted
    assert painted["blue"] > before["blue"] + 100, (before, painted)
    page.value("coopsim.app.view.hideNames(new Set(['robot8'])); coopsim.app.view.move(coopsim.app.latest)")
    assert page.value(f"({PICTURES})({{ asFine: true }})")["blue"] < 0.2 * painted["blue"]


def test_small_shapes_have_few_corners_and_cover_what_fine_ones_do(page: Browser) -> None:
    for height in (40, 9):
        away = f"cameras.perspective.position.set(0, -60, {height}); cameras.orbit.target.set(0, 20, 0)"
        page.value(f"(() => {{ const {{ cameras }} = coopsim.app; {away}; cameras.orbit.update(); }})()")
        page.until(f"coopsim.app.drawn > {page.value('coopsim.app.drawn')} + 1")
        small = page.value(f"({PICTURES})({{ asFine: false }})")
        # the floor is a box and large; all robots are small boxes, points and triangles
        assert (small["fine"], small["coarse"][:2]) == ([1, 0, 0], [600, 600])
        assert 600 <= small["coarse"][2] <= 1200  # arrows, those left out that are too small
        # a point is round, and covers a tenth more than the eight sides of a fine cylinder do
        assert 1.02 * small["before"] < small["after"] < 1.08 * small["before"]
        assert small["differing"] < 0.55 * small["before"]


def test_near_shapes_are_fine_as_far_as_there_is_room_and_what_is_out_of_sight_is_not_drawn(page: Browser) -> None:
    follow(page, "robot8")
    near = page.value(f"({PICTURES})({{ asFine: false }})")
    seen = near["fine"][1] + near["coarse"][1]
    assert 100 < seen < 300
    assert near["fine"][1] > 50
    sizes = page.value(
        "(() => { const { pack } = coopsim.app.view.groups.find(({ shape }) => shape.shape === 'cylinder');"
        " pack.levels[0].room = 50; coopsim.app.view.draw(coopsim.app.cameras.camera);"
        " return pack.levels.map(({ rows, count }) => [...rows.image.data.slice(0, count)].map((i) => pack.seen[i]));"
        " })()"
    )
    assert 20 < len(sizes[0]) <= 50
    assert len(sizes[0]) + len(sizes[1]) == seen
    assert min(sizes[0]) > max(sizes[1])


def test_a_robot_among_hundreds_is_picked_where_it_is_seen(page: Browser) -> None:
    follow(page, "robot321")
    picked = page.value(
        "(() => { const { view, cameras } = coopsim.app, box = view.canvas.getBoundingClientRect();"
        " return view.pick(box.left + box.width / 2, box.top + box.height / 2, cameras.camera).entity.name; })()"
    )
    assert picked == "robot321"


def test_who_follows_from_far_away_comes_near_and_a_link_stays_where_it_says(page: Browser, crowd: PageProcess) -> None:
    away = "coopsim.app.cameras.perspective.position.distanceTo(coopsim.app.cameras.orbit.target)"
    assert page.value(away) > 20.0
    follow(page, "robot321")
    assert page.value(away) == pytest.approx(8.0)
    page.value("coopsim.app.cameras.perspective.position.z += 100")
    words = page.value("coopsim.app.cameras.words")
    again = open_page(page, f"{crowd.link('watch')}#view=follow&follow=robot321&camera={words}")
    again.until("coopsim.app.selected === 'robot321' && coopsim.app.drawn > 3")
    assert again.value(away) > 90.0


def test_labels_of_a_crowd_do_not_hide_one_another_and_what_is_selected_has_one(page: Browser) -> None:
    page.value("coopsim.app.select('robot600')")
    page.until("[...document.querySelectorAll('#labels span')].some((label) => label.textContent === 'robot600')")
    boxes = page.value(
        "[...document.querySelectorAll('#labels span')].map((label) => label.getBoundingClientRect())"
        ".map(({ left, right, top, bottom }) => [left, right, top, bottom])"
    )
    assert 20 < len(boxes) <= 60
    overlaps = [
        (first, second)
        for k, first in enumerate(boxes)
        for second in boxes[:k]
        if min(first[1], second[1]) - max(first[0], second[0]) > 1.0
        and min(first[3], second[3]) - max(first[2], second[2]) > 1.0
    ]
    assert not overlaps
