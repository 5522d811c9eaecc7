"""Mixed asks, searches, ingests and edits against `edu serve`: `python bench/soak.py [--minutes 60]`, JSON out.

Commands of their own and connections that stay take turns; a writer adds, edits and removes files, ingests them, and
checks that the warm process finds what is new and no longer what is gone. The process's memory and open files are
sampled. Exits 1 where anything failed, or memory or files have grown between the second quarter and the last.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from edu_cli.ask.request import AskRequest
from edu_cli.config import load_settings
from edu_cli.project import Project
from edu_cli.serve.client import RemoteAsker, open_remote, reach
from edu_cli.types import SearchRequest

COURSE = Path(__file__).resolve().parents[1] / "corpus"
TOPICS = (
    "栈",
    "队列",
    "二叉树",
    "哈希表",
    "图的遍历",
    "动态规划",
    "事务",
    "索引",
    "死锁",
    "递归",
    "生成器",
    "异常处理",
)
QUESTIONS = (
    "怎样减少死锁？", "什么是第三范式？", "生成器和列表有什么区别？", "实验迟交一天扣多少分？", "退费要收多少手续费？",
    "你好", "量子纠缠是什么？", "混淆矩阵怎么看？", "比较元组和列表的异同", "国庆怎么调课？",
)  # fmt: skip
GROWTH = 1.10  # of the median between the second quarter and the last,
SLACK = 12  # and so many MB or files, which one more generation of the indexes being open explains


@dataclass
class Tally:
    """What happened; errors keep their first lines."""

    counts: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def timed(self, name: str, act: Callable[[], str | None]) -> None:
        """Runs one act; what it returns is an error."""
        start = time.perf_counter()
        try:
            error = act()
        except Exception as raised:  # noqa: BLE001 - an error is what is counted
            error = f"{type(raised).__name__}: {raised}"
        with self.lock:
            self.counts[name] += 1
            self.seconds.setdefault(name, []).append(time.perf_counter() - start)
            if error:
                self.errors.append(f"{name}: {error}"[:500])


class Soak:
    """One project, one warm process, and those who use it until `ends`."""

    def __init__(self, root: Path, encoder: str, minutes: float, pause_s: float, seed: int) -> None:
        self.project = Project(root)
        self.env = {**os.environ, "EDU_ENCODER": encoder, "EDU_ASK_THRESHOLD": "0.3"}
        self.tally = Tally()
        self.samples: list[dict[str, Any]] = []
        self.pause_s = pause_s
        self.seed = seed
        self.seconds = minutes * 60
        self.ends = 0.0

    def edu(self, *words: str, ok: tuple[int, ...] = (0,)) -> str | None:
        """Runs `edu`; its error where the exit code is none of `ok`."""
        done = subprocess.run(
            [sys.executable, "-m", "edu_cli", *words],
            check=False,
            cwd=self.project.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=600,
        )
        if done.returncode not in ok or "Traceback" in done.stderr:
            return f"exit {done.returncode}: {done.stderr.strip()}"
        if "this process answers by itself" in done.stderr:
            return f"not served: {done.stderr.strip()}"
        return None

    def connected(self) -> tuple[RemoteAsker, Any]:
        """A connection that stays."""
        return open_remote(self.project, load_settings(self.project.root, self.env))

    def commands(self, number: int) -> None:
        """Somebody at a shell."""
        chance = random.Random(self.seed + number)
        while time.monotonic() < self.ends:
            verb = chance.choice(("search", "ask", "ask"))
            words = [verb, chance.choice(QUESTIONS), "--json", "-v"]
            if verb == "ask" and chance.random() < 0.5:
                words.append("--no-cache")
            self.tally.timed(f"command {verb}", partial(self.edu, *words, ok=(0, 4)))
            time.sleep(chance.uniform(0.5, 1.5) * self.pause_s)

    def connections(self, number: int) -> None:
        """A program that holds a connection, and opens another now and then; some leave in the middle."""
        chance = random.Random(self.seed + 100 + number)
        while time.monotonic() < self.ends:
            asker, link = self.connected()
            for _ in range(chance.randint(1, 30)):
                question = chance.choice(QUESTIONS) + chance.choice(("", "请举例", "为什么"))
                if chance.random() < 0.7:
                    self.tally.timed("search", partial(self.searched, asker, question, chance.choice((3, 10, 50))))
                else:
                    self.tally.timed("ask", partial(self.asked, asker, question))
                time.sleep(chance.uniform(0.1, 0.5) * self.pause_s)
            link.close()
            if chance.random() < 0.2:
                self.tally.timed("left in the middle", self.leave_in_the_middle)

    def searched(self, asker: RemoteAsker, question: str, k: int) -> str | None:
        result = asker.search(SearchRequest(question, k=k))
        new = [warning for warning in result.warnings if "no encoder" not in warning]
        return f"{new}" if new else None

    def asked(self, asker: RemoteAsker, question: str) -> str | None:
        answer = asker.ask(AskRequest(question, cache=False))
        return None if answer.answer else "no answer"

    def leave_in_the_middle(self) -> None:
        link = reach(self.project)
        link._connection.sendall(b"\0\0\1\0{")
        link.close()

    def writer(self) -> None:
        """Adds, edits and removes files, and checks that the warm process knows."""
        chance = random.Random(self.seed + 200)
        files: dict[Path, str] = {}
        n = 0
        while time.monotonic() < self.ends:
            n += 1
            fresh = f"暗号{self.seed}之{n}"
            gone = None
            if files and chance.random() < 0.4:
                path, gone = chance.choice(list(files.items()))
                del files[path]
                if chance.random() < 0.5:
                    path.unlink()
                    path = self.project.root / "files" / f"讲义{n}.md"
            else:
                path = self.project.root / "files" / f"讲义{n}.md"
            if len(files) > 60:
                path, gone = next(iter(files.items()))
                del files[path]
            topic = chance.choice(TOPICS)
            path.write_text(
                f"# {topic}\n\n{topic}的补充材料，{fresh}。\n\n## 说明\n\n{fresh}只在这里。\n", encoding="utf-8"
            )
            files[path] = fresh
            self.tally.timed("ingest", partial(self.edu, "ingest", "files", "-q"))
            self.tally.timed("check", partial(self.checked, path.name, fresh, gone))
            if chance.random() < 0.2:
                self.tally.timed("faq", partial(self.edu, "faq", "add", f"{fresh}是什么？", f"第{n}讲。", "-q"))
            time.sleep(chance.uniform(3, 9) * self.pause_s)

    def checked(self, name: str, fresh: str, gone: str | None) -> str | None:
        asker, link = self.connected()
        try:
            found = asker.search(SearchRequest(fresh, k=5, mode="bm25"))
            if not any(fresh in passage.context for passage in found.passages):
                return f"{name} with {fresh} was not found"
            old = asker.search(SearchRequest(gone, k=5, mode="bm25")) if gone else None
            if old and any(f"{gone}。" in passage.context for passage in old.passages):
                return f"{gone} is gone and was found"
        finally:
            link.close()
        return None

    def sample(self) -> None:
        """The process's own facts, every few seconds."""
        start = time.monotonic()
        pause_s = max(0.5, min(10.0, self.seconds / 60))
        while time.monotonic() < self.ends:
            try:
                link = reach(self.project)
                facts = link.call("status")
                link.close()
            except Exception as error:  # noqa: BLE001
                self.tally.errors.append(f"status: {error}")
            else:
                self.samples.append({"at_s": round(time.monotonic() - start, 1), **facts})
            time.sleep(pause_s)

    def run(self) -> dict[str, Any]:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as said:  # a pipe that nobody reads would fill up
            server = subprocess.Popen(
                [sys.executable, "-m", "edu_cli", "serve", "-q", "--json"],
                cwd=self.project.root,
                env=self.env,
                stdout=subprocess.PIPE,
                stderr=said,
            )
            try:
                if server.stdout and server.stdout.readline():
                    self.use()
                is_alive = server.poll() is None
            finally:
                server.terminate()
                server.wait(60)
            said.seek(0)
            return self.report(is_alive, said.read())

    def use(self) -> None:
        """All users at once, until the end."""
        self.ends = time.monotonic() + self.seconds
        users = [threading.Thread(target=self.commands, args=(n,)) for n in range(2)]
        users += [threading.Thread(target=self.connections, args=(n,)) for n in range(2)]
        users += [threading.Thread(target=self.writer), threading.Thread(target=self.sample)]
        for user in users:
            user.start()
        for user in users:
            user.join()

    def report(self, is_alive: bool, said: str) -> dict[str, Any]:
        if not self.samples:
            raise SystemExit(said)
        last = self.samples[-1]
        rss = [one["rss_mb"] for one in self.samples if one["rss_mb"]]
        files = [one["files"] for one in self.samples if one["files"]]
        tally = self.tally
        return {
            "minutes": round(self.seconds / 60, 2),
            "machine": {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)},
            "ok": is_alive and not tally.errors and not said and is_flat(rss) and is_flat(files),
            "errors": len(tally.errors),
            "errors_by_kind": dict(Counter(tally.errors).most_common(20)),
            "server_said": said[-2000:],
            "server": {key: last[key] for key in ("requests", "errors", "opened", "seconds")},
            "rss_mb": spread(rss),
            "files": spread(files),
            "acts": {
                name: {"n": tally.counts[name], **percentiles(times)} for name, times in sorted(tally.seconds.items())
            },
            "samples": [[one["at_s"], one["rss_mb"], one["files"], one["opened"]] for one in thinned(self.samples)],
        }


def quarters(values: list[float]) -> list[list[float]]:
    step = max(1, len(values) // 4)
    return [values[at : at + step] or values[-1:] for at in (0, step, 2 * step, 3 * step)]


def is_flat(values: list[float]) -> bool:
    """Whether the last quarter lies where the second did; the first is the warming up."""
    second, last = (statistics.median(quarters(values)[n]) for n in (1, 3))
    return last <= GROWTH * second + SLACK


def spread(values: list[float]) -> dict[str, Any]:
    return {
        "quarters": [round(statistics.median(part), 1) for part in quarters(values)],
        "highest": max(values),
        "last": values[-1],
    }


def percentiles(times: list[float]) -> dict[str, float]:
    times = sorted(times)
    return {f"p{part}_s": round(times[min(len(times) - 1, len(times) * part // 100)], 4) for part in (50, 95)}


def thinned(samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return samples[:: max(1, len(samples) // 60)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--encoder", choices=("e5-small", "none"), default="e5-small")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds that users rest between two acts, about")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        soak = Soak(Path(name), args.encoder, args.minutes, args.pause, args.seed)
        files = soak.project.root / "files"
        files.mkdir()
        for page in COURSE.rglob("*"):
            if page.suffix in (".md", ".txt", ".csv", ".docx", ".html"):
                target = files / page.relative_to(COURSE)
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(page.read_bytes())
        error = soak.edu("ingest", "files", "-q", "--ocr", "never")
        if error:
            raise SystemExit(error)
        result = soak.run()
    print(json.dumps(result, ensure_ascii=False, indent=1))
    raise SystemExit(0 if result["ok"] else 1)


if __name__ == "__main__":
    main()
