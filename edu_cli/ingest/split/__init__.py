"""Document -> sections -> parents and children."""
