"""Every error: its number, its meaning, its cure."""

import coopsim.errors as room
from coopsim.errors import BadArgument, CoopsimError, NamingError, SceneError, all_errors, error_for

OURS = [var for var in vars(room).values() if isinstance(var, type) and issubclass(var, CoopsimError)]


def test_no_two_errors_share_a_number() -> None:
    numbers = [error.code for error in OURS]
    assert len(numbers) == len(set(numbers))


def test_every_number_lies_in_the_range_of_its_parent() -> None:
    for error in OURS:
        parent = error.__mro__[1]
        if parent is CoopsimError:
            assert error.code % 100 == 0
        elif error is not CoopsimError:
            assert error.code // 100 * 100 == parent.code, error


def test_every_error_says_what_it_means_and_what_to_do() -> None:
    for error in OURS:
        assert error.__doc__, error
        if error.code % 100 and error is not CoopsimError:
            assert "cure" in vars(error), error


def test_the_tree_at_the_top_of_the_file_names_every_error_with_its_number() -> None:
    tree = (room.__doc__ or "").splitlines()
    for error in OURS:
        lines = [line for line in tree if error.__name__ in line.split()]
        assert len(lines) == 1, error
        if error.code % 100 and error is not CoopsimError:
            assert str(error.code) in lines[0].split(), error


def test_errors_are_found_by_number_and_unknown_ones_by_their_range() -> None:
    assert error_for(203) is BadArgument
    assert error_for(299) is NamingError
    assert error_for(4) is CoopsimError
    assert error_for(9999) is CoopsimError
    numbered = all_errors()
    for base in (code for code in numbered if code and code % 100 == 0):
        unknown = next(code for code in range(base, base + 100) if code not in numbered)
        assert error_for(unknown) is error_for(base + 99) is numbered[base]


def test_a_users_subclass_does_not_take_the_place_of_its_parent() -> None:
    class Mine(BadArgument):
        """A plugin's own error."""

    assert all_errors()[203] is BadArgument
    assert Mine.code == 203


def test_an_error_is_caught_as_its_range_and_as_ours() -> None:
    assert issubclass(error_for(402), SceneError)
    assert all(issubclass(error, CoopsimError) for error in all_errors().values())


def test_numbers_that_were_published_keep_their_names() -> None:
    published = {
        101: "MalformedMessage", 102: "WrongVersion", 103: "MessageTooLarge", 201: "NoSuchName", 202: "NoSuchCommand",
        203: "BadArgument", 204: "OwnedByAnother", 205: "Evicted", 206: "StaleLayout", 207: "LivesElsewhere",
        301: "Late", 302: "Stopped", 303: "NotInThisMode", 401: "NoSuchFile", 402: "BadFile", 403: "ForbiddenFile",
        404: "CannotSave",
        501: "SimulationEnded", 502: "EngineCannot", 503: "InternalError", 504: "NoReply", 505: "PortTaken",
        701: "NoSuchPlugin", 702: "PluginFailed", 703: "PluginClash", 704: "PluginMissing",
    }  # fmt: skip
    error_of = all_errors()
    assert {number: error_of[number].__name__ for number in published} == published
