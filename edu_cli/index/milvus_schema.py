"""The collection: its fields, indexes, and that it is there and loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edu_cli.index.milvus_names import NAME_BYTES

if TYPE_CHECKING:
    from pymilvus import MilvusClient

_ID_BYTES = 64


def open_collection(client: MilvusClient, name: str, dim: int, *, create: bool) -> bool:
    """Loads the collection, creating it first where it is absent and `create`; whether it is there."""
    if not client.has_collection(name):
        if not create:
            return False
        _create(client, name, dim)
    client.load_collection(name)
    return True


def _create(client: MilvusClient, name: str, dim: int) -> None:
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("child_id", DataType.VARCHAR, is_primary=True, max_length=_ID_BYTES)
    schema.add_field("parent_id", DataType.VARCHAR, max_length=_ID_BYTES)
    schema.add_field("doc_id", DataType.VARCHAR, max_length=_ID_BYTES)
    schema.add_field("subject", DataType.VARCHAR, max_length=NAME_BYTES)
    schema.add_field("tenant", DataType.VARCHAR, max_length=NAME_BYTES, is_partition_key=True)
    schema.add_field("dense", DataType.FLOAT_VECTOR, dim=dim)
    schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
    indexes = client.prepare_index_params()
    indexes.add_index("dense", index_type="HNSW", metric_type="COSINE", params={"M": 16, "efConstruction": 200})
    indexes.add_index("sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
    client.create_collection(name, schema=schema, consistency_level="Strong")
    client.create_index(name, indexes, sync=False)  # waiting polls every half second, also on Lite, where it is instant
