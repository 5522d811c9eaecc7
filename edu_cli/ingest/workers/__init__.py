"""Loading in processes of their own."""
