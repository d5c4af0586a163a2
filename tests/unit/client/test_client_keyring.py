"""Key files: made, trusted, found, and what is wrong with them."""

import errno
import stat
from pathlib import Path

import pytest
import zmq
from zmq.utils import z85

from coopsim.client import Keys, keys
from coopsim.client.endpoints import parse
from coopsim.client.keyring import Key, KeyRing, decode_key, default_folder, read_key
from coopsim.errors import NoKey


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    ring = KeyRing(tmp_path / "keys")
    ring.new("anna")
    return ring


def other(tmp_path: Path, name: str) -> Key:
    key_ring = KeyRing(tmp_path / name)
    return read_key(key_ring.new(name))


def test_a_new_pair_is_a_secret_file_for_us_and_a_public_one_for_others(ring: KeyRing) -> None:
    secret, public = ring.folder / "anna.key", ring.folder / "anna.pub"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert stat.S_IMODE(ring.folder.stat().st_mode) == 0o700
    assert ring.own.public == read_key(public).public == zmq.curve_public(ring.own.secret.encode()).decode()
    assert read_key(public).secret == "" != ring.own.secret
    assert ring.own.secret not in repr(ring.own)
    assert ring.own.secret not in public.read_text()


def test_key_files_are_certificates_as_other_zeromq_tools_write_and_read_them(ring: KeyRing, tmp_path: Path) -> None:
    from zmq.auth import create_certificates, load_certificate

    assert load_certificate(ring.folder / "anna.key") == (ring.own.public.encode(), ring.own.secret.encode())
    public, _ = create_certificates(tmp_path, "foreign")
    assert read_key(Path(public)).public.encode() == load_certificate(public)[0]


def test_a_folder_has_one_pair_that_is_never_overwritten(ring: KeyRing) -> None:
    before = ring.own
    with pytest.raises(NoKey, match="holds a key pair already"):
        ring.new("ben")
    assert ring.own == before


def test_trusted_keys_are_found_by_name(ring: KeyRing, tmp_path: Path) -> None:
    ben, carla = other(tmp_path, "ben"), other(tmp_path, "carla")
    for key in (carla, ben, ben):
        ring.trust(key)
    assert list(ring.trusted()) == ["ben", "carla"]
    assert ring.trusted()["ben"].public == ben.public


def test_a_second_key_of_a_trusted_name_is_refused(ring: KeyRing, tmp_path: Path) -> None:
    ring.trust(other(tmp_path, "ben"))
    with pytest.raises(NoKey, match="another key is trusted as 'ben'"):
        ring.trust(Key("ben", other(tmp_path, "carla").public))


@pytest.mark.parametrize("name", ["", "..", "../up", "a/b", "a b", ".hidden", "x" * 81, "a\nb"])
def test_names_that_would_leave_the_folder_or_cannot_be_files_are_refused(ring: KeyRing, name: str) -> None:
    with pytest.raises(NoKey, match="name of a key"):
        ring.trust(Key(name, ring.own.public))
    with pytest.raises(NoKey):
        KeyRing(ring.folder / "new").new(name)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "public-key = 3",
        'public-key = "short"',
        f'public-key = "{"#" * 40}"',
        f'public-key = "{"é" * 40}"',
        "\0" * 99,
    ],
)
def test_files_that_hold_no_key_are_told_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.pub"
    path.write_text(text)
    with pytest.raises(NoKey, match=r"bad\.pub holds no key"):
        read_key(path)


def test_files_that_are_not_there_are_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(NoKey, match="No such file"):
        read_key(tmp_path / "none.pub")
    with pytest.raises(NoKey, match="Is a directory"):
        read_key(tmp_path)
    with pytest.raises(NoKey, match="no key pair"):
        _ = KeyRing(tmp_path).own
    (tmp_path / "file").write_text("")
    with pytest.raises(NoKey, match=r"Not a directory|File exists"):
        KeyRing(tmp_path / "file").new("anna")


def test_a_pair_without_its_secret_half_and_a_folder_with_two_are_refused(ring: KeyRing) -> None:
    secret = ring.folder / "anna.key"
    whole = secret.read_text()
    secret.write_text((ring.folder / "anna.pub").read_text())
    with pytest.raises(NoKey, match="no secret key"):
        _ = ring.own
    secret.write_text(whole)
    (ring.folder / "ben.key").write_text(whole)
    with pytest.raises(NoKey, match="more than one"):
        _ = ring.own


def test_one_unreadable_trusted_file_does_not_shut_out_the_others(ring: KeyRing, tmp_path: Path) -> None:
    ring.trust(other(tmp_path, "ben"))
    (ring.folder / "trusted" / "bad.pub").write_text("garbage")
    assert list(ring.trusted()) == ["ben"]


def test_keys_decode_as_zeromq_decodes_them() -> None:
    for _ in range(20):
        public, _ = zmq.curve_keypair()
        assert decode_key(public.decode()) == z85.decode(public)
    assert decode_key("#" * 40) is None
    assert decode_key("a" * 39) is None


def test_the_key_of_a_server_is_the_named_one_the_one_of_its_host_or_the_only_one(
    ring: KeyRing, tmp_path: Path
) -> None:
    assert ring.server("", "lab").name == "anna"  # nobody else is known: it is ours, on this machine
    ring.trust(other(tmp_path, "ben"))
    assert ring.server("", "lab").name == "ben"
    assert ring.server("anna", "lab").name == "anna"
    ring.trust(Key("lab", other(tmp_path, "carla").public))
    assert ring.server("", "lab").name == "lab"
    with pytest.raises(NoKey, match="anna, ben, lab"):
        ring.server("", "elsewhere")
    with pytest.raises(NoKey, match="no key 'dora'"):
        ring.server("dora", "lab")


def test_the_environment_names_the_keys_of_a_client(ring: KeyRing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(keys.FOLDER_VARIABLE, raising=False)
    assert keys.chosen(None) is None
    assert keys.chosen(ring.folder) == Keys(ring.folder)
    monkeypatch.setenv(keys.FOLDER_VARIABLE, str(ring.folder))
    monkeypatch.setenv(keys.SERVER_VARIABLE, "lab")
    assert keys.chosen(None) == Keys(str(ring.folder), "lab")
    given = Keys(ring.folder, "ben")
    assert keys.chosen(given) is given


def test_a_module_on_another_machine_is_not_spoken_to_in_the_clear(ring: KeyRing, tmp_path: Path) -> None:
    ours = Keys(ring.folder)
    assert ours.for_foreign_server(parse("tcp://127.0.0.1:9")) is None
    with pytest.raises(NoKey, match="trust FILE --name lab"):
        ours.for_foreign_server(parse("tcp://lab:9"))
    carla = other(tmp_path, "carla")
    ring.trust(Key("lab", carla.public))
    lock = ours.for_foreign_server(parse("tcp://lab:9"))
    assert lock is not None
    assert lock.server.public == carla.public


def test_keys_are_kept_with_the_other_settings_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "coopsim" / "keys"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    assert default_folder() == Path.home() / ".config" / "coopsim" / "keys"


def test_who_has_no_home_is_told_to_name_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(NoKey, match="Permission denied") as refusal:
        KeyRing(tmp_path / "nonexistent").new("anna")
    assert refusal.value.cure is not None
    assert "--folder FOLDER" in refusal.value.cure
