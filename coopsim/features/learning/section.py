"""`[LEARNING]` of scenarios: what is learnt there, read word by word; names are checked by `section_checks`."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from coopsim.scene import Entry, Problems, Section, Span, choices, hint, quoted, values
from coopsim.scene.keys import Keys, SectionKey, read_keys
from coopsim.scene.values import Flaw

HEAD = "LEARNING"
MESSAGES = "messages"
"""Name of what is observed of the messages of others, in the place of a module's."""
MOST_STEPS = 64
"""Largest history: a network that needs more of the past is better off with a memory of its own."""
TERMS = {
    "nearer": "the way that a robot came nearer to THING [m]",
    "near": "1 where a robot is within DISTANCE of THING",
    "apart": "1 where a robot is DISTANCE or more from THING",
    "above": "1 where the mean of READING is above LIMIT",
    "below": "1 where the mean of READING is below LIMIT",
    "touching": "1 where something presses against a robot",
    "moved": "the way that a robot drove [m]",
    "effort": "the mean square of its actions",
    "reading": "the mean of READING",
    "goal": "1 where a robot meets the goal NAME",
    "metric": "the metric NAME of the episode so far, or its change in this step",
}
"""What rewards are made of."""
ENDS = ("near", "apart", "above", "below", "touching", "goal")
"""Terms that are true or false."""
LAWS = {"steer": 0, "chance": 0, "constant": -1, "policy": 1}
"""Laws that drive robots that do not learn, and how many words belong to each; -1 = any number."""
_WORDS = {"nearer": 1, "near": 2, "apart": 2, "above": 2, "below": 2, "reading": 1, "goal": 1, "metric": 1}
CHANGE = "change"
"""Word behind a metric of which a step's difference counts."""
_FORMS = {
    "near": "THING DISTANCE",
    "apart": "THING DISTANCE",
    "above": "MODULE.READING LIMIT",
    "below": "MODULE.READING LIMIT",
    "reading": "MODULE.READING",
    "metric": f"a name, and {CHANGE} behind it if a step's difference counts",
}
_OPTIONS = {"scale": 1, "history": 1, "angle": 0, "own": 0}
_STARTS = {"area": 4, "distance": 1, "turn": 1}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of one line with their meanings; `entry` has their places.

    Attributes:
        name: First word: a reading, a term, `MODULE.COMMAND`, the name of a parameter.
        words: Further words that are names.
        numbers: Numbers behind them, `{"weight": 0.1, "distance": 0.4}`.
        flags: Options without a value.
        limits: Numbers that have no names: ranges, corners, values of a constant command.
        file: Of a policy.
    """

    name: str
    entry: Entry
    words: tuple[str, ...] = ()
    numbers: dict[str, float] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    limits: tuple[float, ...] = ()
    file: str = ""

    def span(self, index: int) -> Span:
        """Return the place of one of its words."""
        return self.entry.value_spans[index]


@dataclass(frozen=True, slots=True)
class LearningSection:
    """Content of `[LEARNING]`.

    Attributes:
        name: Of the task; "" = that of the file.
        robots: Words for who learns; () = all whom no law drives.
        driven: Words for robots, and behind `by` the law that drives them.
        observed: What is seen.
        action: The command that is given.
        messages: How many numbers learners say to each other in each step.
        rewards: Terms with their weights.
        ends: Terms, and whether all robots have to meet each.
        outs: Terms; a robot that meets one is out.
        starts: Names, and where they begin.
        vary: Parameters with their ranges.
        every: Ticks of an action.
        limit: Actions of an episode.
        is_separate: Whether each world is a simulation of its own; None = where one compiled call cannot hold them.
        span: Of the header.
    """

    name: str
    robots: tuple[str, ...]
    robots_entry: Entry | None
    driven: tuple[Phrase, ...]
    observed: tuple[Phrase, ...]
    action: Phrase
    messages: int
    rewards: tuple[Phrase, ...]
    ends: tuple[Phrase, ...]
    outs: tuple[Phrase, ...]
    starts: tuple[Phrase, ...]
    vary: tuple[Phrase, ...]
    every: int
    limit: int
    is_separate: bool | None
    span: Span


class _WordsOfLine:
    """Words of a line from first to last, each with its flaw's place."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words, self.at = words, 0

    @property
    def is_over(self) -> bool:
        return self.at >= len(self._words)

    def next(self) -> str:
        self.at += 1
        return self._words[self.at - 1]

    def number(self, what: str) -> float | Flaw:
        if self.is_over:
            return Flaw(f"expects {what} behind {quoted(self._words[-1])}")
        number = values.to_number(self.next())
        return Flaw(f"{number.text} as {what}", self.at - 1) if isinstance(number, Flaw) else number


def _observe(words: Sequence[str]) -> Phrase | Flaw:
    """Read a reading and its options: `sonars scale 3 history 2`."""
    line, numbers, flags = _WordsOfLine(words), dict[str, float](), set[str]()
    name = line.next()
    while not line.is_over:
        option = line.next()
        if option not in _OPTIONS:
            text = f"no option {quoted(option)}{hint(option, _OPTIONS)}; expected {choices(_OPTIONS)}"
            return Flaw(text, line.at - 1)
        if not _OPTIONS[option]:
            flags.add(option)
            continue
        number = line.number(f"the {option}")
        if isinstance(number, Flaw):
            return number
        if option == "scale" and number <= 0.0:
            return Flaw(f"expects a scale above 0, got {number:g}", line.at - 1)
        if option == "history" and not (1 <= number <= MOST_STEPS and number == int(number)):
            return Flaw(f"expects a history of 1 to {MOST_STEPS} steps, got {number:g}", line.at - 1)
        numbers[option] = number
    return Phrase(name, _NOWHERE, (), numbers, frozenset(flags))


def _act(words: Sequence[str]) -> Phrase | Flaw:
    """Read a command and the ranges of its values: `motors.set_velocity -0.5 0.5 -1.5 1.5`."""
    limits = [values.to_number(word) for word in words[1:]]
    for index, limit in enumerate(limits, 1):
        if isinstance(limit, Flaw):
            return Flaw(limit.text, index)
    numbers = [float(word) for word in words[1:]]
    if len(numbers) % 2:
        return Flaw(f"expects a lowest and a highest value of each number, got {len(numbers)} of them")
    for index, (low, high) in enumerate(zip(numbers[0::2], numbers[1::2], strict=True)):
        if low >= high:
            return Flaw(f"expects the lowest value before the highest, got {low:g} {high:g}", 2 * index + 1)
    return Phrase(words[0], _NOWHERE, limits=tuple(numbers))


def _reward(words: Sequence[str]) -> Phrase | Flaw:
    """Read a weight and a term: `0.1 near own 0.4`."""
    weight = values.to_number(words[0])
    if isinstance(weight, Flaw):
        return Flaw(f"expects a weight before its term, got {quoted(words[0])}", 0)
    return _term(words, 1, TERMS, {"weight": weight})


def _end(words: Sequence[str]) -> Phrase | Flaw:
    """Read who has to meet a term, and the term: `all near own 0.4`."""
    if words[0] not in {"all", "any"}:
        return Flaw(f"expects all or any, then one of {choices(ENDS)}; got {quoted(words[0])}", 0)
    return _term(words, 1, ENDS, {"all": float(words[0] == "all")})


def _out(words: Sequence[str]) -> Phrase | Flaw:
    """Read a term that ends a robot's part: `near guard1 0.6`."""
    return _term(words, 0, ENDS, {})


def _term(
    words: Sequence[str], at: int, terms: Sequence[str] | dict[str, str], before: dict[str, float]
) -> Phrase | Flaw:
    if len(words) <= at:
        return Flaw(f"expects one of {choices(terms)} behind {quoted(words[-1])}")
    name = words[at]
    if name not in terms:
        return Flaw(f"no term {quoted(name)}{hint(name, terms)}; expected {choices(terms)}", at)
    more, count = words[at + 1 :], _WORDS.get(name, 0)
    flags = frozenset({CHANGE}) if name == "metric" and more[1:] == [CHANGE] else frozenset[str]()
    more = more[: len(more) - len(flags)]
    if len(more) != count:
        form = _FORMS.get(name, "a name") if count else "nothing"
        return Flaw(f"{name} takes {form}, got {quoted(' '.join(more))}", at)
    numbers = dict(before)
    if count == 2:
        is_limit = name in {"above", "below"}
        number = values.to_number(more[1]) if is_limit else values.number(0.0, values.FARTHEST, "m")([more[1]])
        if isinstance(number, Flaw):
            return Flaw(number.text, at + 2)
        numbers["limit" if is_limit else "distance"] = number
    return Phrase(name, _NOWHERE, tuple(more[:1]), numbers, flags)


def _start(words: Sequence[str]) -> Phrase | Flaw:
    """Read names and a region: `robot1 robot2 area -4 -4 4 4 turn 90`."""
    first = next((k for k, word in enumerate(words) if word in _STARTS), len(words))
    if first in (0, len(words)):
        return Flaw(f"expects names, then {choices(_STARTS)} with their numbers")
    line, numbers, limits = _WordsOfLine(words), dict[str, float](), list[float]()
    line.at = first
    while not line.is_over:
        option = line.next()
        if option not in _STARTS:
            return Flaw(f"expects {choices(_STARTS)}, got {quoted(option)}", line.at - 1)
        given = [line.number(f"a number of {option}") for _ in range(_STARTS[option])]
        flaw = next((number for number in given if isinstance(number, Flaw)), None)
        if flaw:
            return flaw
        read = [number for number in given if isinstance(number, float)]
        if option != "area" and read[0] < 0.0:
            return Flaw(f"expects a {option} from 0, got {read[0]:g}", line.at - 1)
        if option == "area":
            limits = read
        else:
            numbers[option] = read[0]
    return Phrase(words[0], _NOWHERE, tuple(words[:first]), numbers, limits=tuple(limits))


def _vary(words: Sequence[str]) -> Phrase | Flaw:
    """Read a parameter and its range: `all.sonars.noise 0 0.05`."""
    if len(words) != 3:
        return Flaw(f"takes a parameter, its lowest and its highest value; got {len(words)} words")
    phrase = _act(words)
    equal = isinstance(phrase, Flaw) and words[1] == words[2]
    return Flaw(f"a range of one value is no range; set {words[0]} in an event", 1) if equal else phrase


def _drive(words: Sequence[str]) -> Phrase | Flaw:
    """Read robots and the law that drives them: `robot3 by constant 0.2 0.1`."""
    if "by" not in words[1:-1]:
        return Flaw(f"takes robots, the word by, and a law: {choices(LAWS)}")
    middle = list(words).index("by", 1)
    law, more = words[middle + 1], words[middle + 2 :]
    if law not in LAWS:
        return Flaw(f"no law {quoted(law)}{hint(law, LAWS)}; expected {choices(LAWS)}", middle + 1)
    if LAWS[law] >= 0 and len(more) != LAWS[law]:
        return Flaw(f"{law} takes {'the file of a policy' if LAWS[law] else 'nothing'} behind it", middle + 1)
    limits = []
    for index, word in enumerate(more if law == "constant" else (), middle + 2):
        number = values.to_number(word)
        if isinstance(number, Flaw):
            return Flaw(number.text, index)
        limits.append(number)
    file = more[0] if law == "policy" else ""
    return Phrase(law, _NOWHERE, tuple(words[:middle]), limits=tuple(limits), file=file)


_NOWHERE = Entry("", (), Span(), ())
_BATCHED, _SEPARATE = "batched", "separate"  # worlds: ticked by one compiled call, or a simulation each
_MOST = 1_000_000
_LONGEST_MESSAGE = 64  # numbers; each learner hears all others
_KEYS: Keys = {
    "name": SectionKey(values.name),
    "robots": SectionKey(values.names),
    "drive": SectionKey(_drive, repeats=True),
    "observe": SectionKey(_observe, is_needed=True, repeats=True),
    "action": SectionKey(_act, is_needed=True),
    "say": SectionKey(values.number(1, _LONGEST_MESSAGE, whole=True)),
    "reward": SectionKey(_reward, is_needed=True, repeats=True),
    "end": SectionKey(_end, repeats=True),
    "out": SectionKey(_out, repeats=True),
    "start": SectionKey(_start, repeats=True),
    "vary": SectionKey(_vary, repeats=True),
    "every": SectionKey(values.number(1, _MOST, whole=True)),
    "limit": SectionKey(values.number(1, _MOST, whole=True)),
    "worlds": SectionKey(values.one_of(_BATCHED, _SEPARATE)),
}


def read_section(sections: Sequence[Section], problems: Problems) -> LearningSection | None:
    """Return what the section says, None where there is none or it has mistakes."""
    if not sections:
        return None
    # the reader of lines has named a second section already
    section, before = sections[0], problems.total
    keys = read_keys(section, _KEYS, problems)
    if problems.total > before:
        return None

    def phrases(key: str) -> tuple[Phrase, ...]:
        read = keys.get(key, [])
        entries = [line.entry() for line in section.lines if line.key.lower() == key]
        listed = read if isinstance(read, list) else [read]
        return tuple(replace(phrase, entry=entry) for phrase, entry in zip(listed, entries, strict=True))

    (action,) = phrases("action")
    robots = section.line("robots")
    return LearningSection(
        name=keys.get("name", ""),
        robots=keys.get("robots", ()),
        robots_entry=None if robots is None else robots.entry(),
        driven=phrases("drive"),
        observed=phrases("observe"),
        action=action,
        messages=keys.get("say", 0),
        rewards=phrases("reward"),
        ends=phrases("end"),
        outs=phrases("out"),
        starts=phrases("start"),
        vary=phrases("vary"),
        every=keys.get("every", 10),
        limit=keys.get("limit", 200),
        is_separate=keys["worlds"] == _SEPARATE if "worlds" in keys else None,
        span=section.span,
    )
