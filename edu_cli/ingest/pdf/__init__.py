"""PDF -> blocks, each page by its text layer or by OCR."""
