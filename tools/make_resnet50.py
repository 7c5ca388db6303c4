#!/usr/bin/env python3
# make_resnet50.py: ResNet-50 with random weights as an ONNX file, for measurements; needs onnx and numpy.
"""Writes ResNet-50 for one picture of 3x224x224, normalisation folded into the convolutions, weights from a fixed seed."""

import argparse
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width, blocks, stride of the first
EXPANSION = 4


class Graph:
    """Nodes in order, with the weights that they name."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.random = numpy.random.default_rng(0)

    def op(self, kind: str, *inputs: str, **attributes: object) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def weight(self, *shape: int, fan_in: int) -> str:
        name = f"w{len(self.weights)}"
        values = self.random.standard_normal(shape, dtype=numpy.float32) * numpy.float32((1.0 / fan_in) ** 0.5)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def conv(self, x: str, inputs: int, outputs: int, size: int, stride: int) -> str:
        fan_in = inputs * size * size
        return self.op("Conv", x, self.weight(outputs, inputs, size, size, fan_in=fan_in), self.weight(outputs, fan_in=fan_in),
                       kernel_shape=[size] * 2, strides=[stride] * 2, pads=[size // 2] * 4)

    def block(self, x: str, inputs: int, width: int, stride: int) -> str:
        y = self.op("Relu", self.conv(x, inputs, width, 1, 1))
        y = self.op("Relu", self.conv(y, width, width, 3, stride))
        y = self.conv(y, width, EXPANSION * width, 1, 1)
        if stride != 1 or inputs != EXPANSION * width:
            x = self.conv(x, inputs, EXPANSION * width, 1, stride)
        return self.op("Relu", self.op("Add", x, y))


def resnet50() -> onnx.ModelProto:
    graph = Graph()
    x = graph.op("Relu", graph.conv("x", 3, 64, 7, 2))
    x = graph.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for width, blocks, stride in STAGES:
        for i in range(blocks):
            x = graph.block(x, channels, width, stride if i == 0 else 1)
            channels = EXPANSION * width
    x = graph.op("Flatten", graph.op("GlobalAveragePool", x))
    y = graph.op("Gemm", x, graph.weight(1000, channels, fan_in=channels), graph.weight(1000, fan_in=channels), transB=1)
    made = helper.make_graph(graph.nodes, "resnet50", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 224, 224])],
                             [helper.make_tensor_value_info(y, TensorProto.FLOAT, [1, 1000])], graph.weights)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path)
    onnx.save(resnet50(), parser.parse_args().file)


if __name__ == "__main__":
    main()
