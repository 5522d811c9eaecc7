"""Question -> passages from the web, through what the user configured: a SearXNG address or an MCP search server."""
