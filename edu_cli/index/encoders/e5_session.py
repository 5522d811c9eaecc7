"""onnxruntime, set for one text a run in many threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from edu_cli.index.encoders.onnx_bytes import MICROSOFT, GraphWriter


def open_session(model: bytes) -> Any:
    """An InferenceSession over a model's bytes; safe to run from several threads at once."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)  # errors only: warnings of its device discovery are not for users
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(
        model,
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=["SkipLayerNormFusion"],  # the fused operator takes 4 times as long as what it replaces
    )


def signed_products_saturate() -> bool:
    """Whether this CPU's uint8 x int8 product adds in 16 bits (x86 without VNNI), where large sums are cut off.

    Found by computing one such product, since what onnxruntime chooses depends on more than the CPU's flags.
    """
    rows, width, columns = 4, 64, 32
    graph = GraphWriter()
    weights = graph.constant("weights", np.full((width, columns), 127, np.int8))
    scale = graph.constant("scale", np.ones(columns, np.float32))
    (out,) = graph.node("DynamicQuantizeMatMul", ["rows", weights, scale], domain=MICROSOFT)
    session = open_session(graph.model({"rows": (rows, width)}, {out: (rows, columns)}))
    (got,) = session.run(None, {"rows": np.full((rows, width), 255, np.float32)})
    return not np.allclose(got, 255 * 127 * width, rtol=1e-3)
