"""Who answers a command: the project's warm process where it runs, else this one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edu_cli.config import Settings
    from edu_cli.project import Project
    from edu_cli.serve.asker import Asker
    from edu_cli.wiring.steady import Tell


@contextmanager
def open_asker(project: Project, settings: Settings, tell: Tell) -> Iterator[Asker]:
    """A project open for questions with these settings; `tell` is given a sentence on who answers them."""
    with ExitStack() as stack:

        def local() -> Asker:
            from edu_cli.wiring.local import open_local

            return stack.enter_context(open_local(project, settings))

        if not project.socket_path.exists():  # the wire need not be loaded then
            tell("edu serve is not running: this process answers by itself.")
            yield local()
            return
        from edu_cli.serve.client import NotServedError, ServerGoneError, open_remote
        from edu_cli.wiring.steady import SteadyAsker

        try:
            remote, link = open_remote(project, settings)
        except (NotServedError, ServerGoneError) as error:
            tell(f"{error.message.rstrip('.')}: this process answers by itself.")
            yield local()
        else:
            stack.callback(link.close)
            tell(f"edu serve answers (PID {link.greeting.pid}).")
            yield SteadyAsker(remote, local, tell)
