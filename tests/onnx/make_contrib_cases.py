#!/usr/bin/env python3
# make_contrib_cases.py: writes tests/onnx/contrib: one-node models of com.microsoft with ONNX Runtime's outputs.
"""Needs onnx and onnxruntime; what it writes needs neither. `make_contrib_cases.py [NAME ...]` writes those cases alone.

Each case is a folder with model.onnx, inputs.npz and outputs.npz, run by run_contrib_cases.py. Inputs come from a generator that
is seeded by the case's name."""

import pathlib
import sys
import zlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

FOLDER = pathlib.Path(__file__).resolve().parent / "contrib"
MS, ML = "com.microsoft", "ai.onnx.ml"


class Case:
    """One node, or the nodes `op`. Inputs are arrays by name, "" for one left out; outputs are names, "" likewise. `judged_by`
    makes the inputs of an equal node of those of one that ONNX Runtime's CPU kernel does not take."""

    def __init__(self, name, op, inputs, outputs=("y",), domain=MS, constants=(), opset=21, judged_by=None, **attributes):
        self.name, self.op, self.inputs, self.outputs = name, op, inputs, outputs
        self.domain, self.constants, self.opset, self.attributes = domain, constants, opset, attributes
        self.judged_by = judged_by

    def nodes(self):
        if not isinstance(self.op, str):
            return self.op
        names = [name if not isinstance(value, str) else "" for name, value in self.inputs.items()]
        return [helper.make_node(self.op, names, self.outputs, domain=self.domain, **self.attributes)]


def cases():
    """Every case; `r(shape)` draws floats from [-1, 1)."""
    made = []

    def add(name, op, build, **rest):
        generator = np.random.default_rng(zlib.crc32(name.encode()))

        def r(*shape):
            return generator.uniform(-1, 1, shape).astype(np.float32)
        made.append(Case(name, op, build(r, generator), **rest))

    # ---- Activations, products, norms
    add("bias_gelu", "BiasGelu", lambda r, g: {"a": r(2, 3, 8) * 3, "b": r(8)})
    add("fast_gelu", "FastGelu", lambda r, g: {"x": r(2, 3, 8) * 3, "b": r(8)})
    add("fast_gelu_no_bias", "FastGelu", lambda r, g: {"x": r(2, 3, 8) * 3})
    add("quick_gelu", "QuickGelu", lambda r, g: {"x": r(2, 3, 8) * 3}, alpha=1.5)
    add("gelu", "Gelu", lambda r, g: {"x": r(2, 3, 8) * 3})
    add("fused_matmul", "FusedMatMul", lambda r, g: {"a": r(2, 5, 3), "b": r(2, 4, 5)}, transA=1, transB=1, alpha=0.5)
    add("fused_matmul_batch", "FusedMatMul", lambda r, g: {"a": r(3, 2, 5), "b": r(5, 2, 4)}, transBatchA=1, transBatchB=1)
    add("transpose_matmul", "TransposeMatMul", lambda r, g: {"a": r(5, 3), "b": r(4, 5)}, transA=1, transB=1, alpha=2.0)
    add("fused_gemm", "FusedGemm", lambda r, g: {"a": r(3, 5), "b": r(4, 5), "c": r(4)}, transB=1, alpha=0.5, beta=2.0,
        activation="LeakyRelu", activation_alpha=0.2)
    add("fused_conv", "FusedConv", lambda r, g: {"x": r(1, 3, 7, 7), "w": r(4, 3, 3, 3), "b": r(4)}, activation="Relu",
        pads=[1, 1, 1, 1], strides=[2, 2])
    add("fused_conv_add", "FusedConv", lambda r, g: {"x": r(1, 3, 7, 7), "w": r(4, 3, 3, 3), "b": r(4), "z": r(1, 4, 5, 5)},
        activation="Relu")
    add("skip_layer_norm", "SkipLayerNormalization",
        lambda r, g: {"x": r(2, 3, 16), "s": r(2, 3, 16), "gamma": r(16), "beta": r(16), "b": r(16)},
        outputs=("y", "", "", "sum"), epsilon=1e-5)
    add("skip_layer_norm_broadcast", "SkipLayerNormalization",
        lambda r, g: {"x": r(2, 3, 16), "s": r(3, 16), "gamma": r(16)}, epsilon=1e-5)
    add("skip_rms_norm", "SkipSimplifiedLayerNormalization",
        lambda r, g: {"x": r(2, 3, 16), "s": r(2, 3, 16), "gamma": r(16)}, outputs=("y", "", "", "sum"), epsilon=1e-5)
    add("rms_norm", "SimplifiedLayerNormalization", lambda r, g: {"x": r(2, 3, 16), "scale": r(16)}, domain="", axis=-1,
        epsilon=1e-6)
    add("cdist", "CDist", lambda r, g: {"a": r(5, 3), "b": r(4, 3)}, metric="euclidean")
    add("inverse", "Inverse", lambda r, g: {"x": r(2, 5, 5)})
    add("trilu", "Trilu", lambda r, g: {"x": r(2, 4, 5)}, upper=0)
    add("expand_dims", "ExpandDims", lambda r, g: {"x": r(2, 5), "axis": np.array(-1, np.int32)}, constants=("axis",))

    # ---- Attention
    def attention(r, g, batch=2, length=5, hidden=12, **more):
        return {"x": r(batch, length, hidden), "w": r(hidden, 3 * hidden), "b": r(3 * hidden), **more}
    add("attention", "Attention", lambda r, g: attention(r, g), num_heads=3)
    add("attention_lengths", "Attention", lambda r, g: attention(r, g, mask=np.array([5, 3], np.int32)), num_heads=3)
    add("attention_raw_mask", "Attention",
        lambda r, g: attention(r, g, mask=np.array([[1, 1, 1, 1, 0], [1, 0, 1, 1, 1]], np.int32)), num_heads=3)
    add("attention_mask_3d", "Attention",
        lambda r, g: attention(r, g, mask=(g.uniform(size=(2, 5, 5)) > 0.3).astype(np.int32)), num_heads=3)
    add("attention_causal_past", "Attention",
        lambda r, g: attention(r, g, mask="", past=r(2, 2, 3, 4, 4)), num_heads=3, unidirectional=1, outputs=("y", "present"))
    add("attention_bias_scale", "Attention",
        lambda r, g: attention(r, g, mask="", past="", bias=r(1, 3, 5, 5)), num_heads=3, scale=0.3)

    add("mha", "MultiHeadAttention", lambda r, g: {"q": r(2, 5, 12), "k": r(2, 6, 12), "v": r(2, 6, 24)}, num_heads=3)
    add("attention_packed_lengths", "Attention",
        lambda r, g: attention(r, g, mask=np.array([5, 3, 0, 5, 8, 0, 5, 8], np.int32)), num_heads=3)
    add("attention_mask_4d", "Attention",
        lambda r, g: attention(r, g, mask=(g.uniform(size=(2, 1, 10, 10)) > 0.3).astype(np.int32), past=r(2, 2, 3, 3, 4)),
        judged_by=lambda inputs: {**inputs, "mask": inputs["mask"][:, 0, 3:8, :8]}, num_heads=3, outputs=("y", "present"))
    add("mha_bias_mask", "MultiHeadAttention",
        lambda r, g: {"q": r(2, 5, 12), "k": r(2, 6, 12), "v": r(2, 6, 12), "b": r(36),
                      "m": np.array([[1, 1, 1, 1, 1, 0], [1, 1, 0, 1, 1, 1]], np.int32), "bias": r(1, 3, 5, 6)}, num_heads=3)
    add("mha_lengths", "MultiHeadAttention",
        lambda r, g: {"q": r(2, 5, 12), "k": r(2, 6, 12), "v": r(2, 6, 12), "b": "", "m": np.array([6, 4], np.int32)}, num_heads=3)
    add("mha_past", "MultiHeadAttention",
        lambda r, g: {"q": r(2, 1, 12), "k": r(2, 1, 12), "v": r(2, 1, 12), "b": "", "m": "", "bias": "", "pk": r(2, 3, 4, 4),
                      "pv": r(2, 3, 4, 4)}, num_heads=3, outputs=("y", "present_key", "present_value"))
    add("mha_causal", "MultiHeadAttention", lambda r, g: {"q": r(2, 5, 12), "k": r(2, 5, 12), "v": r(2, 5, 12)}, num_heads=3,
        unidirectional=1)
    add("mha_cross", "MultiHeadAttention", lambda r, g: {"q": r(2, 5, 12), "k": r(2, 3, 6, 4), "v": r(2, 3, 6, 4)}, num_heads=3)

    def gqa(r, g, batch, length, past, total, seen, rotary=False, packed=False, capacity=None):
        capacity = past if capacity is None else capacity
        heads, shared, size = 4, 2, 16
        inputs = {"q": r(batch, length, (heads + 2 * shared) * size), "k": "", "v": ""} if packed else \
            {"q": r(batch, length, heads * size), "k": r(batch, length, shared * size), "v": r(batch, length, shared * size)}
        inputs |= {"pk": r(batch, shared, capacity, size), "pv": r(batch, shared, capacity, size),
                   "seqlens": np.array(seen, np.int32) - 1, "total": np.array(total, np.int32)}
        if rotary:
            inputs |= {"cos": r(32, size // 2), "sin": r(32, size // 2)}
        return inputs
    three = ("y", "present_key", "present_value")
    add("gqa_decode", "GroupQueryAttention", lambda r, g: gqa(r, g, 1, 1, 6, 7, [7]), outputs=three, num_heads=4, kv_num_heads=2,
        constants=("total",))
    add("gqa_decode_data", "GroupQueryAttention", lambda r, g: gqa(r, g, 1, 1, 6, 7, [7]), outputs=three, num_heads=4,
        kv_num_heads=2)
    add("gqa_prompt", "GroupQueryAttention", lambda r, g: gqa(r, g, 2, 5, 0, 5, [5, 3]), outputs=three, num_heads=4, kv_num_heads=2,
        constants=("total",))
    add("gqa_rotary", "GroupQueryAttention", lambda r, g: gqa(r, g, 2, 1, 6, 7, [7, 7], rotary=True), outputs=three, num_heads=4,
        kv_num_heads=2, do_rotary=1, constants=("total",))
    add("gqa_rotary_packed", "GroupQueryAttention", lambda r, g: gqa(r, g, 1, 3, 4, 7, [7], rotary=True, packed=True), outputs=three,
        num_heads=4, kv_num_heads=2, do_rotary=1, rotary_interleaved=1, constants=("total",))
    add("gqa_window_softcap", "GroupQueryAttention", lambda r, g: gqa(r, g, 1, 6, 0, 6, [6]), outputs=three, num_heads=4,
        kv_num_heads=2, local_window_size=3, softcap=0.5, constants=("total",))
    add("rotary", "RotaryEmbedding",
        lambda r, g: {"x": r(2, 5, 24), "p": g.integers(0, 16, (2, 5)), "cos": r(16, 4), "sin": r(16, 4)})
    add("rotary_interleaved", "RotaryEmbedding",
        lambda r, g: {"x": r(2, 3, 5, 8), "p": np.array([3]), "cos": r(16, 4), "sin": r(16, 4)}, interleaved=1)
    add("rotary_partial", "RotaryEmbedding",
        lambda r, g: {"x": r(1, 5, 24), "p": np.array([0]), "cos": r(16, 2), "sin": r(16, 2)}, num_heads=3, rotary_embedding_dim=4)
    add("embed_layer_norm", "EmbedLayerNormalization",
        lambda r, g: {"ids": g.integers(0, 10, (2, 4), np.int32), "seg": g.integers(0, 2, (2, 4), np.int32), "we": r(10, 8),
                      "pe": r(6, 8), "se": r(2, 8), "gamma": r(8), "beta": r(8),
                      "mask": np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)}, outputs=("y", "mask_index"), epsilon=1e-5)

    add("embed_layer_norm_no_segments", "EmbedLayerNormalization",
        lambda r, g: {"ids": g.integers(0, 10, (2, 4), np.int32), "seg": "", "we": r(10, 8), "pe": r(6, 8), "se": "", "gamma": r(8),
                      "beta": r(8)}, outputs=("y", "mask_index"), epsilon=1e-5)

    # ---- Recurrence: the dynamically quantised layer, whose weights are transposed
    def quantised(r, g, directions=1, each=False, zero=False, hidden=6):
        def weights(rows):
            return g.integers(-127, 128, (directions, rows, 4 * hidden), np.int8)
        scales = (directions, 4 * hidden) if each else (directions,)
        zeros = (g.integers(-3, 4, scales, np.int8) if zero else np.zeros(scales, np.int8))
        return {"x": r(7, 2, 5), "w": weights(5), "r": weights(hidden), "b": r(directions, 8 * hidden), "n": "", "h": "", "c": "",
                "p": "", "ws": np.abs(r(*scales)) * 0.01 + 0.002, "wz": zeros, "rs": np.abs(r(*scales)) * 0.01 + 0.002, "rz": zeros}
    constants = ("w", "r", "b", "ws", "wz", "rs", "rz")
    add("dynamic_quantize_lstm", "DynamicQuantizeLSTM", lambda r, g: quantised(r, g), outputs=("y", "h", "c"), hidden_size=6,
        constants=constants)
    add("dynamic_quantize_lstm_rows", "DynamicQuantizeLSTM", lambda r, g: quantised(r, g, each=True), outputs=("y", "h", "c"),
        hidden_size=6, constants=constants)
    add("dynamic_quantize_lstm_both", "DynamicQuantizeLSTM", lambda r, g: quantised(r, g, directions=2), outputs=("y", "h", "c"),
        hidden_size=6, direction="bidirectional", constants=constants)

    # ---- Layers of ai.onnx whose options the node tests leave out
    def layer(r, directions, gates, lengths=None, states=1, hidden=4):
        inputs = {"x": r(6, 3, 5), "w": r(directions, gates * hidden, 5), "r": r(directions, gates * hidden, hidden),
                  "b": r(directions, 2 * gates * hidden), "n": "" if lengths is None else np.array(lengths, np.int32)}
        for i in range(states):
            inputs[f"s{i}"] = r(directions, 3, hidden)
        return inputs
    both, onnx_domain = "bidirectional", {"domain": "", "hidden_size": 4}
    add("lstm_everything", "LSTM", lambda r, g: layer(r, 2, 4, [6, 3, 1], 2) | {"p": r(2, 12)}, outputs=("y", "h", "c"),
        direction=both, clip=0.5, **onnx_domain)
    add("lstm_reverse_activations", "LSTM", lambda r, g: layer(r, 1, 4, None, 2), outputs=("y", "h", "c"), direction="reverse",
        activations=["HardSigmoid", "LeakyRelu", "Elu"], activation_alpha=[0.3, 0.1, 0.7], activation_beta=[0.4], **onnx_domain)
    add("lstm_directions_differ", "LSTM", lambda r, g: layer(r, 2, 4, None, 2), outputs=("y", "h", "c"), direction=both,
        activations=["Sigmoid", "Tanh", "Tanh", "Sigmoid", "Relu", "Softsign"], **onnx_domain)
    add("lstm_input_forget", "LSTM", lambda r, g: layer(r, 1, 4, None, 2), outputs=("y", "h", "c"), input_forget=1, **onnx_domain)
    add("gru_lengths", "GRU", lambda r, g: layer(r, 2, 3, [2, 6, 4]), outputs=("y", "h"), direction=both, **onnx_domain)
    add("gru_linear", "GRU", lambda r, g: layer(r, 2, 3, [2, 6, 4]), outputs=("y", "h"), direction=both, linear_before_reset=1,
        clip=0.7, **onnx_domain)
    add("rnn_reverse_lengths", "RNN", lambda r, g: layer(r, 1, 1, [2, 6, 4]), outputs=("y", "h"), direction="reverse", **onnx_domain)

    # ---- What ONNX leaves open or ONNX Runtime does beyond it, and models rely on
    def q(r, *shape):  # multiples of 1/4
        return np.round(r(*shape) * 8) / 4
    pool = {"domain": "", "outputs": ("y", "indices")}
    add("max_pool_indices", "MaxPool", lambda r, g: {"x": q(r, 2, 3, 7, 6)}, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1],
        **pool)
    add("max_pool_indices_columns", "MaxPool", lambda r, g: {"x": q(r, 2, 3, 7, 6)}, kernel_shape=[2, 2], strides=[2, 2],
        storage_order=1, ceil_mode=1, **pool)
    add("max_pool_indices_3d", "MaxPool", lambda r, g: {"x": q(r, 1, 2, 5, 6, 4)}, kernel_shape=[2, 3, 2], dilations=[2, 1, 1],
        strides=[1, 2, 1], **pool)
    add("max_pool_indices_same", "MaxPool", lambda r, g: {"x": q(r, 2, 9)[None]}, kernel_shape=[3], strides=[2], auto_pad="SAME_LOWER",
        **pool)
    add("max_pool_indices_u8", "MaxPool", lambda r, g: {"x": g.integers(0, 255, (1, 2, 4, 4), np.uint8)}, kernel_shape=[2, 2], **pool)
    add("slice_backwards_to_int_max", "Slice",
        lambda r, g: {"x": r(4, 5), "s": np.array([3, -1]), "e": np.array([2**31 - 1, 2**63 - 1]), "a": np.array([0, 1]),
                      "t": np.array([-1, -2])}, domain="", constants=("s", "e", "a", "t"))
    add("dropout_mask_opset_7", "Dropout", lambda r, g: {"x": r(3, 4)}, domain="", opset=7, outputs=("y", "mask"))
    add("dropout_mask_opset_10", "Dropout", lambda r, g: {"x": r(3, 4)}, domain="", opset=10, outputs=("y", "mask"))
    add("dropout_mask_opset_12", "Dropout", lambda r, g: {"x": r(3, 4)}, domain="", opset=12, outputs=("y", "mask"))
    add("shrink_int8", "Shrink", lambda r, g: {"x": g.integers(-5, 6, (3, 4), np.int8)}, domain="", lambd=1.5, bias=0.75)
    add("shrink_uint8", "Shrink", lambda r, g: {"x": g.integers(0, 9, (3, 4), np.uint8)}, domain="", lambd=2.0, bias=1.0)
    add("compress_nothing", "Compress", lambda r, g: {"x": r(0, 3), "c": np.zeros((0,), np.bool_)}, domain="", axis=0)
    add("gather_nothing", "Gather", lambda r, g: {"x": r(2, 0, 3), "i": np.zeros((0, 4), np.int64)}, domain="", axis=1)
    add("layer_norm_opset_11", "LayerNormalization", lambda r, g: {"x": r(2, 3, 8), "s": r(8), "b": r(8)}, domain="", opset=11, axis=-1)

    add("slice_backwards_from_before", "Slice",
        lambda r, g: {"x": r(4, 5), "s": np.array([-9, -7]), "e": np.array([-9, -99]), "a": np.array([0, 1]), "t": np.array([-1, -2])},
        domain="", constants=("s", "e", "a", "t"))
    add("slice_backwards_by_data", "Slice",
        lambda r, g: {"x": r(4, 5), "s": np.array([-9, 3]), "e": np.array([2**31 - 1, -99]), "a": np.array([0, 1]),
                      "t": np.array([-1, -2])}, domain="")
    add("cumsum_f16", "CumSum", lambda r, g: {"x": (np.round(r(3, 40) * 8) / 8).astype(np.float16), "a": np.array(1)}, domain="",
        constants=("a",))
    add("hardmax_nothing", "Hardmax", lambda r, g: {"x": r(2, 0, 3)}, domain="", axis=1)
    add("thresholded_relu_opset_8", "ThresholdedRelu", lambda r, g: {"x": r(3, 4)}, domain="", opset=8, alpha=0.25)
    add("batch_norm_not_spatial", "BatchNormalization",
        lambda r, g: {"x": r(2, 3, 4, 5), "s": r(3, 4, 5), "b": r(3, 4, 5), "m": r(3, 4, 5), "v": np.abs(r(3, 4, 5)) + 1}, domain="",
        opset=7, spatial=0)
    add("nms_of_all", "NonMaxSuppression",
        lambda r, g: {"boxes": np.sort(r(1, 6, 4), axis=-1)[..., [0, 1, 2, 3]], "scores": r(1, 1, 6), "m": np.array([2**63 - 1]),
                      "iou": np.array([0.5], np.float32)}, domain="", constants=("m", "iou"))
    for name, attributes in (("Affine", {"alpha": 2.0, "beta": 0.5}), ("ImageScaler", {"scale": 2.0, "bias": [0.5, -1.0, 3.0]}),
                             ("ParametricSoftplus", {"alpha": 2.0, "beta": 0.5}), ("ScaledTanh", {"alpha": 2.0, "beta": 0.5}),
                             ("Scale", {"scale": 3.0}), ("Crop", {"border": [1, 0, 0, 2]})):
        add(f"old_{name.lower()}", name, lambda r, g: {"x": r(2, 3, 5, 4)}, domain="", opset=8, **attributes)
    add("old_crop_scale", "Crop", lambda r, g: {"x": r(2, 3, 5, 4)}, domain="", opset=8, border=[1, 2, 0, 0], scale=[2, 3])

    # ---- Quantized tensors, equal to the bit
    def q8(g, *shape):
        return g.integers(0, 256, shape, np.uint8)

    def by(scale, zero, kind=np.uint8):
        return {f"s{scale}{zero}": np.array(scale, np.float32), f"z{scale}{zero}": np.array(zero, kind)}
    add("qlinear_add_halves", "QLinearAdd", lambda r, g: {"a": q8(g, 4, 64), **by(0.25, 17), "b": q8(g, 64), **by(0.5, 128), **by(1.0, 3)})
    add("qlinear_add_column", "QLinearAdd",
        lambda r, g: {"a": q8(g, 4, 64), **by(0.1, 17), "b": q8(g, 4, 1), **by(0.25, 128), **by(0.5, 3)})
    add("qlinear_mul_halves", "QLinearMul", lambda r, g: {"a": q8(g, 4, 64), **by(0.25, 17), "b": q8(g, 64), **by(0.5, 128), **by(16.0, 3)})
    add("qlinear_pool_last", "QLinearAveragePool", lambda r, g: {"x": q8(g, 2, 6, 5, 3), **by(0.25, 17), **by(0.5, 3)}, kernel_shape=[2, 2],
        strides=[2, 1], channels_last=1)
    add("qlinear_pool_halves", "QLinearAveragePool",
        lambda r, g: {"x": q8(g, 2, 3, 6, 5), **by(0.25, 17), **by(0.5, 3)}, kernel_shape=[2, 1])
    add("qlinear_global_pool_last", "QLinearGlobalAveragePool", lambda r, g: {"x": q8(g, 2, 6, 5, 3), **by(0.25, 17), **by(0.125, 3)},
        channels_last=1)
    # Weights of 7 bits: with 8 ONNX Runtime's sums of two products saturate on processors without VNNI.
    def qattention(r, g, **more):
        return {"x": q8(g, 2, 5, 12), "w": g.integers(-63, 64, (12, 36), np.int8), "b": r(36), "sx": np.array(0.02, np.float32),
                "sw": np.array(0.01, np.float32), "mask": "", "zx": np.array(120, np.uint8), "zw": np.array(0, np.int8), **more}
    add("qattention", "QAttention", lambda r, g: qattention(r, g), num_heads=3)
    add("qattention_mask_columns", "QAttention",
        lambda r, g: qattention(r, g, sw=np.abs(r(36)) * 0.01, zw=g.integers(-3, 4, 36, np.int8), mask=np.array([5, 3], np.int32)),
        num_heads=3, constants=("w", "b", "sw", "zw"))
    add("qattention_past", "QAttention", lambda r, g: qattention(r, g, past=r(2, 2, 3, 4, 4)), num_heads=3, unidirectional=1,
        outputs=("y", "present"))

    def qembedding(g, segments=True):
        numbers = {"w": q8(g, 10, 8), "p": q8(g, 6, 8), "e": q8(g, 2, 8) if segments else "", "g": q8(g, 8), "b": q8(g, 8)}
        inputs = {"ids": g.integers(0, 10, (2, 4), np.int32), "seg": g.integers(0, 2, (2, 4), np.int32) if segments else "", **numbers,
                  "mask": np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)}
        there = [name for name, value in numbers.items() if not isinstance(value, str)]
        inputs |= {f"s{name}": np.array(0.01 + 0.001 * i, np.float32) if name in there else "" for i, name in enumerate(numbers)}
        return inputs | {f"z{name}": np.array(120 + i, np.uint8) if name in there else "" for i, name in enumerate(numbers)}
    add("qembed_layer_norm", "QEmbedLayerNormalization", lambda r, g: qembedding(g), outputs=("y", "mask_index"), epsilon=1e-5)
    add("qembed_layer_norm_no_segments", "QEmbedLayerNormalization", lambda r, g: qembedding(g, False), outputs=("y", "mask_index"),
        epsilon=1e-5)
    add("qlinear_where", "QLinearWhere",
        lambda r, g: {"c": g.uniform(size=(4, 16)) > 0.5, "a": q8(g, 4, 16), **by(0.25, 17), "b": q8(g, 16), **by(0.5, 128), **by(1.0, 3)})
    add("nhwc_max_pool", "NhwcMaxPool", lambda r, g: {"x": q8(g, 2, 7, 6, 3)}, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])
    add("nhwc_qlinear_conv", "QLinearConv",
        lambda r, g: {"x": q8(g, 2, 7, 6, 4), **by(0.02, 117), "w": g.integers(-63, 64, (6, 2, 3, 3), np.int8),
                      "sw": np.abs(r(6)) * 0.01 + 0.001, "zw": np.zeros(6, np.int8), **by(0.125, 3), "b": g.integers(-500, 500, 6, np.int32)},
        channels_last=1, group=2, auto_pad="SAME_UPPER", strides=[2, 1], constants=("w", "sw", "zw", "b"))
    for bits, axes in ((4, {}), (8, {"gather_axis": 0, "quantize_axis": 1})):
        add(f"gather_block_quantized_u{bits}", "GatherBlockQuantized",
            lambda r, g, bits=bits: {"t": q8(g, 9, 40 * bits // 8), "i": g.integers(0, 9, (2, 3)), "s": np.abs(r(9, 3))},
            constants=("t", "s"), bits=bits, block_size=16, **axes)
    add("gather_block_quantized_zeros", "GatherBlockQuantized",
        lambda r, g: {"t": q8(g, 9, 16), "i": g.integers(0, 9, (4,)), "s": np.abs(r(9, 2)), "z": q8(g, 9, 1)}, constants=("t", "s", "z"),
        bits=4, block_size=16)
    add("matmul_nbits_groups", "MatMulNBits",
        lambda r, g: {"a": r(3, 64), "b": q8(g, 5, 4, 8), "s": np.abs(r(20)), "z": "", "i": g.integers(0, 4, 64, np.int32)},
        constants=("b", "s", "i"), K=64, N=5, bits=4, block_size=16)
    add("matmul_nbits_real_zeros", "MatMulNBits",
        lambda r, g: {"a": r(3, 40), "b": q8(g, 5, 3, 8), "s": np.abs(r(15)), "z": r(15) * 8}, constants=("b", "s", "z"), K=40, N=5, bits=4,
        block_size=16)

    # ---- Others of ai.onnx with few node tests, and second names in com.microsoft
    add("contrib_gather_nd", "GatherND", lambda r, g: {"x": r(3, 4, 5), "i": g.integers(0, 3, (2, 2))})
    add("contrib_grid_sample", "GridSample", lambda r, g: {"x": r(2, 3, 5, 6), "g": r(2, 4, 3, 2)}, mode="bicubic",
        padding_mode="border")
    add("einsum_three", "Einsum", lambda r, g: {"a": r(2, 3), "b": r(3, 4), "c": r(4, 2)}, domain="", equation="ij,jk,ki->ik")
    add("einsum_diagonal", "Einsum", lambda r, g: {"a": r(3, 3, 4), "b": r(4, 2)}, domain="", equation="iik,kj->ij")
    add("einsum_ellipsis", "Einsum", lambda r, g: {"a": r(1, 2, 3, 4), "b": r(5, 1, 4, 2)}, domain="", equation="...ij,...jk->...ik")
    add("det_pivots", "Det", lambda r, g: {"x": r(3, 6, 6)}, domain="")
    add("dft_complex_axis", "DFT", lambda r, g: {"x": r(2, 10, 3, 2)}, domain="", opset=17, axis=1)
    add("dft_onesided", "DFT", lambda r, g: {"x": r(2, 12, 1)}, domain="", opset=17, axis=1, onesided=1)
    add("stft", "STFT", lambda r, g: {"x": r(2, 64, 1), "step": np.array(8), "window": r(16)}, domain="", constants=("step",))

    for policy, size in (("not_larger", [7, 8]), ("not_smaller", [3, 9])):
        add(f"resize_{policy}_by_data", "Resize",
            lambda r, g, size=size: {"x": r(1, 2, 4, 6), "roi": "", "scales": "", "sizes": np.array(size)}, domain="", axes=[2, 3],
            keep_aspect_ratio_policy=policy, mode="linear", opset=18)

    for mode, size in (("linear", [3, 5]), ("cubic", [9, 4])):
        add(f"resize_antialias_{mode}_by_data", "Resize",
            lambda r, g, size=size: {"x": r(1, 2, 8, 9), "roi": "", "scales": "", "sizes": np.array(size)}, domain="", axes=[2, 3],
            antialias=1, mode=mode, opset=18)
    # ---- Sequences that loops carry, as scripted models have them: "v" in a body is the sequence
    node = helper.make_node

    def loop(body, carried, outputs, extra=()):
        """A loop of as many rounds as the first axis of "x" has, and what stands around it."""
        graph = helper.make_graph(
            body, "body", [helper.make_tensor_value_info("k", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
                           *(helper.make_empty_tensor_value_info(name) for name in carried)],
            [helper.make_empty_tensor_value_info(name) for name in ("go", *(f"{name}_next" for name in carried))])
        return [node("Constant", [], ["zero"], value_int=0), node("Shape", ["x"], ["shape"]), node("Gather", ["shape", "zero"], ["count"]),
                node("SequenceEmpty", [], ["none"]), *extra, node("Loop", ["count", "", *carried.values()], outputs, body=graph)]
    tanh = [node("Gather", ["x", "k"], ["row"]), node("Add", ["h", "row"], ["sum"]), node("Tanh", ["sum"], ["h_next"])]
    append = node("SequenceInsert", ["v", "h_next"], ["v_next"])
    state = {"v": "none", "h": "h0"}
    for name, more in (("stacked", {"axis": 1, "new_axis": 1}), ("joined", {"axis": -1})):
        add(f"loop_sequence_{name}",
            [*loop([*tanh, append], state, ["s", "last"]), node("ConcatFromSequence", ["s"], ["y"], **more), node("SequenceLength", ["s"], ["n"])],
            lambda r, g: {"x": r(5, 3, 4), "h0": r(3, 4)}, outputs=("y", "n", "last"), opset=17)
    add("loop_sequence_at", [*loop([*tanh, append], state, ["s", "last"]), node("SequenceAt", ["s", "i"], ["y"])],
        lambda r, g: {"x": r(5, 3, 4), "h0": r(3, 4), "i": np.array(-2)}, opset=17)
    add("loop_sequence_reads",
        [*loop([node("SequenceAt", ["parts", "k"], ["row"]), *tanh[1:], append], state, ["s", "last"],
               [node("SplitToSequence", ["x"], ["parts"], axis=0, keepdims=0)]),
         node("SequenceErase", ["s", "zero"], ["rest"]), node("ConcatFromSequence", ["rest"], ["y"], axis=0, new_axis=1)],
        lambda r, g: {"x": r(5, 3, 4), "h0": r(3, 4)}, opset=17)

    # ---- RoiAlign: as many samples as elements lie in a bin; regions of no extent, of one element, larger than the image
    def regions(r, g):
        corners = np.array([[0, 0, 9.5, 7.3], [2, 1, 2, 1], [1.2, 3.1, 5.9, 11.8], [-3, -2, 14, 15], [4, 4, 4.5, 4.4]], np.float32)
        return {"x": r(2, 3, 12, 13), "rois": corners, "i": np.array([0, 1, 1, 0, 1], np.int64)}
    for mode in ("avg", "max"):
        for placing in ("half_pixel", "output_half_pixel"):
            add(f"roi_align_adaptive_{mode}_{placing}", "RoiAlign", regions, domain="", mode=mode, output_height=3, output_width=2,
                sampling_ratio=0, spatial_scale=0.8, coordinate_transformation_mode=placing)

    parts = np.array([[0, 1.4, 2.6, 8, 9], [1, 0, 0, 12, 11], [1, 3, 4, 3, 4], [0, 5, 2, 3, 9], [1, 9, 9, 30, 30]], np.float32)
    add("max_roi_pool", "MaxRoiPool", lambda r, g: {"x": r(2, 3, 12, 13), "rois": parts}, domain="", pooled_shape=[3, 2],
        spatial_scale=0.9)

    # ---- Extents that data decide and that broadcast
    def found(x):
        return lambda r, g: {"x": np.array(x, np.float32), "y": r(3, 4)}
    nodes = [helper.make_node("Unique", ["x"], ["u"]), helper.make_node("Add", ["y", "u"], ["z"])]
    add("broadcast_one_by_data", nodes, found([2, 2, 2, 2]), outputs=("z",))
    add("broadcast_all_by_data", nodes, found([4, 2, 1, 3]), outputs=("z",))

    batched = [helper.make_node("Unique", ["x"], ["u"]), helper.make_node("Unsqueeze", ["u", "axes"], ["v"]),
               helper.make_node("MatMul", ["y", "v"], ["z"])]
    def batches(x):
        return lambda r, g: {"x": np.array(x, np.float32), "y": r(3, 2, 1), "axes": np.array([1, 2])}
    add("matmul_broadcast_one_by_data", batched, batches([2, 2, 2, 2]), outputs=("z",), constants=("axes",))
    add("matmul_broadcast_all_by_data", batched, batches([4, 2, 1, 2]), outputs=("z",), constants=("axes",))
    nodes = [helper.make_node("Unique", ["x"], ["u"]), helper.make_node("PRelu", ["y", "u"], ["z"])]
    add("prelu_broadcast_by_data", nodes, found([2, 2, 2, 2]), outputs=("z",))
    nodes = [helper.make_node("Unique", ["x"], ["u"]), helper.make_node("Gemm", ["y", "w", "u"], ["z"])]
    add("gemm_broadcast_by_data", nodes, lambda r, g: {**found([2, 2, 2])(r, g), "w": r(4, 5)}, outputs=("z",))

    # ---- Fourier transforms whose length only data tell
    def lengths(r, g, parts, length):
        return {"x": r(2, 7, parts), "n": np.array(length)}
    add("dft_length_by_data", "DFT", lambda r, g: lengths(r, g, 1, 9), domain="")
    add("dft_length_by_data_onesided", "DFT", lambda r, g: lengths(r, g, 1, 6), domain="", onesided=1)
    add("dft_length_by_data_complex", "DFT", lambda r, g: lengths(r, g, 2, 8), domain="", inverse=1)

    # ---- Resize of every axis of a region, with sizes from data
    add("resize_crop_by_data", "Resize",
        lambda r, g: {"x": r(1, 2, 7, 9), "roi": np.array([0, 0, 0.2, 0.3, 1, 1, 0.7, 0.9], np.float32), "s": "",
                      "sizes": np.array([1, 2, 5, 6])}, domain="", mode="linear",
        coordinate_transformation_mode="tf_crop_and_resize")

    # ---- Classical models: probabilities that are calibrated pair by pair
    def support(r, classes, per_class=2, features=4):
        vectors, pairs = classes * per_class, classes * (classes - 1) // 2
        return {"kernel_type": "RBF", "kernel_params": [0.3, 0.0, 3.0], "vectors_per_class": [per_class] * classes,
                "classlabels_ints": list(range(10, 10 + classes)), "support_vectors": (r(vectors * features) * 2).tolist(),
                "coefficients": (r((classes - 1) * vectors) * 3).tolist(), "rho": r(pairs).tolist(),
                "prob_a": (r(pairs) * 4).tolist(), "prob_b": (r(pairs) * 2).tolist()}
    for classes, transform in ((2, "NONE"), (3, "NONE"), (4, "LOGISTIC"), (6, "SOFTMAX")):
        generator = np.random.default_rng(classes)
        add(f"svm_probabilities_{classes}", "SVMClassifier", lambda r, g: {"x": r(9, 4) * 2}, outputs=("label", "p"), domain=ML,
            post_transform=transform, **support(lambda *shape: generator.uniform(-1, 1, shape), classes))

    return made


def model_of(case, values):
    inputs, initializers = [], []
    for name, value in values.items():
        if isinstance(value, str):
            continue
        tensor = onnx.numpy_helper.from_array(value, name)
        if name in case.constants:
            initializers.append(tensor)
        else:
            inputs.append(helper.make_tensor_value_info(name, tensor.data_type, value.shape))
    outputs = [helper.make_empty_tensor_value_info(name) for name in case.outputs if name]
    graph = helper.make_graph(case.nodes(), case.name, inputs, outputs, initializers)
    opsets = [helper.make_opsetid("", case.opset), helper.make_opsetid(MS, 1)] + [helper.make_opsetid(ML, 3)] * (case.domain == ML)
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def main():
    wanted = set(sys.argv[1:])
    for case in cases():
        if wanted and case.name not in wanted:
            continue
        def feeds_of(values, case=case):
            return {name: value for name, value in values.items() if not isinstance(value, str) and name not in case.constants}
        model, feeds = model_of(case, case.inputs).SerializeToString(), feeds_of(case.inputs)
        judge, judged = model, feeds
        if case.judged_by:
            values = case.judged_by(case.inputs)
            judge, judged = model_of(case, values).SerializeToString(), feeds_of(values)
        try:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 3
            session = onnxruntime.InferenceSession(judge, options, providers=["CPUExecutionProvider"])
            results = session.run(None, judged)
        except Exception as error:  # noqa: BLE001: whatever the runtime does not take
            print(f"{case.name}: ONNX Runtime refuses: {str(error)[:300]}")
            continue
        folder = FOLDER / case.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(model)
        np.savez(folder / "inputs.npz", **feeds)
        np.savez(folder / "outputs.npz", **dict(zip([name for name in case.outputs if name], results)))


if __name__ == "__main__":
    main()
