"""Plain text and source code: bytes -> characters -> blocks."""
