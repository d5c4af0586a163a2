"""Ends of the links between processes: as arguments of a command, and who holds which."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.launch.descriptors import CAMERA_STARTS, ChildDescriptors, ProcessLinks
from coopsim.transport import Ring

NUMBER = st.integers(-1, 1 << 20)


@given(st.builds(ChildDescriptors, st.text("/abc-0", min_size=1), *[NUMBER] * 5, st.lists(NUMBER).map(tuple)))
def test_ends_come_back_from_the_arguments_of_a_command(ends: ChildDescriptors) -> None:
    assert ChildDescriptors.parse(ends.arguments()) == ends
    assert all(number >= 0 for number in ends.descriptors)


def test_what_a_child_does_not_have_it_does_not_inherit() -> None:
    ends = ChildDescriptors("/ring", 3, -1, 5, -1, cameras=(9, 8))
    assert ends.descriptors == (3, 5, 9, 8)
    assert ends.arguments() == ["/ring", "3", "-1", "5", "-1", "-1", "9", "8"]


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


@pytest.fixture
def links() -> ProcessLinks:
    return ProcessLinks(Ring.create(ring_bytes=1 << 20, command_floats=8))


def test_physics_and_host_hold_different_ends_of_the_same_links(links: ProcessLinks) -> None:
    physics, host = links.physics_ends, links.host_ends
    assert physics.ring == host.ring == str(links.ring.path)
    assert not {*physics.descriptors} & {*host.descriptors}
    assert len(host.cameras) == len(links.cameras) == CAMERA_STARTS
    assert physics.cameras == ()
    os.write(physics.wake, b"x")
    assert os.read(host.wake, 8)
    os.write(host.permit, b"y")
    assert os.read(physics.permit, 8)
    links.close()


def test_once_handed_over_only_the_children_hold_their_ends(links: ProcessLinks) -> None:
    numbers = (*links.physics_ends.descriptors, *links.host_ends.descriptors)
    own = [links.physics.fileno(), links.host.fileno(), *(camera.fileno() for camera in links.cameras)]
    assert all(map(_is_open, numbers))
    links.hand_over()
    assert not any(map(_is_open, numbers))
    assert all(map(_is_open, own))
    links.hand_over()
    links.close()
    assert not any(map(_is_open, own))
    assert not links.ring.path.exists()
