"""`[RADIO]` and `[RADIO_n]` sections: links between robots and those who command them."""

from collections.abc import Mapping, Sequence
from typing import Any

from coopsim.features.radio.sections.spec import RadioSection
from coopsim.scene import values
from coopsim.scene.keys import Keys, SectionKey, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.problems import Problems
from coopsim.scene.values import Flaw

_COORDINATE = values.number(-1e6, 1e6, "m")


def _station(words: Sequence[str]) -> tuple[float, float] | Flaw:
    """Read x and y."""
    if len(words) != 2:
        return Flaw(f"takes 2 numbers: x y [m]; got {len(words)}")
    x, y = (_COORDINATE([word]) for word in words)
    for index, read in enumerate((x, y)):
        if isinstance(read, Flaw):
            return Flaw(read.text, index)
    return float(words[0]), float(words[1])


_LINK: Keys = {
    "loss": SectionKey(values.number(0.0, 1.0)),
    "delay": SectionKey(values.number(0.0, 10.0, "s")),
    "range": SectionKey(values.number(0.0, 1e6, "m")),
    "bandwidth": SectionKey(values.number(0.0, 1e12, "B/s")),
    "interval": SectionKey(values.number(0.0, 60.0, "s")),
    "retries": SectionKey(values.number(0, 100, whole=True)),
    "station": SectionKey(_station),
}
RADIO_KEYS: Keys = _LINK
RADIO_N_KEYS: Keys = {**_LINK, "robots": SectionKey(values.names), "player": SectionKey(values.name)}
_WHOSE = ("robots", "player")


def read_radios(sections: Sequence[Section], problems: Problems) -> list[RadioSection]:
    """Return what the sections say, `[RADIO]` first; what robots and players they name is looked at later."""
    radios = []
    for section in sections:
        is_for_all = section.name.upper() == "RADIO"
        keys = read_keys(section, RADIO_KEYS if is_for_all else RADIO_N_KEYS, problems)
        whose = [key for key in _WHOSE if section.line(key)]
        if not is_for_all and len(whose) != 1:
            text = "names robots and a player; take one of them" if whose else "needs the key 'robots' or 'player'"
            problems.add(section.span, f"[{section.name}] {text}, or is called [RADIO] for the links of all robots")
            continue
        robots, player = keys.get("robots", ()), keys.get("player", "")
        entries = section.entries()
        radios.append(RadioSection(robots, player, is_for_all, _settings(keys), section.span, entries))
    return sorted(radios, key=lambda radio: not radio.is_for_all)


def _settings(keys: Mapping[str, Any]) -> dict[str, Any]:
    settings = {name: value for name, value in keys.items() if name not in (*_WHOSE, "station")}
    if "station" in keys:
        settings["station_x"], settings["station_y"] = keys["station"]
    return settings
