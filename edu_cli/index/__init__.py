"""The stores: catalog (the truth), vectors (Milvus) and BM25 (both derived)."""
