"""The prompts: a project's own `prompts/NAME.md` before the built-in one; `$name` placeholders."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from string import Template

from edu_cli.errors import ConfigError
from edu_cli.text import content_id

_PACKAGE = Path(__file__).parent
# the wheel carries the prompts inside the package; a checkout has them beside it
_BUILT_IN = next((p for p in (_PACKAGE / "_prompts", _PACKAGE.parent / "prompts") if p.is_dir()), _PACKAGE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text and where it came from; `version` changes with the text, so caches and traces can name it."""

    name: str
    text: str
    source: str

    @property
    def version(self) -> str:
        """Eight hex digits of the text's hash."""
        return content_id(self.text)[:8]

    def fill(self, **values: str) -> str:
        """The text with its placeholders filled. Raises ConfigError for a placeholder that does not exist."""
        try:
            return Template(self.text).substitute(values)
        except (KeyError, ValueError) as error:
            known = ", ".join(f"${name}" for name in values) or "none"
            raise ConfigError(
                f"{self.source} has a placeholder that cannot be filled ({error}); it may use {known}.",
                hint="write $$ for a dollar sign",
            ) from error


def is_override(path: str) -> bool:
    """Whether a file at `path`, relative to the project, stands in for a built-in prompt."""
    folder, _, name = path.rpartition("/")
    return folder == "prompts" and name != "" and (_BUILT_IN / name).is_file()


def load_prompt(name: str, project_prompts: Path | None, suffix: str = ".md") -> Prompt:
    """The prompt NAME of the project, else the built-in one. Raises ConfigError where it cannot be read or is empty."""
    own = project_prompts / f"{name}{suffix}" if project_prompts else None
    path = own if own and own.exists() else _BUILT_IN / f"{name}{suffix}"
    try:
        raw = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The prompt {path} cannot be read: {error}.", hint=f"mend or remove {path}") from error
    text = re.sub(r"<!--.*?-->", "", raw, flags=re.DOTALL).strip()
    if not text:
        raise ConfigError(f"The prompt {path} is empty.", hint=f"remove {path} to use the built-in one")
    return Prompt(name, text, str(path))
