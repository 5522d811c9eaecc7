"""Tables (csv, tsv, xlsx) -> FAQ entries or rows."""
