"""What mouse and keys did between two frames, for widgets."""

from imgui_bundle import imgui

from coopsim.features.desktop.ui.input_queue import (
    ButtonTurned,
    InputEvent,
    InputQueue,
    KeyTurned,
    LetterWritten,
    MouseMoved,
)


def typed(letter: str) -> list[InputEvent]:
    key = getattr(imgui.Key, letter)
    return [KeyTurned(key, down=True), LetterWritten(letter), KeyTurned(key, down=False)]


def pressed(key: imgui.Key) -> list[InputEvent]:
    return [KeyTurned(key, down=True), KeyTurned(key, down=False)]


def frames(*events: InputEvent) -> list[list[InputEvent]]:
    queue, collected = InputQueue(), []
    for event in events:
        queue.add(event)
    while len(queue):
        collected.append(queue.frame())
    return collected


def test_many_letters_come_at_once_and_the_key_that_ends_them_alone() -> None:
    words = [event for letter in "abc" for event in typed(letter)]
    enter = pressed(imgui.Key.enter)
    assert frames(*words, *enter) == [words, enter[:1], enter[1:]]


def test_letters_after_a_key_are_not_before_it() -> None:
    tab = pressed(imgui.Key.tab)
    assert frames(*tab, *typed("a"), *pressed(imgui.Key.backspace)) == [
        tab[:1],
        [*tab[1:], *typed("a")],
        *([event] for event in pressed(imgui.Key.backspace)),
    ]


def test_a_shortcut_is_seen_pressed_before_it_is_released() -> None:
    begin, end = KeyTurned(imgui.Key.mod_ctrl, down=True), KeyTurned(imgui.Key.mod_ctrl, down=False)
    assert frames(begin, *pressed(imgui.Key.c), end) == [
        [begin, KeyTurned(imgui.Key.c, down=True)],
        [KeyTurned(imgui.Key.c, down=False), end],
    ]


def test_a_modifier_that_is_let_go_before_its_letter_is_still_a_part_of_the_shortcut() -> None:
    begin, end = KeyTurned(imgui.Key.mod_ctrl, down=True), KeyTurned(imgui.Key.mod_ctrl, down=False)
    press, release = pressed(imgui.Key.a)
    assert frames(begin, press, end, release) == [[begin, press], [end, release]]
    # each key says all modifiers: one that stays as it is parts nothing
    assert frames(begin, press, begin, release, end) == [[begin, press, begin], [release, end]]


def test_a_button_is_pressed_where_the_mouse_was_in_the_frame_before() -> None:
    move, down, up = MouseMoved(3.0, 4.0), ButtonTurned(0, down=True), ButtonTurned(0, down=False)
    assert frames(move, down, up) == [[move], [down], [up]]
