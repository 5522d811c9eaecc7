from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from PIL import Image

from edu_cli.evaluate.html import to_html

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MEAN = {"mean": 0.5, "low": 0.4, "high": 0.6}
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def question(i, n):
    return {
        "id": f"q{i}",
        "question": f"第 {i} 个问题</script><b>",
        "measures": {"nDCG@10": i / n},
        "confidence": 0.5,
        "answerable": True,
        "tags": ["fee"] if i else [],
        "relevant": [{"doc": "a.md", "grade": 1, "found_at": i or None}],
        "lost": None if i else "cut",
        "wrong": [] if i else [{"kind": "lost", "text": "no relevant hit <i>"}],
        "hits": [{"doc": "a.md", "section": ["一"], "page": None, "score": 0.5, "snippet": "片段", "fits": True}],
        "answer": {"text": "答案", "failure": "", "refused": False, "route": "rag", "strategy": None, "mode": "x"},
        "reference": ["参考"],
    }


def report(n=3, **parts):
    measures = {"nDCG@10": MEAN, "Recall@10": MEAN}
    return {
        "dataset": "set.jsonl", "questions": n, "invalid": [], "warnings": [], "encoder": None, "corpus_hash": "abc",
        "seed": 0, "settings": {}, "rules": ["一条规则"], "per_question": [question(i, n) for i in range(n)],
        "retrieval": {
            "judged": n, "unjudged": 0, "default": "hybrid", "measures": measures, "grains": {}, "found_by": {},
            "slices": {"tag:fee": {"n": 2, "measures": measures}, "tag:faq": {"n": 1, "measures": measures}},
            "lost": {"k": 10, "counts": {}, "meanings": {}, "questions": {}},
        },
        "calibration": {"n": n, "ece": 0.1, "bins": [{"low": 0, "high": 0.1, "n": n, "confidence": 0.1, "right": 0.2}]},
        **parts,
    }  # fmt: skip


def test_the_page_needs_nothing_from_outside():
    page = to_html(report())
    assert not re.search(r"src=|https?://|url\(", page)
    assert "default-src 'none'" in page
    assert "<!--" not in page
    assert page.count("edu eval: set.jsonl") == 2
    links = set(re.findall(r'href="([^"]*)"', page))
    assert links == {"#questions", "#charts", "#figures", "#rules"}
    assert all(f'id="{link[1:]}"' in page for link in links)


def test_a_verdict_shows_what_the_gates_said():
    gate = {"measure": "nDCG@10", "wanted": 0.9, "got": 0.5, "ok": False, "note": "", "p": None}
    assert "1 of 1 gates failed" in to_html(report(gates=[gate]))
    assert "gates failed" not in to_html(report())


def test_the_confidence_is_drawn_before_and_after_a_fit():
    part = report()["calibration"]
    page = to_html(report(calibration={**part, "fit": {"before": part, "after": {**part, "ece": 0.02}}}))
    assert "right before the fit (error 0.100, 3 cases)" in page
    assert "right after the fit (error 0.020, 3 cases)" in page


def test_a_report_without_questions_or_parts_is_a_page():
    bare = report(0)
    del bare["retrieval"], bare["calibration"]
    assert "<svg" not in to_html(bare)


def test_a_gate_that_failed_stands_out_and_the_baseline_is_compared():
    gate = {"measure": "nDCG@10", "wanted": 0.9, "got": 0.5, "ok": False, "note": "", "p": None}
    compared = {
        "questions": 3, "only_here": 0, "only_there": 0, "changed": ["search.mode was its default and is bm25"],
        "measure": "nDCG@10", "better": 0, "worse": 1, "worst": [{"id": "q1", "before": 1.0, "now": 0.3}],
    }  # fmt: skip
    page = to_html(report(gates=[gate], baseline=compared))
    assert '<tr class="failed"><td class="words">nDCG@10' in page
    assert "search.mode was its default and is bm25" in page
    assert page.count(">q1<") == 1


def chromium(tmp_path, page, *flags):
    base = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={tmp_path / 'profile'}",
    )
    return subprocess.run([CHROMIUM, *base, *flags, page.as_uri()], capture_output=True, timeout=120)


@pytest.mark.slow
@needs_chromium
def test_chromium_shows_the_worst_question_first(tmp_path):
    page = tmp_path / "report.html"
    page.write_text(to_html(report()), encoding="utf-8")
    shown = chromium(tmp_path, page, "--dump-dom").stdout.decode("utf-8")
    questions = re.findall(r"<summary>(.*?) <span", shown)
    assert questions == [f"第 {i} 个问题&lt;/script&gt;&lt;b&gt;" for i in (0, 1, 2)]
    assert "3 of 3" in shown
    assert re.search(r'<option value="lost">answer not found', shown)
    assert "no relevant hit &lt;i&gt;" in shown


@pytest.mark.slow
@needs_chromium
def test_the_filters_keep_what_they_say(tmp_path):
    page = tmp_path / "report.html"
    clicks = """<script>
      pick("kind").value = "*"; pick("kind").dispatchEvent(new Event("input"));
      document.title = pick("shown").textContent;
      pick("kind").value = ""; pick("tag").value = "fee"; pick("tag").dispatchEvent(new Event("input"));
      document.title += "; " + pick("shown").textContent;
      pick("words").value = "第 2"; pick("words").dispatchEvent(new Event("input"));
      document.title += "; " + pick("shown").textContent;
    </script></body>"""
    page.write_text(to_html(report()).replace("</body>", clicks), encoding="utf-8")
    shown = chromium(tmp_path, page, "--dump-dom").stdout.decode("utf-8")
    assert re.search("<title>(.*?)</title>", shown)[1] == "1 of 3; 2 of 3; 1 of 3"


@pytest.mark.slow
@needs_chromium
def test_a_photograph_of_the_page_shows_bars_gates_and_questions(tmp_path):
    gate = {"measure": "nDCG@10", "wanted": 0.9, "got": 0.5, "ok": False, "note": "", "p": None}
    page, picture = tmp_path / "report.html", tmp_path / "report.png"
    page.write_text(to_html(report(gates=[gate])), encoding="utf-8")
    chromium(tmp_path, page, "--window-size=1200,1600", f"--screenshot={picture}")
    with Image.open(picture) as image:
        colours = {colour: n for n, colour in image.convert("RGB").getcolors(1200 * 1600)}
    bar, failed = (0x3F, 0x78, 0xB5), (0xC0, 0x39, 0x2B)
    assert colours[bar] > 10_000, "the bars are drawn"
    assert colours[failed] > 300, "what failed is red"
    assert colours[255, 255, 255] > 1_000_000, "the page is light and not crowded"
