func.func @main(%x: tensor<?x4xf32> {kiln.name = "x", kiln.dim_names = ["n", ""]}) -> tensor<?x4xf32> {
  %c = kiln.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = kiln.add %x, %c : tensor<?x4xf32>, tensor<4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
