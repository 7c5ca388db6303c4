#!/usr/bin/env python3
# classical_models.py: the operators of ai.onnx.ml against ONNX Runtime.
"""Makes small seeded models of every operator of ai.onnx.ml that Kiln imports and compares their outputs with ONNX Runtime's.
Left out is what ONNX Runtime does otherwise than the operators' text: it leaves out base values and classes that no reached leaf
has a weight for, the regressor's LOGISTIC for a single target, and takes 0 for an Imputer's default of NaN.

Exit code 1 if one differs or fails. `--filter TEXT` runs the models whose name contains it. Needs onnx, onnxruntime and numpy."""

import argparse
import pathlib
import sys
import tempfile

from random_graphs import disagreement, kiln_capi, numpy, onnx, onnxruntime  # sets the environment up first
from onnx import TensorProto, helper

ML = "ai.onnx.ml"
ROWS, FEATURES = 7, 5
TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


class Cases:
    """Models by name, each with its inputs."""

    def __init__(self) -> None:
        self.random = numpy.random.default_rng(0)
        self.all: list[tuple[str, onnx.ModelProto, dict[str, numpy.ndarray]]] = []

    def rows(self, shape=(ROWS, FEATURES), dtype=numpy.float32) -> numpy.ndarray:
        return (self.random.integers(-8, 9, shape) / 4).astype(dtype)

    def floats(self, count: int) -> list[float]:
        return [float(value) for value in self.random.integers(-8, 9, count) / 8]

    def add(self, name: str, op: str, inputs: list[numpy.ndarray], outputs: list[int], version: int = 3, dynamic: bool = False,
            **attributes) -> None:
        names = [f"x{i}" for i in range(len(inputs))]
        ports = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype),
                                               ["rows", *x.shape[1:]] if dynamic else x.shape) for n, x in zip(names, inputs)]
        results = [f"y{i}" for i in range(len(outputs))]
        node = helper.make_node(op, names, results, domain=ML, **attributes)
        graph = helper.make_graph([node], name, ports, [helper.make_tensor_value_info(r, t, None) for r, t in zip(results, outputs)])
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid(ML, version), helper.make_opsetid("", 17)])
        self.all.append((name, model, dict(zip(names, inputs))))

    # ---- Trees

    def tree(self, tree: int, depth: int, modes: tuple[str, ...]) -> list[dict]:
        """The nodes of a random tree, root first; `weight` where it is a leaf."""
        nodes: list[dict] = []

        def grow(level: int) -> int:
            index = len(nodes)
            nodes.append({"treeids": tree, "nodeids": index, "featureids": 0, "modes": "LEAF", "values": 0.0, "truenodeids": 0,
                          "falsenodeids": 0, "missing_value_tracks_true": 0})
            if level < depth and (level == 0 or self.random.random() < 0.8):
                node = nodes[index]
                node.update(modes=str(self.random.choice(modes)), featureids=int(self.random.integers(FEATURES)),
                            values=float(self.random.integers(-6, 7)) / 4, missing_value_tracks_true=int(self.random.integers(2)))
                node["truenodeids"] = grow(level + 1)
                node["falsenodeids"] = grow(level + 1)
            return index

        grow(0)
        return nodes

    def forest(self, prefix: str, targets: int, modes=("BRANCH_LEQ",), trees: int = 4, depth: int = 4, missing: bool = False,
               only: int | None = None, by_tree: bool = False, positive: bool = False) -> dict:
        nodes = [node for tree in range(trees) for node in self.tree(tree, depth, modes)]
        leaves = [node for node in nodes if node["modes"] == "LEAF"]
        weights = self.floats(len(leaves))
        attributes = {f"nodes_{key}": [node[key] for node in nodes] for key in nodes[0]
                      if missing or key != "missing_value_tracks_true"}
        return attributes | {
            f"{prefix}_treeids": [leaf["treeids"] for leaf in leaves], f"{prefix}_nodeids": [leaf["nodeids"] for leaf in leaves],
            f"{prefix}_ids": [leaf["treeids"] % targets if by_tree else int(self.random.integers(targets)) if only is None else only
                              for leaf in leaves],
            f"{prefix}_weights": [abs(weight) for weight in weights] if positive else weights}

    def add_trees(self) -> None:
        x = self.rows()
        with_nan = x.copy()
        with_nan[::2, 1] = numpy.nan
        for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
            self.add(f"regressor_{aggregate}", "TreeEnsembleRegressor", [x], [TensorProto.FLOAT], n_targets=1,
                     aggregate_function=aggregate, **self.forest("target", 1))
        self.add("regressor_targets", "TreeEnsembleRegressor", [x], [TensorProto.FLOAT], n_targets=3, base_values=self.floats(3),
                 dynamic=True, **self.forest("target", 3, by_tree=True))
        self.add("regressor_modes", "TreeEnsembleRegressor", [with_nan], [TensorProto.FLOAT], n_targets=2,
                 **self.forest("target", 2, MODES, missing=True))
        self.add("regressor_deep", "TreeEnsembleRegressor", [self.rows((64, FEATURES))], [TensorProto.FLOAT], n_targets=1,
                 **self.forest("target", 1, trees=20, depth=9))
        for transform in TRANSFORMS:
            self.add(f"classifier_{transform}", "TreeEnsembleClassifier", [x], [TensorProto.INT64, TensorProto.FLOAT],
                     classlabels_int64s=[4, 7, 9], post_transform=transform, **self.forest("class", 3, by_tree=True))
            for positive in (False, True):
                self.add(f"classifier_one_score_{transform}_{positive}", "TreeEnsembleClassifier", [x],
                         [TensorProto.INT64, TensorProto.FLOAT], classlabels_int64s=[0, 1], post_transform=transform,
                         **self.forest("class", 2, only=0, positive=positive))
        self.add("classifier_one_score_base", "TreeEnsembleClassifier", [x], [TensorProto.INT64, TensorProto.FLOAT],
                 classlabels_int64s=[5, 3], post_transform="LOGISTIC", base_values=[0.25], **self.forest("class", 2, only=0))

    # ---- Linear models and support vectors

    def add_linear(self) -> None:
        x = self.rows()
        self.add("linear_regressor", "LinearRegressor", [x], [TensorProto.FLOAT], coefficients=self.floats(3 * FEATURES),
                 intercepts=self.floats(3), targets=3, dynamic=True)
        for transform in TRANSFORMS:
            self.add(f"linear_classifier_{transform}", "LinearClassifier", [x], [TensorProto.INT64, TensorProto.FLOAT],
                     coefficients=self.floats(3 * FEATURES), intercepts=self.floats(3), classlabels_ints=[2, 0, 1],
                     post_transform=transform)
        for transform in ("NONE", "LOGISTIC"):
            self.add(f"linear_classifier_two_{transform}", "LinearClassifier", [x], [TensorProto.INT64, TensorProto.FLOAT],
                     coefficients=self.floats(FEATURES), intercepts=self.floats(1), classlabels_ints=[3, 8],
                     post_transform=transform)
        for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
            common = {"kernel_type": kernel, "kernel_params": [0.25, 0.5, 2.0], "support_vectors": self.floats(6 * FEATURES)}
            self.add(f"svm_regressor_{kernel}", "SVMRegressor", [x], [TensorProto.FLOAT], n_supports=6, rho=[0.125],
                     coefficients=self.floats(6), **common)
            self.add(f"svm_classifier_{kernel}", "SVMClassifier", [x], [TensorProto.INT64, TensorProto.FLOAT],
                     vectors_per_class=[1, 2, 3], rho=self.floats(3), coefficients=self.floats(12), classlabels_ints=[1, 2, 5],
                     **common)
        for transform in ("NONE", "LOGISTIC", "SOFTMAX"):
            self.add(f"svm_classifier_two_{transform}", "SVMClassifier", [x], [TensorProto.INT64, TensorProto.FLOAT],
                     vectors_per_class=[2, 4], rho=[0.125], coefficients=self.floats(6), classlabels_ints=[3, 7],
                     kernel_type="LINEAR", kernel_params=[0.0, 0.0, 0.0], support_vectors=self.floats(6 * FEATURES),
                     post_transform=transform)
        self.add("svm_one_class", "SVMRegressor", [x], [TensorProto.FLOAT], n_supports=6, rho=[-0.125], one_class=1,
                 kernel_type="RBF", kernel_params=[0.25, 0.0, 0.0], coefficients=self.floats(6),
                 support_vectors=self.floats(6 * FEATURES))

    # ---- Features

    def add_features(self) -> None:
        x, whole = self.rows(), self.random.integers(0, 6, (ROWS, FEATURES))
        self.add("scaler", "Scaler", [x], [TensorProto.FLOAT], offset=self.floats(FEATURES), scale=self.floats(FEATURES))
        for norm in ("MAX", "L1", "L2"):
            self.add(f"normalizer_{norm}", "Normalizer", [numpy.abs(x)], [TensorProto.FLOAT], norm=norm)
        self.add("binarizer", "Binarizer", [x], [TensorProto.FLOAT], threshold=0.5)
        self.add("label_encoder_integers", "LabelEncoder", [whole], [TensorProto.INT64], keys_int64s=[0, 2, 4],
                 values_int64s=[10, -3, 7], default_int64=99)
        self.add("label_encoder_floats", "LabelEncoder", [x], [TensorProto.FLOAT], keys_floats=[0.25, -1.0, 2.0],
                 values_floats=[0.5, 3.0, -2.5], default_float=-7.0)
        self.add("label_encoder_mixed", "LabelEncoder", [whole], [TensorProto.FLOAT], keys_int64s=[1, 3],
                 values_floats=[0.5, 3.0], default_float=0.125)
        self.add("one_hot", "OneHotEncoder", [whole[:, 0]], [TensorProto.FLOAT], cats_int64s=[0, 3, 5], zeros=1)
        holes = x.copy()
        holes[1::3] = numpy.nan
        self.add("imputer", "Imputer", [holes], [TensorProto.FLOAT], imputed_value_floats=self.floats(FEATURES),
                 replaced_value_float=numpy.nan)
        self.add("imputer_value", "Imputer", [x], [TensorProto.FLOAT], imputed_value_floats=[9.0], replaced_value_float=0.25)
        self.add("imputer_integers", "Imputer", [whole], [TensorProto.INT64], imputed_value_int64s=[9], replaced_value_int64=2)
        self.add("vectorizer", "FeatureVectorizer", [x, self.rows((ROWS, 2))], [TensorProto.FLOAT], inputdimensions=[FEATURES, 2])
        self.add("extractor", "ArrayFeatureExtractor", [x, numpy.array([3, 0, 3], numpy.int64)], [TensorProto.FLOAT])


def check(session: kiln_capi.Session, path: pathlib.Path, feeds: dict) -> str:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    want = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(None, feeds)
    try:
        return disagreement(session.load(path).run(feeds), want)
    except kiln_capi.KilnError as error:
        session.heal()
        return str(error)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="")
    parser.add_argument("--device", default="host")
    parser.add_argument("--build", type=pathlib.Path, default=kiln_capi.DEFAULT_BUILD)
    options = parser.parse_args()
    cases = Cases()
    cases.add_trees()
    cases.add_linear()
    cases.add_features()
    session = kiln_capi.Session(options.device, threads=1, build=options.build)
    failed = run = 0
    with tempfile.TemporaryDirectory() as temporary:
        for name, model, feeds in cases.all:
            if options.filter not in name:
                continue
            path = pathlib.Path(temporary) / f"{name}.onnx"
            onnx.save(model, path)
            wrong = check(session, path, feeds)
            run += 1
            failed += bool(wrong)
            if wrong:
                print(f"failed: {name}: {' '.join(wrong.split())[:300]}")
    print(f"{run} models, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
