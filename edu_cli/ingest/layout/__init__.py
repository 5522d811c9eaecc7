"""Printed lines of a page -> paragraphs, tables and headings in reading order; the same for PDFs and OCR."""
