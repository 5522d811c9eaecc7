"""Markdown and HTML -> blocks."""
