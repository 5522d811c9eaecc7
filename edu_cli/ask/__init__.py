"""question -> front -> classify -> retrieve -> rerank -> generate -> verify -> Answer."""
