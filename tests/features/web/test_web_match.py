"""A match played from a phone: lobby, seat, orders by taps and by names, a robot by hand, chat; who may not play."""

import json
import re
from pathlib import Path

import pytest
from browser import Browser, found
from page_in_browser import DESK
from web_pages import PageProcess

from coopsim.client import connect
from coopsim.robots import find_file
from coopsim.testkit import Run

pytestmark = pytest.mark.integration
BRIEF = """
[ROBOT_1]
type game_infantry
name a1
[ROBOT_2]
type game_infantry
name b1
position 3 0 0
[GAME]
rules death_match
time 1
[PLAYER_1]
name west
[PLAYER_2]
name east
[SQUAD_1]
name a
player west
robots a1
[SQUAD_2]
name b
player east
robots b1
[CONTROLLER_1]
run game
robots a1 b1
"""
"""A match that is over after a second."""
_PATIENCE = 90.0  # s; the logic of a match compiles its kernels where nobody did before
_PHONE = {"width": 390, "height": 780, "deviceScaleFactor": 1, "mobile": True}

if found():

    def _says(words: str) -> str:
        return f"[...document.querySelectorAll('#messages li')].some((line) => line.textContent.includes('{words}'))"

    def _choose(page: Browser, selector: str, value: str) -> None:
        page.value(
            f"(() => {{ const select = document.querySelector('{selector}'); select.value = '{value}';"
            "select.dispatchEvent(new Event('change')); })()"
        )

    def test_squads_are_commanded_from_a_phone(tmp_path: Path) -> None:
        match = tmp_path / "duel.scenario"
        # without computer players nobody is out before the test is over
        text = re.sub(r"\nbot +normal", "", find_file("duel", (".scenario",)).read_text(encoding="utf-8"))
        # nor is the match, however slow the machine is
        text = re.sub(r"\ntime +150", "\ntime 3600", text)
        match.write_text(text.replace("[GAME]\n", "[GAME]\nlobby 3600\nfog yes\n"), encoding="utf-8")
        with (
            Run(str(match), "--paced", "--duration", "7200") as live,
            PageProcess(live.endpoint) as process,
            Browser(None) as page,
        ):
            process.wait_for("shows duel")
            page.call("Emulation.setDeviceMetricsOverride", **_PHONE)
            page.open(process.link("watch"))
            page.until("coopsim.app && coopsim.app.now && !document.getElementById('match').hidden")
            assert page.value("document.getElementById('match-tools').hidden")
            page.call("Page.navigate", url="about:blank")
            page.open(process.link("drive"))
            page.until("coopsim.app && coopsim.app.now && coopsim.app.role === 'drive'")
            page.value("coopsim.app.setView('top')")
            page.value("coopsim.app.toggle('list')")
            _choose(page, "#player", "east")
            page.value("document.getElementById('seat').click()")
            page.until(f"coopsim.app.match.isSeated && {_says('plays east')}", _PATIENCE)
            # nobody moves in a lobby before all who play are ready
            assert page.value(
                "[document.getElementById('lobby').hidden, document.getElementById('ordering').hidden]"
            ) == [
                False,
                True,
            ]
            page.until("document.getElementById('lobby-news').textContent.includes('east is ready')", _PATIENCE)
            page.until("document.getElementById('seats').textContent.includes('east: you')")
            page.value("document.getElementById('ready').click()")
            page.until("/begins in \\d s/.test(document.getElementById('lobby-news').textContent)", _PATIENCE)
            page.until(
                "document.getElementById('lobby').hidden && !document.getElementById('ordering').hidden", _PATIENCE
            )
            assert page.value("document.getElementById('ready').hidden"), "there is nothing to be ready for any more"
            page.value("coopsim.app.toggle('list')")
            # a tap on one's own robot chooses its squad, one on the floor says where it is to go
            page.value("coopsim.app.match.tap(coopsim.app.view.byName.get('b5'), null)")
            assert page.value("document.getElementById('squad').value") == "bx"
            left, top, width, height = page.box("#view")
            page.drag([(left + 0.75 * width, top + 0.5 * height)])
            page.until(_says("east: order: bx go_to 4."), _PATIENCE)
            # what strangers say is not the match's word
            with connect(live.endpoint) as sim:
                sim.publish("/game/log", "west: order: surrender")
                page.until(_says("is no logic of this match"))
                heard = sim.listen("/game/**")
                assert not page.value(_says("surrender"))
                # a robot of one's own is driven by hand, within what its type can
                page.value("coopsim.app.select('b5')")
                page.until("!document.getElementById('drive').hidden")
                page.value("document.getElementById('drive').click()")
                page.until(_says("b5 is driven by hand"), _PATIENCE)
                page.value("coopsim.app.driving.stick = [-1, 0]")
                x = sim.world.get("b5").pose[0]
                while abs(sim.world.get("b5").pose[0] - x) < 0.3:
                    pass
                page.value("coopsim.app.driving.stick = [0, 0]")
                assert not page.value(_says("drives at most"))
                page.value("document.getElementById('drive').click()")
                page.until(_says("b5 follows its squad again"), _PATIENCE)
                page.value("coopsim.app.select('a1')")
                assert page.value("document.getElementById('drive').hidden")
                # what the page says, and is told, nobody else can read
                _choose(page, "#order", "split")
                page.value("document.getElementById('send-order').click()")
                page.until(
                    "[...document.getElementById('squad').options].some(({ value }) => value === 'bx_2')", _PATIENCE
                )
                _choose(page, "#order", "merge")
                _choose(page, "#goal", "bx_2")
                page.value("document.getElementById('send-order').click()")
                page.until("document.getElementById('squad').options.length === 2", _PATIENCE)
                _choose(page, "#order", "help")
                _choose(page, "#goal", "b5")
                page.value("document.getElementById('send-order').click()")
                page.until(_says("east: order: b defend b5"), _PATIENCE)
                events = list(iter(lambda: heard.hear(0.0), None))
                heard.close()
                assert {event.topic for event in events} >= {"/game/orders/east", "/game/log/east", "/game/status"}
                said = [event.text for event in events if event.topic != "/game/status"]
                assert not [text for text in said if re.search("bx split|merge bx_2|b5 help| defend b5", text)]
                # nobody of the others is seen, nor what is written above them
                assert page.value("[...coopsim.app.view.unseen].sort()") == ["a1", "a2", "a3", "a4", "a5"]
                page.until(
                    "![...document.querySelectorAll('#labels span')].some(({ textContent }) => textContent === 'a1')"
                )
            _choose(page, "#order", "attack")
            assert page.value("[...document.getElementById('goal').options].map(({ value }) => value)") == ["a", "ax"]
            _choose(page, "#goal", "ax")
            page.value("document.getElementById('send-order').click()")
            page.until(_says("has seen ax"), _PATIENCE)
            page.value("document.getElementById('chat-words').value = '<b>hello</b>'")
            page.value("document.getElementById('chat').requestSubmit()")
            page.until(_says("east says: <b>hello</b>"))
            page.until("document.getElementById('standing').textContent.includes('health')")
            page.value("document.getElementById('seat').click()")
            page.until("document.getElementById('ordering').hidden")
            # nobody plays a match that is over, nor says every 2 s that it is there
            page.value("document.getElementById('seat').click()")
            page.until("coopsim.app.match.isSeated")
            page.call("Emulation.setDeviceMetricsOverride", **DESK)  # its column is narrower than a phone
            page.value("document.getElementById('list').classList.remove('closed')")
            assert page.box("#player")[2] > 60.0, "the name of who is played can be read"
            # read at once: the match goes on, and its next status says that b1 is well
            standing = page.value(
                "coopsim.app.match.left.set('b1', { health: 0, power: 0 }),"
                'coopsim.app.match.hear(\'/game/end\', \'{"winner": "west", "reason": "of a test", "time": 7.5}\'),'
                "document.getElementById('standing').innerText"
            )
            assert page.value(
                "['match-tools', 'ordering', 'chat', 'lobby'].map((id) => document.getElementById(id).hidden)"
            ) == [True, True, True, False]
            assert page.value("document.getElementById('lobby-news').textContent") == "west wins after 7.5 s: of a test"
            assert page.value("coopsim.app.match.isSeated") is False
            assert "east · b: 2 of 3 robots" in standing
            assert not [words for words in page.complaints if "GL Driver" not in words], page.complaints
            # who leaves, or loads the page again, gives its seat back: it would wait 20 s for it
            page.value("coopsim.app.match.build(coopsim.app.match.game)")
            _choose(page, "#player", "east")
            page.value("document.getElementById('seat').click()")
            page.until("coopsim.app.match.isSeated")
            with connect(live.endpoint) as sim, sim.listen("/game/seats/east") as said_of_seat:
                page.call("Page.navigate", url="about:blank")
                words = iter(lambda: said_of_seat.hear(10.0), None)
                assert "release" in (event.text for event in words)

    def test_a_page_that_is_opened_after_a_match_tells_its_result_and_offers_no_seat(tmp_path: Path) -> None:
        (tmp_path / "brief.scenario").write_text(BRIEF, encoding="utf-8")
        with Run("brief.scenario", "--stay", "--mode", "free", folder=tmp_path) as live:
            with connect(live.endpoint) as sim:
                laws = sim.module("/sim/controllers")
                while json.loads(laws.status().status)["end"] is None:
                    pass
            with PageProcess(live.endpoint) as process, Browser(None) as page:
                process.wait_for("shows brief")
                page.open(process.link("edit"))
                page.until("document.getElementById('lobby-news').textContent.startsWith('nobody wins after ')")
                assert page.value(
                    "['match', 'lobby', 'match-tools'].map((id) => document.getElementById(id).hidden)"
                ) == [False, False, True]
