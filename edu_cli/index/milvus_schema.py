"""The collection: its fields and indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from edu_cli.index.milvus_names import NAME_BYTES

if TYPE_CHECKING:
    from pymilvus import MilvusClient

    from edu_cli.index.milvus_connect import MilvusTarget

_ID_BYTES = 64


# Lite holds what it indexes in memory once more, and HNSW was a quarter of what an ingest cost there, encoding aside;
# its searches are few, since those of users read the vector copy.
_LITE_INDEX: dict[str, Any] = {"index_type": "FLAT", "params": {}}
_SERVER_INDEX: dict[str, Any] = {"index_type": "HNSW", "params": {"M": 16, "efConstruction": 200}}


def open_collection(client: MilvusClient, target: MilvusTarget, *, create: bool) -> bool:
    """Makes the collection where it is absent and `create`; whether it is there."""
    if client.has_collection(target.collection, timeout=target.limit_s):
        return True
    if create:
        _create(client, target)
    return create


def _create(client: MilvusClient, target: MilvusTarget) -> None:
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("child_id", DataType.VARCHAR, is_primary=True, max_length=_ID_BYTES)
    schema.add_field("parent_id", DataType.VARCHAR, max_length=_ID_BYTES)
    schema.add_field("doc_id", DataType.VARCHAR, max_length=_ID_BYTES)
    schema.add_field("subject", DataType.VARCHAR, max_length=NAME_BYTES)
    schema.add_field("tenant", DataType.VARCHAR, max_length=NAME_BYTES, is_partition_key=True)
    schema.add_field("dense", DataType.FLOAT_VECTOR, dim=target.dim)
    schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
    indexes = client.prepare_index_params()
    indexes.add_index("dense", metric_type="COSINE", **(_LITE_INDEX if target.is_lite else _SERVER_INDEX))
    indexes.add_index("sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
    client.create_collection(target.collection, schema=schema, consistency_level="Strong", timeout=target.limit_s)
    # waiting polls every half second, also on Lite, where it is instant
    client.create_index(target.collection, indexes, sync=False, timeout=target.limit_s)
