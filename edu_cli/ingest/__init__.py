"""path -> Document -> Section -> Parent/Child -> vectors -> stores."""

# Both are read before anything is loaded, see edu_cli/cli/unchanged.py.
FORMAT = "5"  # raised when readers or the splitter change what they make of a file, so that all are read again
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "__macosx", "$recycle.bin", "system volume information"})
