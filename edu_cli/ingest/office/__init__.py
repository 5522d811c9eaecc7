"""Word, PowerPoint and their ancestors -> blocks."""
