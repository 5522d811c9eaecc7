"""Whether a project and its machine are sound, and backups of it."""
