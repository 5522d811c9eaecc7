"""The catalog's tables for what people and answers leave behind: FAQ, pending questions, conversations, traces."""

from __future__ import annotations

RECORDS = """
CREATE TABLE faq (
  faq_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, subject TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL,
  source TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (tenant, subject, question));
CREATE TABLE pending (
  pending_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, subject TEXT NOT NULL, question TEXT NOT NULL,
  confidence REAL NOT NULL, nearest TEXT NOT NULL, times INTEGER NOT NULL, status TEXT NOT NULL, answer TEXT NOT NULL,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE INDEX pending_status ON pending (tenant, status);
CREATE TABLE sessions (
  session_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, title TEXT NOT NULL, summary TEXT NOT NULL,
  folded INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE turns (
  session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE, ordinal INTEGER NOT NULL, question TEXT NOT NULL,
  standalone TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (session_id, ordinal)) WITHOUT ROWID;
CREATE TABLE answers (
  key TEXT PRIMARY KEY, tenant TEXT NOT NULL, corpus TEXT NOT NULL, value TEXT NOT NULL,
  created_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE traces (
  trace_id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, question TEXT NOT NULL, route TEXT NOT NULL, mode TEXT NOT NULL,
  seconds REAL NOT NULL, calls INTEGER NOT NULL, tokens INTEGER NOT NULL, answer TEXT NOT NULL, exchanges TEXT NOT NULL,
  created_at TEXT NOT NULL);
"""
