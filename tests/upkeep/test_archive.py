from __future__ import annotations

import json
import stat
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edu_cli.errors import EduError, StoreError, UsageError
from edu_cli.upkeep.archive import extract, may_be_kept, read_contents, write_archive


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    catalog = tmp_path / "c"
    catalog.write_bytes(b"catalog" * 1000)
    prompt = tmp_path / "p"
    prompt.write_text("提示", encoding="utf-8")
    write_archive(tmp_path / "b.zip", {"catalog.sqlite": catalog, "prompts/x.md": prompt}, {"n": 1}, "2031-01-02")
    return tmp_path / "b.zip"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def _altered(backup: Path, name: str, data: bytes, *, announced: bool) -> Path:
    """A copy with one more entry."""
    target = backup.with_name("altered.zip")
    with zipfile.ZipFile(backup) as old, zipfile.ZipFile(target, "w") as new:
        about = json.loads(old.read("backup.json"))
        if announced:
            about["files"][name] = {"bytes": len(data), "sha256": "0" * 64}
        new.writestr("backup.json", json.dumps(about))
        for other in old.namelist()[1:]:
            new.writestr(other, old.read(other))
        new.writestr(name, data)
    return target


def test_what_goes_in_comes_out(backup: Path, folder: Path) -> None:
    contents = extract(backup, folder)
    assert (contents.created, contents.facts) == ("2031-01-02", {"n": 1})
    assert (folder / "catalog.sqlite").read_bytes() == b"catalog" * 1000
    assert (folder / "prompts" / "x.md").read_text(encoding="utf-8") == "提示"
    assert not list(backup.parent.glob("*.part"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_only_its_owner_may_read_a_backup(backup: Path) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "name",
    [
        "../evil.txt",
        "/etc/evil.txt",
        "a/../../evil.txt",
        "..\\evil.txt",
        "C:\\evil.txt",
        "prompts/../../evil.md",
        ".env",
        ".git/hooks/pre-commit",
        ".hidden/terms.txt",
        "prompts/.x.md",
        "setup.py",
        "terms.txt/",
    ],
)
def test_names_that_no_backup_holds_are_refused_and_nothing_is_written(name: str, backup: Path, folder: Path) -> None:
    for announced in (True, False):
        with pytest.raises(StoreError, match="no backup of edu holds"):
            extract(_altered(backup, name, b"x", announced=announced), folder)
    assert not list(folder.iterdir())


@given(st.text(alphabet="ab./\\:~ \x00\n.txtmd-", min_size=1, max_size=30))
def test_a_name_that_may_be_kept_stays_below_the_project(name: str) -> None:
    if may_be_kept(name):
        assert not {"", ".", ".."} & set(name.split("/"))
        assert not any(part.startswith(".") for part in name.split("/"))
        assert not set(name) & set("\\:~\x00\n")


def test_an_entry_that_is_not_what_was_announced_is_damage(backup: Path, folder: Path) -> None:
    with pytest.raises(StoreError, match="is damaged"):
        extract(_altered(backup, "terms.txt", b"x", announced=True), folder)


def test_an_entry_that_was_not_announced_or_comes_twice_is_damage(backup: Path) -> None:
    with pytest.raises(StoreError, match="list of files"):
        read_contents(_altered(backup, "terms.txt", b"x", announced=False))
    with pytest.warns(UserWarning, match="Duplicate"):
        altered = _altered(backup, "prompts/x.md", b"x", announced=False)
    with pytest.raises(StoreError, match="list of files"):
        read_contents(altered)


def test_a_newer_format_says_how_to_read_it(backup: Path) -> None:
    with zipfile.ZipFile(backup) as old:
        about = json.loads(old.read("backup.json"))
    with zipfile.ZipFile(backup, "w") as new:
        new.writestr("backup.json", json.dumps({**about, "format": 99}))
    with pytest.raises(UsageError, match="format 99") as caught:
        read_contents(backup)
    assert "pip install -U" in caught.value.hint


def test_what_is_no_backup_is_a_usage_error(tmp_path: Path) -> None:
    text = tmp_path / "x.txt"
    text.write_text("text")
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("a.txt", "a")
    for path in (text, other, tmp_path, tmp_path / "absent.zip"):
        with pytest.raises(UsageError):
            read_contents(path)


def test_no_flipped_bit_and_no_cut_is_taken_for_a_backup(backup: Path, tmp_path: Path) -> None:
    whole = backup.read_bytes()
    damaged = tmp_path / "damaged.zip"
    expected = (b"catalog" * 1000, "提示".encode())
    for i in range(0, len(whole), 7):
        for variant in (whole[:i], whole[:i] + bytes([whole[i] ^ 16]) + whole[i + 1 :]):
            damaged.write_bytes(variant)
            out = tmp_path / f"out-{i}-{len(variant)}"
            out.mkdir()
            try:
                extract(damaged, out)
            except EduError:
                continue
            found = ((out / "catalog.sqlite").read_bytes(), (out / "prompts" / "x.md").read_bytes())
            assert found == expected  # the flip hit what does not matter, such as a time


def test_a_folder_that_does_not_exist_leaves_no_draft(tmp_path: Path) -> None:
    source = tmp_path / "c"
    source.write_bytes(b"")
    with pytest.raises(StoreError):
        write_archive(tmp_path / "absent" / "b.zip", {"catalog.sqlite": source}, {}, "")


def test_every_piece_that_is_packed_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Shown:
        total, done = None, 0

        def start(self, stage: str, total: int | None) -> None:
            self.total = total

        def advance(self, stage: str, n: int = 1) -> None:
            self.done += n

        def note(self, message: str) -> None:
            raise AssertionError(message)

    monkeypatch.setattr("edu_cli.upkeep.archive._PIECE", 100)
    (tmp_path / "a").write_bytes(b"x" * 250)
    (tmp_path / "b").write_bytes(b"")
    shown = Shown()
    write_archive(tmp_path / "b.zip", {"catalog.sqlite": tmp_path / "a", "edu.toml": tmp_path / "b"}, {}, "", shown)
    assert (shown.total, shown.done) == (3, 3)
    (tmp_path / "out").mkdir()
    assert extract(tmp_path / "b.zip", tmp_path / "out").files["catalog.sqlite"][0] == 250
