"""Settings -> concrete adapters, named nowhere else: `ingesting` writes a project, `asking` reads it."""
