"""`[GOAL_n]` sections: what a run is judged by."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from coopsim.scene import values
from coopsim.scene.keys import Keys, SectionKey, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.problems import Problems
from coopsim.scene.specs import Goal
from coopsim.scene.values import Flaw
from coopsim.suggest import choices, hint, quoted

KINDS = ("reach", "keep", "avoid", "score")


class _Aim(NamedTuple):
    measure: str
    subject: str
    numbers: tuple[float, ...]


def _numbers(words: Sequence[str], first: int, count: int, form: str) -> tuple[float, ...] | Flaw:
    """Return `count` numbers from index `first` on, which are all there is."""
    if len(words) != first + count:
        return Flaw(f"takes {form}, got {quoted(' '.join(words))}")
    read = [values.to_number(word) for word in words[first:]]
    flaw = next(((index, number) for index, number in enumerate(read, first) if isinstance(number, Flaw)), None)
    return Flaw(flaw[1].text, flaw[0]) if flaw else tuple(number for number in read if isinstance(number, float))


def _aim(measure: str, subject: str, numbers: tuple[float, ...] | Flaw, least: int = 0) -> _Aim | Flaw:
    """Return an aim whose last numbers, from index `least` on, are not negative."""
    if isinstance(numbers, Flaw):
        return numbers
    if any(number < 0.0 for number in numbers[least:]):
        return Flaw(f"expects distances from 0, got {min(numbers[least:]):g}")
    return _Aim(measure, subject, numbers)


def _reach(words: Sequence[str]) -> _Aim | Flaw:
    if len(words) == 3:
        return _aim("point", "", _numbers(words, 0, 3, _REACH), 2)
    return _aim("entity", words[0], _numbers(words, 1, 1, _REACH))


def _formation(words: Sequence[str]) -> _Aim | Flaw:
    return _aim("formation", "", _numbers(words, 1, 1, "`formation LARGEST_ERROR`"))


def _distance(words: Sequence[str]) -> _Aim | Flaw:
    numbers = _numbers(words, 2, 2, "`distance ENTITY LEAST MOST`")
    if not isinstance(numbers, Flaw) and numbers[0] > numbers[1]:
        return Flaw(f"expects the least distance before the largest, got {words[2]} {words[3]}", 2)
    return _aim("distance", words[1] if len(words) > 1 else "", numbers)


def _area(words: Sequence[str]) -> _Aim | Flaw:
    if len(words) == 2:
        return _Aim("polygon", words[1], ())
    numbers = _numbers(words, 1, 4, "`area NAME` or `area X Y X Y`, two corners")
    return numbers if isinstance(numbers, Flaw) else _Aim("area", "", numbers)


def _clearance(words: Sequence[str]) -> _Aim | Flaw:
    return _aim("clearance", "", _numbers(words, 1, 1, "`clearance LEAST_GAP`"))


def _reading(words: Sequence[str]) -> _Aim | Flaw:
    numbers = _numbers(words, 2, 1, "`reading MODULE.READING LARGEST`")
    if not isinstance(numbers, Flaw) and words[1].count(".") != 1:
        return Flaw(f"expects MODULE.READING, as bumpers.front; got {quoted(words[1])}", 1)
    return _aim("reading", words[1] if len(words) > 1 else "", numbers)


def _one_of(forms: Mapping[str, values.Reader]) -> values.Reader:
    def read(words: Sequence[str]) -> Any:
        low = words[0].lower()
        if low not in forms:
            return Flaw(f"expects {choices(forms)}; got {quoted(words[0])}{hint(low, forms)}", 0)
        return forms[low](words)

    return read


def _score(words: Sequence[str]) -> _Aim | Flaw:
    if len(words) == 1:
        return _Aim("value", words[0], ())
    side = words[1].lower()
    if side not in _SIDES:
        return Flaw(f"takes a metric, then perhaps below or above and a limit; got {quoted(words[1])}", 1)
    numbers = _numbers(words, 2, 1, f"`METRIC {side} LIMIT`")
    return numbers if isinstance(numbers, Flaw) else _Aim(side, words[0], numbers)


def _until(words: Sequence[str]) -> dict[str, Any] | Flaw:
    if len(words) == 1 and not isinstance(values.to_number(words[0]), Flaw):
        seconds = _SECONDS(words)
        return seconds if isinstance(seconds, Flaw) else {"until": seconds}
    name = values.name(words)
    return name if isinstance(name, Flaw) else {"until_goal": name}


_REACH = "`ENTITY DISTANCE` or `X Y DISTANCE`"
_SIDES = ("below", "above")
_SECONDS = values.number(0.0, 1e9, "s")
GOAL_KEYS: Keys = {
    "name": SectionKey(values.name),
    "robots": SectionKey(values.names),
    "reach": SectionKey(_reach),
    "keep": SectionKey(_one_of({"formation": _formation, "distance": _distance})),
    "avoid": SectionKey(_one_of({"area": _area, "clearance": _clearance, "reading": _reading})),
    "score": SectionKey(_score),
    "within": SectionKey(_SECONDS),
    "until": SectionKey(_until),
}


def read_goals(sections: Sequence[Section], problems: Problems) -> list[Goal]:
    """Return what the sections say; names of robots, entities and metrics are not checked here."""
    goals: list[Goal] = []
    for section in sections:
        goal = _goal(section, problems)
        if goal is not None and goal.name in {goal_before.name for goal_before in goals}:
            problems.add(section.value_span("name"), f"a goal called {quoted(goal.name)} stands above")
        elif goal is not None:
            goals.append(goal)
    return goals


def _goal(section: Section, problems: Problems) -> Goal | None:
    before = problems.total
    keys = read_keys(section, GOAL_KEYS, problems)
    given = [kind for kind in KINDS if section.line(kind)]
    if len(given) != 1:
        text = f"has {' and '.join(given)}: one goal says one thing" if given else f"needs one of {choices(KINDS)}"
        problems.add(section.span, f"[{section.name[:40]}] {text}")
    for key, kinds in (("within", ("reach",)), ("until", ("keep", "avoid"))):
        if section.line(key) and given and given[0] not in kinds:
            problems.add(section.value_span(key), f"{key} belongs to {choices(kinds)}")
    if problems.total > before or problems.is_full:
        return None
    aim: _Aim = keys[given[0]]
    return Goal(
        name=keys.get("name", section.name.lower()),
        kind=given[0],
        measure=aim.measure,
        subject=aim.subject,
        numbers=aim.numbers,
        robots=keys.get("robots", ()),
        within=keys.get("within"),
        **keys.get("until", {}),
        span=section.span,
        entries=section.entries(),
    )
