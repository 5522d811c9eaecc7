"""Text -> DualVectors: one protocol, two encoders."""
