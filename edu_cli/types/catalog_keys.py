"""Names under which the catalog keeps what is true of the whole project. No more: `edu status` needs them at once."""

from __future__ import annotations

RUN = "run"  # "begun" while files are loaded, and after a run that did not end; empty otherwise
STORE_MARK = "store_mark"  # what the vector store's files looked like when they were last known to be whole
PROJECT_ID = "project_id"  # the project's own name, in the names of its collections
ENCODER = "encoder"  # an EncoderPin as JSON
