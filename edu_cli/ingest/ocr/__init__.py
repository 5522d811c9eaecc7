"""Pictures -> blocks."""
