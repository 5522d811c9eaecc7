"""`python -m edu_cli`."""

from edu_cli.cli.app import main

main()
