"""Settings -> the web search that the user configured."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edu_cli.config import Settings
    from edu_cli.protocols import WebSearch


def open_web_search(settings: Settings) -> WebSearch | None:
    """An MCP server before a SearXNG address, None without either; nothing is connected to before the first search.

    Raises ConfigError for an address that is none.
    """
    ask = settings.ask
    if ask.web_mcp:
        from edu_cli.ask.web.mcp import McpSearch
        from edu_cli.ask.web.mcp_transport import HttpTransport, StdioTransport

        if ask.web_mcp.startswith(("http://", "https://")):
            return McpSearch(lambda: HttpTransport(ask.web_mcp, ask.web_mcp_token), ask.web_mcp_tool)
        return McpSearch(lambda: StdioTransport(ask.web_mcp), ask.web_mcp_tool)
    if ask.web_url:
        from edu_cli.ask.web.searxng import SearxngSearch

        return SearxngSearch(ask.web_url)
    return None
