"""`edu`: build a knowledge base from course material and ask it questions."""

__version__ = "0.1.0"
