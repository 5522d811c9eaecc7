"""Draft -> verified answer: markers, claims, facts."""
