"""Sentences of a match: what its log tells, as people read it in the commentary and in the window."""

_FORMS = {
    "order": "{source} orders: {text}",
    "out": "{text}!",
    "picked up": "{text}!",
    "help": "{text}",
    "seat": "{text}",
    "lobby": "{text}",
}
"""Form of a sentence by the rule of the line."""


def sentence(text: str) -> str:
    """Return a line of the log of a match as a sentence; a line of another form as it is.

    Args:
        text: Source, rule and what happened, as `/game/log` tells them.
    """
    parts = text.split(": ", 2)
    if len(parts) < 3:
        return text
    source, rule, happened = parts
    form = _FORMS.get(rule, "{text}" if source in happened.split() else "{source}: {text}")
    words = form.format(source=source, text=happened)
    return f"{rule.capitalize()}: {words}" if rule.startswith("illegal") else words
