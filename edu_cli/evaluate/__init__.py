"""Data set -> routing, retrieval and generation measures -> gate and report."""
