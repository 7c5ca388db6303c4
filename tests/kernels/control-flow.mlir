// control-flow.mlir: what the program does around kernels: branches, loops, lists, extents as data.

// 2^10 by doubling; the condition is read back in each round.
func.func @while_data_decides() {
  %c0 = arith.constant 0 : index
  %one = kiln.constant dense<[1.0]> : tensor<1xf32>
  %x = kiln.optimization_barrier %one : tensor<1xf32>
  %limit = kiln.constant dense<[1000.0]> : tensor<1xf32>
  %r = scf.while (%a = %x) : (tensor<1xf32>) -> tensor<1xf32> {
    %less = kiln.compare lt %a, %limit : tensor<1xf32>, tensor<1xf32> -> tensor<1xi1>
    %p = tensor.extract %less[%c0] : tensor<1xi1>
    scf.condition(%p) %a : tensor<1xf32>
  } do {
  ^bb0(%a: tensor<1xf32>):
    %b = kiln.add %a, %a : tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
    scf.yield %b : tensor<1xf32>
  }
  %want = kiln.constant dense<[1024.0]> : tensor<1xf32>
  kiln.check_equal %r, %want : tensor<1xf32>
  return
}

// A list of the rounds' values, and a carried tensor that doubles its length.
func.func @lists_and_changing_extents() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e0 = kiln.constant dense<> : tensor<0x2xi32>
  %empty = tensor.cast %e0 : tensor<0x2xi32> to tensor<?x2xi32>
  %s0 = kiln.constant dense<[1, 2]> : tensor<2xi32>
  %start = kiln.optimization_barrier %s0 : tensor<2xi32>
  %g0 = kiln.constant dense<[7]> : tensor<1xi32>
  %g1 = kiln.optimization_barrier %g0 : tensor<1xi32>
  %long = tensor.cast %g1 : tensor<1xi32> to tensor<?xi32>
  %0:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%list = %empty, %a = %start, %g = %long)
      -> (tensor<?x2xi32>, tensor<2xi32>, tensor<?xi32>) {
    %next = kiln.append %list, %a : tensor<?x2xi32>, tensor<2xi32> -> tensor<?x2xi32>
    %b = kiln.add %a, %a : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
    %h = kiln.concat %g, %g axis 0 : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>
    scf.yield %next, %b, %h : tensor<?x2xi32>, tensor<2xi32>, tensor<?xi32>
  }
  %list = kiln.reshape %0#0 [3, 2] : tensor<?x2xi32> -> tensor<3x2xi32>
  %wl = kiln.constant dense<[[1, 2], [2, 4], [4, 8]]> : tensor<3x2xi32>
  kiln.check_equal %list, %wl : tensor<3x2xi32>
  %g = kiln.reshape %0#2 [8] : tensor<?xi32> -> tensor<8xi32>
  %wg = kiln.constant dense<7> : tensor<8xi32>
  kiln.check_equal %g, %wg : tensor<8xi32>
  return
}

// Carried values of unknown extents that change places.
func.func @swap_of_unknown_extents() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a0 = kiln.constant dense<[1, 2, 3]> : tensor<3xi32>
  %a1 = kiln.optimization_barrier %a0 : tensor<3xi32>
  %a = tensor.cast %a1 : tensor<3xi32> to tensor<?xi32>
  %b0 = kiln.constant dense<[4, 5]> : tensor<2xi32>
  %b1 = kiln.optimization_barrier %b0 : tensor<2xi32>
  %b = tensor.cast %b1 : tensor<2xi32> to tensor<?xi32>
  %0:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<?xi32>, tensor<?xi32>) {
    scf.yield %y, %x : tensor<?xi32>, tensor<?xi32>
  }
  %x = kiln.reshape %0#0 [2] : tensor<?xi32> -> tensor<2xi32>
  kiln.check_equal %x, %b0 : tensor<2xi32>
  %y = kiln.reshape %0#1 [3] : tensor<?xi32> -> tensor<3xi32>
  kiln.check_equal %y, %a0 : tensor<3xi32>
  return
}

// A branch computes a value of other extents than the other one; nested in a loop.
func.func @branches_of_other_extents() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %x0 = kiln.constant dense<[1, 2]> : tensor<2xi32>
  %x = kiln.optimization_barrier %x0 : tensor<2xi32>
  %e0 = kiln.constant dense<> : tensor<0xi32>
  %empty = tensor.cast %e0 : tensor<0xi32> to tensor<?xi32>
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %empty) -> (tensor<?xi32>) {
    %even = arith.remsi %i, %c2 : index
    %p = arith.cmpi eq, %even, %c0 : index
    %part = scf.if %p -> tensor<?xi32> {
      %d = kiln.concat %x, %x axis 0 : tensor<2xi32>, tensor<2xi32> -> tensor<4xi32>
      %e = tensor.cast %d : tensor<4xi32> to tensor<?xi32>
      scf.yield %e : tensor<?xi32>
    } else {
      %e = tensor.cast %x : tensor<2xi32> to tensor<?xi32>
      scf.yield %e : tensor<?xi32>
    }
    %next = kiln.concat %acc, %part axis 0 : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>
    scf.yield %next : tensor<?xi32>
  }
  %got = kiln.reshape %0 [12] : tensor<?xi32> -> tensor<12xi32>
  %want = kiln.constant dense<[1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]> : tensor<12xi32>
  kiln.check_equal %got, %want : tensor<12xi32>
  return
}

// Numbers that a loop computes become data; no round leaves the list empty.
func.func @extents_as_data() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = kiln.constant dense<5> : tensor<i64>
  %n = kiln.optimization_barrier %n0 : tensor<i64>
  %e = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %e : i64 to index
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %c0) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  %got = kiln.from_elements [%sum, %count, %c1] : tensor<3xi64>
  %want = kiln.constant dense<[10, 5, 1]> : tensor<3xi64>
  kiln.check_equal %got, %want : tensor<3xi64>
  %flag = kiln.from_elements [%sum] scalar : tensor<i1>
  %true = kiln.constant dense<true> : tensor<i1>
  kiln.check_equal %flag, %true : tensor<i1>
  %l0 = kiln.constant dense<> : tensor<0x1xi64>
  %empty = tensor.cast %l0 : tensor<0x1xi64> to tensor<?x1xi64>
  %list = scf.for %i = %count to %c0 step %c1 iter_args(%l = %empty) -> (tensor<?x1xi64>) {
    %entry = kiln.from_elements [%i] : tensor<1xi64>
    %m = kiln.append %l, %entry : tensor<?x1xi64>, tensor<1xi64> -> tensor<?x1xi64>
    scf.yield %m : tensor<?x1xi64>
  }
  %length = tensor.dim %list, %c0 : tensor<?x1xi64>
  %gotLength = kiln.from_elements [%length] : tensor<1xi64>
  %zero = kiln.constant dense<0> : tensor<1xi64>
  kiln.check_equal %gotLength, %zero : tensor<1xi64>
  return
}

// A value of one round of a `while` that is read twice, and twice carried.
func.func @while_reads_a_value_twice() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n0 = kiln.constant dense<3> : tensor<i64>
  %n1 = kiln.optimization_barrier %n0 : tensor<i64>
  %n = tensor.extract %n1[] : tensor<i64>
  %count = arith.index_cast %n : i64 to index
  %x0 = kiln.constant dense<[1, 2]> : tensor<2xi32>
  %x1 = kiln.optimization_barrier %x0 : tensor<2xi32>
  %x = tensor.cast %x1 : tensor<2xi32> to tensor<?xi32>
  %e = kiln.constant dense<> : tensor<0x0xi32>
  %empty = tensor.cast %e : tensor<0x0xi32> to tensor<?x?xi32>
  %r:3 = scf.while (%i = %c0, %a = %x, %list = %empty) : (index, tensor<?xi32>, tensor<?x?xi32>)
      -> (index, tensor<?xi32>, tensor<?x?xi32>) {
    %p = arith.cmpi slt, %i, %count : index
    scf.condition(%p) %i, %a, %list : index, tensor<?xi32>, tensor<?x?xi32>
  } do {
  ^bb0(%i: index, %a: tensor<?xi32>, %list: tensor<?x?xi32>):
    %j = arith.addi %i, %c1 : index
    %b = kiln.add %a, %a : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>
    %next = kiln.append %list, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
    scf.yield %j, %b, %next : index, tensor<?xi32>, tensor<?x?xi32>
  }
  %a = kiln.reshape %r#1 [2] : tensor<?xi32> -> tensor<2xi32>
  %wa = kiln.constant dense<[8, 16]> : tensor<2xi32>
  kiln.check_equal %a, %wa : tensor<2xi32>
  %list = kiln.reshape %r#2 [3, 2] : tensor<?x?xi32> -> tensor<3x2xi32>
  %wl = kiln.constant dense<[[2, 4], [4, 8], [8, 16]]> : tensor<3x2xi32>
  kiln.check_equal %list, %wl : tensor<3x2xi32>
  return
}
