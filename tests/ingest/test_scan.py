from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest
from ingest_project import deny_listing

from edu_cli.errors import UsageError
from edu_cli.ingest.scan import scan, shown

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX names and links")


def _write(path: Path, text: str = "正文") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _rels(folder: Path) -> list[str]:
    return [found.rel for found in scan(folder).files]


def _reasons(folder: Path) -> dict[str, str]:
    return {skipped.rel: skipped.reason for skipped in scan(folder).skipped}


def test_files_come_sorted_with_their_stat(tmp_path: Path) -> None:
    for name in ("乙.md", "甲/丙.txt", "a.pdf"):
        _write(tmp_path / name)
    found = scan(tmp_path).files
    assert [file.rel for file in found] == ["a.pdf", "乙.md", "甲/丙.txt"]
    info = found[0].path.stat()
    assert (found[0].size, found[0].mtime_ns, found[0].inode) == (info.st_size, info.st_mtime_ns, info.st_ino)


def test_a_single_file_has_its_name_for_its_path(tmp_path: Path) -> None:
    assert _rels(_write(tmp_path / "深" / "讲义.md")) == ["讲义.md"]


def test_a_file_that_is_named_is_read_though_it_is_hidden(tmp_path: Path) -> None:
    assert _rels(_write(tmp_path / ".隐藏讲义.md")) == [".隐藏讲义.md"]


def test_a_path_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"没有\.md"):
        scan(tmp_path / "没有.md")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("~$讲义.docx", "a lock or shadow file of an office program"),
        ("._讲义.pdf", "a lock or shadow file of an office program"),
        (".DS_Store", "a hidden file"),
        ("Thumbs.db", "a file of the operating system"),
        ("资料.rar", "an archive: unpack it first"),
        ("录像.mp4", "sound or video"),
        ("题库.jsonl", "a data file"),
        ("程序.exe", "a program"),
    ],
)
def test_what_is_no_document_is_skipped_with_its_reason(tmp_path: Path, name: str, reason: str) -> None:
    _write(tmp_path / name)
    assert _reasons(tmp_path) == {name: reason}


def test_folders_of_tools_are_not_entered(tmp_path: Path) -> None:
    for folder in (".git", ".edu", "node_modules", "__MACOSX"):
        _write(tmp_path / folder / "a.md")
    assert _rels(tmp_path) == []
    assert len(_reasons(tmp_path)) == 4


def test_empty_documents_are_kept_to_fail_by_name_but_empty_code_is_skipped(tmp_path: Path) -> None:
    for name in ("空.pdf", "__init__.py", "无名"):
        (tmp_path / name).touch()
    assert _rels(tmp_path) == ["空.pdf"]
    assert set(_reasons(tmp_path)) == {"__init__.py", "无名"}


def test_unknown_extensions_are_judged_by_their_first_bytes(tmp_path: Path) -> None:
    _write(tmp_path / "说明.readme", "这是文字")
    (tmp_path / "数据.dat").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "扫描件").write_bytes(b"%PDF-1.4 ...")
    assert _rels(tmp_path) == ["扫描件", "说明.readme"]
    assert _reasons(tmp_path) == {"数据.dat": "a binary file of an unknown kind"}


@posix_only
def test_awkward_names_are_found(tmp_path: Path) -> None:
    names = ["带 空格.md", "😀.md", "引'号\".md", "反\\斜.md", "换\n行.md", "-横.md", "结尾 .md", "汉" * 83 + ".md"]
    for name in names:
        _write(tmp_path / name)
    assert _rels(tmp_path) == sorted(names)


@posix_only
def test_names_that_are_no_utf8_can_be_read_and_shown(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + "/讲义".encode() + b"\xbd\xb2.md"
    try:
        with open(raw, "wb") as file:  # noqa: PTH123 - a name of bytes
            file.write(b"x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    found = scan(tmp_path).files[0]
    assert found.rel == "讲义\\xbd\\xb2.md"
    assert found.path.read_bytes() == b"x"


@posix_only
def test_links_never_loop_and_a_file_is_read_once(tmp_path: Path) -> None:
    _write(tmp_path / "a" / "正文.md")
    (tmp_path / "a" / "b").mkdir()
    (tmp_path / "a" / "b" / "回环").symlink_to("..")
    (tmp_path / "自指.md").symlink_to("自指.md")
    (tmp_path / "断链.pdf").symlink_to("不存在.pdf")
    (tmp_path / "别名.md").symlink_to("a/正文.md")
    assert _rels(tmp_path) == ["a/正文.md"]
    assert _reasons(tmp_path) == {
        "a/b/回环": "a symbolic link to a folder that is read already",
        "自指.md": "a symbolic link to itself",
        "断链.pdf": "a broken symbolic link",
        "别名.md": "a symbolic link to a/正文.md, which is read there",
    }


@posix_only
def test_links_out_of_the_folder_are_followed_once(tmp_path: Path) -> None:
    outside = _write(tmp_path / "外" / "x.md")
    inside = tmp_path / "内"
    inside.mkdir()
    (inside / "一").symlink_to(outside.parent)
    (inside / "二").symlink_to(outside.parent)
    (inside / "三.md").symlink_to(outside)
    assert _rels(inside) == ["一/x.md"]


@posix_only
def test_hard_links_are_files_of_their_own(tmp_path: Path) -> None:
    first = _write(tmp_path / "一.md")
    os.link(first, tmp_path / "二.md")
    assert _rels(tmp_path) == ["一.md", "二.md"]


@posix_only
def test_pipes_and_sockets_are_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "管道.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "s.md"))
        assert _reasons(tmp_path) == {"管道.md": "a named pipe", "s.md": "a socket"}


def test_a_folder_that_may_not_be_listed_is_unseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path / "锁" / "a.md")
    _write(tmp_path / "b.md")
    deny_listing(monkeypatch, tmp_path / "锁")
    found = scan(tmp_path)
    assert [file.rel for file in found.files] == ["b.md"]
    assert [(place.rel, place.reason) for place in found.unseen] == [
        ("锁", "the folder cannot be listed (Permission denied)")
    ]


def test_valid_names_are_shown_verbatim() -> None:
    assert shown("讲义\n😀.md") == "讲义\n😀.md"
