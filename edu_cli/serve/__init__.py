"""One warm process per project: the wire, its two ends, and where they meet. What is asked is wired in `wiring`."""
