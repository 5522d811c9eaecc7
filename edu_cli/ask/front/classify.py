"""Question -> about the course, or general knowledge. A missed course question costs more than a needless search."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from edu_cli.ask.front.classifier import NgramClassifier, TextClassifier, load_classifier
from edu_cli.ask.verification.terms import plain

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_MODEL = Path(__file__).with_name("route_model.npz")  # written by train/fit_route.py
GENERAL_FROM = 0.85  # below this probability a question counts as one about the course
# Words of running a course: whoever says them asks about this one. None of them is a word of any subject.
_COURSE = re.compile(
    r"你们|贵校|贵机构|咱们(?:学校|班|课)|报名|学费|退费|退款|开班|试听|学员|班主任|助教|校区|选课|补课|缺课|请假|考勤|结业|结课|"
    r"授课|课程大纲|教学大纲|考核方式|平时分|总评|本课程|这门课|本课|该课程|课程安排|答疑"
)
_CODING = re.compile(r"代码|写(?:一|个)|sql|函数|报错|算法|程序|脚本|编程|表(?:里|中)|数据库|怎么设计|去重")


@dataclass(frozen=True, slots=True)
class Classified:
    """`course` or `general`, how sure, and what decided: a rule or the classifier."""

    label: str
    probability: float
    how: str


@dataclass(frozen=True, slots=True)
class QuestionVectors:
    """Vectors of questions by the encoder of this name."""

    encoder: str
    encode: Callable[[Sequence[str]], npt.NDArray[np.float32]]


def classify(question: str, model: TextClassifier, vectors: QuestionVectors | None = None) -> Classified:
    """Rules first, then the classifier, whose `general` counts from GENERAL_FROM; `vectors` help one made with them."""
    text = plain(question)
    word = _COURSE.search(text)
    if word and not _CODING.search(text):
        return Classified("course", 1.0, f"rule: {word[0]}")
    general = _probabilities(question, model, vectors).get("general", 0.0)
    label = "general" if general >= GENERAL_FROM else "course"
    return Classified(label, general if label == "general" else 1 - general, f"classifier: general {general:.2f}")


def _probabilities(question: str, model: TextClassifier, vectors: QuestionVectors | None) -> dict[str, float]:
    if vectors and isinstance(model, NgramClassifier) and model.joint and model.joint.encoder == vectors.encoder:
        return model.probabilities(question, vectors.encode([question])[0])
    return model.probabilities(question)


@functools.lru_cache(maxsize=4)
def route_model(own: Path | None = None) -> TextClassifier:
    """The project's own classifier, else the bundled one."""
    return load_classifier(own if own and own.exists() else _MODEL)
