# make_fixtures.py: writes the .onnx files that the lit tests import.
"""Writes the .onnx files of this folder. Needs the onnx package: python3 make_fixtures.py"""
import pathlib

import onnx
from onnx import parser

HERE = pathlib.Path(__file__).parent


def save(name, text):
    model = parser.parse_model(text)
    onnx.checker.check_model(model)
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString())


save("mlp", """
<ir_version: 8, opset_import: ["" : 17]>
mlp (float[batch, 3] x) => (float[batch, 2] y)
<float[3, 2] w = {1, 2, 3, 4, 5, 6}, float[2] b = {0.5, -0.5}>
{
  product = MatMul (x, w)
  sum = Add (product, b)
  y = Relu (sum)
}
""")

save("flatten", """
<ir_version: 8, opset_import: ["" : 17]>
flatten (float[batch, 3, H, 4] x) => (float[a, b] y)
<int64 zero = {0}, int64[1] axis = {0}, int64[1] rest = {-1}>
{
  shape = Shape (x)
  batch = Gather (shape, zero)
  first = Unsqueeze (batch, axis)
  target = Concat <axis = 0> (first, rest)
  y = Reshape (x, target)
}
""")

save("convnet", """
<ir_version: 8, opset_import: ["" : 13]>
convnet (float[batch, 3, 8, 8] x) => (float[batch, 4] y)
<float[4, 3, 3, 3] w, float[4] s = {1, 1, 1, 1}, float[4] b = {0, 0, 0, 0}, float six = {6}, float zero = {0}>
{
  c = Conv <auto_pad = "SAME_UPPER", strides = [2, 2]> (x, w)
  n = BatchNormalization (c, s, b, b, s)
  l = Clip (n, zero, six)
  g = GlobalAveragePool (l)
  f = Flatten (g)
  y = Softmax (f)
}
""".replace("float[4, 3, 3, 3] w", "float[4, 3, 3, 3] w = {" + ", ".join(str(i) for i in range(108)) + "}"))

save("attention", """
<ir_version: 8, opset_import: ["" : 17]>
attention (float[batch, heads, seq, 16] q, float[batch, heads, seq, 16] k) => (float[a, b, c, d] y)
<float scale = {0.25}>
{
  t = Transpose <perm = [0, 1, 3, 2]> (k)
  s = MatMul (q, t)
  m = Mul (s, scale)
  y = Softmax <axis = -1> (m)
}
""")

save("unsupported", """
<ir_version: 8, opset_import: ["" : 17, "com.example" : 2]>
unsupported (float[n] x) => (float[m] y)
{
  a = StringNormalizer (x)
  b = com.example.Frobnicate (a)
  y = Relu (b)
}
""")
