"""What answers or sorts a question before anything is searched."""
