"""Every setting: one frozen section a stage, each field with its unit, meaning and bounds.

`.env.example`, `edu config` and the README come from here; config.py loads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


def _setting(
    default: Any,
    about: str,
    *,
    unit: str = "",
    env: str = "",
    secret: bool = False,
    choices: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
    runs: bool = False,
) -> Any:
    meta = {"about": about, "unit": unit, "env": env, "secret": secret, "choices": choices, "low": low, "high": high}
    meta["runs"] = runs  # a program may be started by it, so that a project's own files must not set it
    return field(default=default, metadata=meta)


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """How files are found, loaded and split."""

    ocr: str = _setting("auto", "when pages and pictures are read by OCR", choices=("auto", "always", "never"))
    profile: str = _setting(
        "auto", "how text is split", choices=("auto", "general", "technical", "legal", "code", "exam")
    )
    jobs: int = _setting(0, "files loaded at once; 0 means one a core", unit="processes", low=0, high=256)
    max_file_mb: int = _setting(200, "larger files are refused", unit="MB", low=1, high=100_000)
    timeout_s: int = _setting(
        300,
        "a file is given up when none of its pages or pictures is done for so long",
        unit="seconds",
        low=1,
        high=86_400,
    )
    pdf_password: str = _setting("", "opens encrypted PDFs and Office files", env="EDU_PDF_PASSWORD", secret=True)


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """Sizes of parents and children; 0 takes the profile's own."""

    parent_chars: int = _setting(0, "longest parent; 0 takes the profile's", unit="characters", low=0, high=20_000)
    child_chars: int = _setting(0, "longest child; 0 takes the profile's", unit="characters", low=0, high=8_000)


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """Which model turns text into vectors."""

    name: str = _setting(
        "auto",
        "auto takes bge-m3 where its weights are on this machine, else e5-small",
        env="EDU_ENCODER",
        choices=("auto", "e5-small", "bge-m3", "none"),
    )
    bge_m3: str = _setting("BAAI/bge-m3", "hub id or local folder of BGE-M3", env="EDU_BGE_M3")
    device: str = _setting("auto", "auto takes CUDA, then MPS, then the CPU", env="EDU_DEVICE")
    threads: int = _setting(0, "threads of the bundled encoder; 0 means one a core", unit="threads", low=0, high=256)
    max_tokens: int = _setting(512, "longest text that BGE-M3 reads at once", unit="tokens", low=16, high=8192)
    batch_tokens: int = _setting(8192, "tokens BGE-M3 encodes at once", unit="tokens", low=64, high=1_000_000)


@dataclass(frozen=True, slots=True)
class MilvusSettings:
    """Where the vectors are kept."""

    uri: str = _setting("", "a server, as http://host:19530; empty means Milvus Lite in .edu/", env="EDU_MILVUS_URI")
    token: str = _setting("", "user:password or API key of the server", env="EDU_MILVUS_TOKEN", secret=True)
    database: str = _setting("", "database on the server; empty means its default", env="EDU_MILVUS_DATABASE")
    ca: str = _setting(
        "",
        "file with the certificate (PEM) of the authority behind an https server, relative to the project; "
        "empty means the well-known ones",
        env="EDU_MILVUS_CA",
    )
    timeout_s: float = _setting(10.0, "longest wait for the server", unit="seconds", low=0.1, high=600)


@dataclass(frozen=True, slots=True)
class LexicalSettings:
    """BM25 over jieba words (Lucene's variant)."""

    k1: float = _setting(1.5, "how fast repeats of a word stop counting", low=0.0, high=10.0)
    b: float = _setting(0.75, "how much long texts are held back", low=0.0, high=1.0)
    user_dict: str = _setting("", "file with one course term a line, relative to the project")


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Retrieval, fusion and reranking."""

    k: int = _setting(10, "hits shown", unit="hits", low=1, high=1000)
    mode: str = _setting("hybrid", "which legs search", choices=("hybrid", "dense", "sparse", "bm25"))
    fusion: str = _setting("auto", "auto weighs the legs a question; rrf ignores scores", choices=("auto", "rrf"))
    pool: int = _setting(100, "children that each leg brings", unit="children", low=10, high=1000)
    reranker: str = _setting(
        "auto",
        "auto: the bundled one, in ask, where e5-small encodes; one that is named reads in search too; bge: its extra",
        env="EDU_RERANKER",
        choices=("auto", "bundled", "bge", "none"),
    )
    bge_reranker: str = _setting(
        "BAAI/bge-reranker-v2-m3", "hub id or local folder of the BGE reranker", env="EDU_BGE_RERANKER"
    )
    confidence_scale: float = _setting(
        1.0,
        "the confidence's log odds are multiplied by this; `edu eval --calibrate --write` sets it",
        low=0.0,
        high=100.0,
    )
    confidence_shift: float = _setting(
        0.0, "and shifted by this; `edu eval --calibrate --write` sets it", low=-100.0, high=100.0
    )


@dataclass(frozen=True, slots=True)
class AskSettings:
    """From passages to an answer."""

    threshold: float = _setting(
        0.4, "below this confidence no answer is given", env="EDU_ASK_THRESHOLD", low=0.0, high=1.0
    )
    passages: int = _setting(5, "passages given to the model", unit="passages", low=1, high=50)
    context_tokens: int = _setting(4000, "longest context given to the model", unit="tokens", low=200, high=1_000_000)
    contact: str = _setting("", "whom to ask when there is no answer, shown with a refusal", env="EDU_ASK_CONTACT")
    web_url: str = _setting("", "SearXNG address for --web, as https://host/search", env="EDU_WEB_SEARCH_URL")
    web_mcp: str = _setting(
        "",
        "MCP search server for --web: an http address, or a command that starts one (a command counts only where the "
        "environment sets it, never from a file of the project)",
        env="EDU_WEB_MCP",
        runs=True,
    )
    web_mcp_tool: str = _setting("", "its search tool; empty takes the one named so", env="EDU_WEB_MCP_TOOL")
    web_mcp_token: str = _setting("", "bearer token of that MCP server", env="EDU_WEB_MCP_TOKEN", secret=True)
    faq_offer: float = _setting(0.2, "an FAQ entry at least this likely is offered as did-you-mean", low=0.0, high=1.0)
    grade: str = _setting(
        "auto",
        "second looks of the LLM: auto rewrites a draft once where verification finds sentences without a ground; "
        "always grades each draft",
        env="EDU_ASK_GRADE",
        choices=("off", "auto", "always"),
    )
    grade_passages: str = _setting(
        "off", "whether the LLM drops passages that only look alike before it answers", choices=("off", "on")
    )
    traces: str = _setting("on", "whether the steps of answers are kept", choices=("on", "off"))


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """Any OpenAI-compatible endpoint; without a model, answers are extractive."""

    model: str = _setting("", "model name; empty means no LLM", env="EDU_LLM_MODEL")
    base_url: str = _setting("", "endpoint, as https://host/v1", env="OPENAI_BASE_URL")
    api_key: str = _setting("", "key of the endpoint", env="OPENAI_API_KEY", secret=True)
    timeout_s: float = _setting(60.0, "longest wait for a reply", unit="seconds", low=0.1, high=3600)
    retries: int = _setting(2, "tries after a failure that may pass", unit="tries", low=0, high=10)
    temperature: float = _setting(0.0, "randomness of answers", low=0.0, high=2.0)
    max_tokens: int = _setting(1024, "longest answer", unit="tokens", low=16, high=100_000)


@dataclass(frozen=True, slots=True)
class CacheSettings:
    """Where vectors and the built encoder are kept between runs."""

    dir: str = _setting("", "folder shared by projects; empty means the user's cache folder", env="EDU_CACHE_DIR")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, with where each one that is not a default came from (`section.key` -> source)."""

    ingest: IngestSettings = field(default_factory=IngestSettings)
    split: SplitSettings = field(default_factory=SplitSettings)
    encoder: EncoderSettings = field(default_factory=EncoderSettings)
    milvus: MilvusSettings = field(default_factory=MilvusSettings)
    lexical: LexicalSettings = field(default_factory=LexicalSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    ask: AskSettings = field(default_factory=AskSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    cache: CacheSettings = field(default_factory=CacheSettings)
    sources: Mapping[str, str] = field(default_factory=dict)
