"""Roles of trusted keys, and the files that say them."""

from pathlib import Path

import pytest

from coopsim.client.keyring import KeyRing, read_key
from coopsim.client.roles import Role, robots_in
from coopsim.errors import BadArgument, NoKey


@pytest.fixture
def lab(tmp_path: Path) -> KeyRing:
    ring = KeyRing(tmp_path / "lab")
    ring.new("lab")
    return ring


@pytest.fixture
def anna(tmp_path: Path) -> Path:
    return KeyRing(tmp_path / "anna").new("anna")


def test_a_role_names_the_robots_it_may_drive() -> None:
    role = Role("drive", robots_in("/robot1, r*  team2/*"))
    assert [role.may_drive(name) for name in ("robot1", "rover", "team2/a", "team1/a")] == [True, True, True, False]
    assert Role().may_drive("anybody")
    assert not Role("watch").may_drive("robot1")
    assert str(role) == "drive robot1,r*,team2/*"


@pytest.mark.parametrize(
    ("name", "robots"), [("sail", ()), ("drive", ()), ("watch", ("robot1",)), ("drive", ('x"\nrole = "all',))]
)
def test_roles_that_cannot_be_are_refused(name: str, robots: tuple[str, ...]) -> None:
    with pytest.raises(BadArgument):
        Role(name, robots)


def test_what_was_trusted_before_there_were_roles_may_do_everything(lab: KeyRing, anna: Path) -> None:
    path = lab.trust(read_key(anna))
    assert "role" not in path.read_text()
    assert lab.trusted()["anna"].role == Role("all")


def test_a_role_is_kept_in_the_trusted_file_and_by_trusting_again(lab: KeyRing, anna: Path) -> None:
    role = Role("drive", ("robot1", "r*"))
    path = lab.trust(read_key(anna), role)
    assert 'role = "drive"' in path.read_text()
    assert 'robots = "robot1,r*"' in path.read_text()
    lab.trust(read_key(anna))
    assert lab.trusted()["anna"].role == role
    lab.set_role("anna", Role("watch"))
    assert lab.trusted()["anna"].role == Role("watch")


def test_nobody_chooses_a_role_in_the_file_that_he_sends(lab: KeyRing, anna: Path) -> None:
    lab.trust(read_key(anna), Role("watch"))
    sent = anna.with_name("again.pub")
    sent.write_text(anna.read_text().replace("curve\n", '    role = "all"\ncurve\n').replace("again", "anna"))
    assert read_key(sent).role == Role("all")
    (fresh := anna.with_name("ben")).mkdir()
    (fresh / "anna.pub").write_text(sent.read_text())
    lab.trust(read_key(fresh / "anna.pub"))
    assert lab.trusted()["anna"].role == Role("watch")


def test_a_file_with_a_role_that_nobody_knows_is_not_trusted_and_told(lab: KeyRing, anna: Path) -> None:
    path = lab.trust(read_key(anna), Role("watch"))
    path.write_text(path.read_text().replace("watch", "wahtever"))
    assert not lab.trusted()
    assert "wahtever" in lab.unreadable()[0]


def test_a_secret_file_is_never_trusted(lab: KeyRing, anna: Path) -> None:
    with pytest.raises(NoKey, match=r"never leaves its machine: trust anna\.pub"):
        lab.trust(read_key(anna.with_name("anna.key")))
    assert not lab.trusted()


def test_a_revoked_key_is_gone_and_an_unknown_one_is_told(lab: KeyRing, anna: Path) -> None:
    lab.trust(read_key(anna))
    lab.revoke("anna")
    assert not lab.trusted()
    for act in (lambda: lab.revoke("anna"), lambda: lab.set_role("anna", Role())):
        with pytest.raises(NoKey, match="no key 'anna' is trusted"):
            act()
