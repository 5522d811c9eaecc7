"""Passages -> draft: by an LLM, or of their sentences."""
