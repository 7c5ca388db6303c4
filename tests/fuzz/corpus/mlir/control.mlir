func.func @main(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %i = arith.index_cast %e : i64 to index
  %y = scf.for %k = %c0 to %i step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %b = kiln.add %a, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
