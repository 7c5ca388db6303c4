#!/usr/bin/env python3
# make_shapes.py: what ONNX Runtime answers for other shapes than those of inputs.npz, as ONNX test-case folders.
"""usage:
    make_shapes.py MODELS OUT          the small set that the repository keeps in tests/models/shapes
    make_shapes.py --wide MODELS OUT   more and larger shapes, with links to the models: run `jit-run OUT/NAME`

MODELS holds NAME/model.onnx and NAME/inputs.npz. All data sets of a folder run on one loaded model, so that shapes change
without another import. Needs numpy, onnx and onnxruntime (1.32 wrote what is kept); inputs are tiles of inputs.npz, noise on
a coarse grid (it packs well) or, for the sentences, random ids. Every run writes the same bytes."""
import argparse
import pathlib

import numpy as np
import onnx
import onnxruntime


def noise(rng, shape):
    return (rng.integers(-16, 17, shape) / 16).astype(np.float32)


def picture(*shapes):
    return lambda rng, given: [{"x": noise(rng, shape)} for shape in shapes]


def sentences(sizes):
    def make(rng, given):
        cases = []
        for batch, length in sizes:
            mask = np.ones((batch, length), np.int64)
            mask[-1, (length + 1) // 2:] = 0  # the last sentence is padded
            cases.append({"input_ids": rng.integers(1000, 20000, (batch, length)) * mask, "attention_mask": mask,
                          "token_type_ids": np.zeros_like(mask)})
        return cases
    return make


def speech(sizes):
    return lambda rng, given: [{"input": noise(rng, (batch, samples)) / 4, "state": noise(rng, (2, batch, 128)) / 4,
                                "sr": np.array(rate, np.int64)} for batch, samples, rate in sizes]


def spectra(sizes):
    return lambda rng, given: [{"input": np.repeat(given["input"][:, :, :frames], batch, 0), "h0": given["h0"]}
                               for batch, frames in sizes]


def letters(sizes):
    return lambda rng, given: [{"input": rng.integers(1, 40, size)} for size in sizes]


def batches(name, *sizes):
    return lambda rng, given: [{name: np.repeat(given[name][:1], size, 0) if size else given[name][:0]} for size in sizes]


def noisy(name, width, *sizes):
    return lambda rng, given: [{name: noise(rng, (size, width))} for size in sizes]


KEPT = {
    "mlp-surrogate": noisy("input", 4, 1, 3),
    "magika": batches("bytes", 3),
    "ppocr-cls": picture((1, 3, 48, 48), (3, 3, 48, 64)),
    "ppocr-cls-qdq": picture((3, 3, 48, 32)),
    "ppocr4-det": picture((1, 3, 32, 96), (2, 3, 64, 32)),
    "ppocr4-rec": picture((1, 3, 48, 40), (2, 3, 48, 16)),
    "silero-vad": speech([(1, 576, 16000), (3, 576, 16000), (3, 288, 8000)]),
    "aecmos-16k": spectra([(1, 32), (1, 48)]),
    "minilm-l6-int8": sentences([(3, 1), (1, 77)]),
    "tashkeel-rawi-int8": letters([(3, 1), (1, 77)]),
}
WIDE = {
    "mlp-surrogate": noisy("input", 4, 1, 3, 77, 12),
    "magika": batches("bytes", 1, 3),
    "ppocr-cls": picture((1, 3, 48, 192), (3, 3, 48, 192), (3, 3, 48, 100), (2, 3, 48, 320)),
    "ppocr-cls-qdq": picture((1, 3, 48, 192), (3, 3, 48, 100)),
    "ppocr4-det": picture((1, 3, 320, 448), (3, 3, 64, 96), (1, 3, 96, 32), (1, 3, 160, 320)),
    "ppocr4-rec": picture((1, 3, 48, 320), (3, 3, 48, 320), (1, 3, 48, 77), (3, 3, 48, 12), (1, 3, 48, 640)),
    "silero-vad": speech([(1, 576, 16000), (3, 576, 16000), (12, 576, 16000), (1, 288, 8000), (3, 288, 8000)]),
    "aecmos-16k": spectra([(1, 200), (1, 77), (1, 150)]),
    "basic-pitch": batches("serving_default_input_2:0", 1, 3),
    "minilm-l6-int8": sentences([(1, 1), (3, 1), (1, 77), (3, 77), (3, 12), (2, 128)]),
    "tashkeel-rawi-int8": letters([(1, 1), (3, 1), (1, 77), (3, 77), (3, 12)]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--wide", action="store_true")
    arguments = parser.parse_args()
    onnxruntime.set_default_logger_severity(3)
    for name, make in (WIDE if arguments.wide else KEPT).items():
        file = arguments.models / name / "model.onnx"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        # As the model is written: what is fused for int8 rounds elsewhere, and moves ppocr-cls-qdq by 38 %.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        given = np.load(arguments.models / name / "inputs.npz")
        for i, inputs in enumerate(make(np.random.default_rng(7), given)):
            folder = arguments.out / name / f"test_data_set_{i}"
            folder.mkdir(parents=True, exist_ok=True)
            outputs = session.run(None, inputs)
            for kind, arrays in (("input", [inputs[port.name] for port in session.get_inputs()]), ("output", outputs)):
                for k, array in enumerate(arrays):
                    tensor = onnx.numpy_helper.from_array(np.array(array, order="C"))
                    (folder / f"{kind}_{k}.pb").write_bytes(tensor.SerializeToString())
            print(name, i, *(array.shape for array in inputs.values()), "->", *(array.shape for array in outputs))
        if arguments.wide and not (arguments.out / name / "model.onnx").exists():
            (arguments.out / name / "model.onnx").symlink_to(file.resolve())


if __name__ == "__main__":
    main()
