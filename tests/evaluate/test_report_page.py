from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from edu_cli.evaluate.html import to_html

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MEAN = {"mean": 0.5, "low": 0.4, "high": 0.6}


def report(n=3, **parts):
    rows = [
        {
            "id": f"q{i}",
            "question": f"第 {i} 个问题</script><b>",
            "measures": {"nDCG@10": i / n},
            "confidence": 0.5,
            "answerable": True,
            "tags": ["fee"] if i else [],
            "relevant": [{"doc": "a.md", "grade": 1, "found_at": i or None}],
            "lost": None if i else "cut",
            "hits": [{"doc": "a.md", "section": ["一"], "page": None, "score": 0.5, "snippet": "片段", "fits": True}],
        }
        for i in range(n)
    ]
    return {
        "dataset": "set.jsonl", "questions": n, "invalid": [], "warnings": [], "encoder": None, "corpus_hash": "abc",
        "seed": 0, "rules": ["一条规则"], "per_question": rows,
        "retrieval": {
            "judged": n, "unjudged": 0, "default": "hybrid", "measures": {"nDCG@10": MEAN}, "slices": {},
            "lost": {"k": 10, "counts": {}, "meanings": {}, "questions": {}},
        },
        "calibration": {"n": n, "ece": 0.1, "bins": [{"low": 0, "high": 0.1, "n": n, "confidence": 0.1, "right": 0.2}]},
        **parts,
    }  # fmt: skip


def test_the_page_needs_nothing_from_outside():
    page = to_html(report())
    assert not re.search(r"(?:src|href)=", page)
    assert "default-src 'none'" in page
    assert "<!--" not in page
    assert page.count("edu eval: set.jsonl") == 2


def test_a_verdict_shows_what_the_gates_said():
    gate = {"measure": "nDCG@10", "wanted": 0.9, "got": 0.5, "ok": False, "note": "", "p": None}
    assert "1 of 1 gates failed" in to_html(report(gates=[gate]))
    assert "gates failed" not in to_html(report())


def test_the_confidence_is_drawn_before_and_after_a_fit():
    part = report()["calibration"]
    page = to_html(report(calibration={**part, "fit": {"before": part, "after": {**part, "ece": 0.02}}}))
    assert "before: error 0.100" in page
    assert "after: error 0.020" in page


def test_a_report_without_questions_or_parts_is_a_page():
    bare = report(0)
    del bare["retrieval"], bare["calibration"]
    assert "<svg" not in to_html(bare)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_chromium_shows_the_worst_question_first(tmp_path):
    page = tmp_path / "report.html"
    page.write_text(to_html(report()), encoding="utf-8")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom")
    ran = subprocess.run([CHROMIUM, *flags, page.as_uri()], capture_output=True, timeout=120)
    shown = ran.stdout.decode("utf-8")
    questions = re.findall(r"<summary>(.*?) <span", shown)
    assert questions == [f"第 {i} 个问题&lt;/script&gt;&lt;b&gt;" for i in (0, 1, 2)]
    assert "3 of 3" in shown
    assert re.search(r'<option value="cut">', shown)
