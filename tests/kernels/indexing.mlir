// indexing.mlir: reading and writing at indices, ordering and selecting, by laws that hold for any data.

// Taking every row in order changes nothing; backwards twice neither.
func.func @gather_rows() {
  %i = kiln.iota axis 1 [37, 70] : tensor<37x70xf32>
  %x = kiln.optimization_barrier %i : tensor<37x70xf32>
  %p0 = kiln.iota axis 0 [37] : tensor<37xi64>
  %p = kiln.optimization_barrier %p0 : tensor<37xi64>
  %same = kiln.gather %x, %p axis 0 : tensor<37x70xf32>, tensor<37xi64> -> tensor<37x70xf32>
  kiln.check_equal %same, %x : tensor<37x70xf32>
  %c = kiln.constant dense<-1> : tensor<i64>
  %q = kiln.sub %c, %p : tensor<i64>, tensor<37xi64> -> tensor<37xi64>
  %back = kiln.gather %x, %q axis 0 : tensor<37x70xf32>, tensor<37xi64> -> tensor<37x70xf32>
  %want = kiln.reverse %x axes [0] : tensor<37x70xf32>
  kiln.check_equal %back, %want : tensor<37x70xf32>
  return
}

// An index out of range reads the nearest element.
func.func @gather_clamps() {
  %x0 = kiln.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %x = kiln.optimization_barrier %x0 : tensor<3xf32>
  %i0 = kiln.constant dense<[-100, -4, -3, 2, 3, 100]> : tensor<6xi64>
  %i = kiln.optimization_barrier %i0 : tensor<6xi64>
  %y = kiln.gather %x, %i axis 0 : tensor<3xf32>, tensor<6xi64> -> tensor<6xf32>
  %w = kiln.constant dense<[1.0, 1.0, 1.0, 3.0, 3.0, 3.0]> : tensor<6xf32>
  kiln.check_equal %y, %w : tensor<6xf32>
  return
}

// gather_elements and gather_nd at the same places.
func.func @gather_variants() {
  %i = kiln.iota axis 1 [9, 33] : tensor<9x33xi32>
  %x = kiln.optimization_barrier %i : tensor<9x33xi32>
  %k0 = kiln.iota axis 1 [9, 33] : tensor<9x33xi64>
  %c = kiln.constant dense<32> : tensor<i64>
  %k1 = kiln.sub %c, %k0 : tensor<i64>, tensor<9x33xi64> -> tensor<9x33xi64>
  %k = kiln.optimization_barrier %k1 : tensor<9x33xi64>
  %a = kiln.gather_elements %x, %k axis 1 : tensor<9x33xi32>, tensor<9x33xi64> -> tensor<9x33xi32>
  %want = kiln.reverse %x axes [1] : tensor<9x33xi32>
  kiln.check_equal %a, %want : tensor<9x33xi32>
  %t = kiln.reshape %k [9, 33, 1] : tensor<9x33xi64> -> tensor<9x33x1xi64>
  %b = kiln.gather_nd %x, %t {batch_dims = 1} : tensor<9x33xi32>, tensor<9x33x1xi64> -> tensor<9x33xi32>
  kiln.check_equal %b, %want : tensor<9x33xi32>
  return
}

// Adding one at each index counts them, as the sums of one_hot do.
func.func @scatter_counts() {
  %i0 = kiln.constant dense<[3, 1, 3, -1, 3, 7, -9]> : tensor<7xi64>
  %i = kiln.optimization_barrier %i0 : tensor<7xi64>
  %zero = kiln.constant dense<0> : tensor<5xi32>
  %z = kiln.optimization_barrier %zero : tensor<5xi32>
  %ones = kiln.constant dense<1> : tensor<7xi32>
  %o = kiln.optimization_barrier %ones : tensor<7xi32>
  %counts = kiln.scatter_elements add %z, %i, %o axis 0 : tensor<5xi32>, tensor<7xi64>, tensor<7xi32>
  %on = kiln.constant dense<1> : tensor<i32>
  %off = kiln.constant dense<0> : tensor<i32>
  %hot = kiln.one_hot %i depth [5] axis 1 on %on off %off : tensor<7xi64>, tensor<i32> -> tensor<7x5xi32>
  %sums = kiln.reduce sum %hot axes [0] : tensor<7x5xi32> -> tensor<5xi32>
  kiln.check_equal %counts, %sums : tensor<5xi32>
  return
}

// Rows written where they came from; the last of several updates stays.
func.func @scatter_rows() {
  %i = kiln.iota axis 1 [6, 40] : tensor<6x40xf32>
  %x = kiln.optimization_barrier %i : tensor<6x40xf32>
  %p0 = kiln.constant dense<[[2], [0], [5], [2]]> : tensor<4x1xi64>
  %p = kiln.optimization_barrier %p0 : tensor<4x1xi64>
  %rows = kiln.gather_nd %x, %p : tensor<6x40xf32>, tensor<4x1xi64> -> tensor<4x40xf32>
  %same = kiln.scatter_nd replace %x, %p, %rows : tensor<6x40xf32>, tensor<4x1xi64>, tensor<4x40xf32>
  kiln.check_equal %same, %x : tensor<6x40xf32>
  return
}

// Only the updates, or only the tensor, tell how long a row is.
func.func @scatter_rows_of_known_length(%x: tensor<6x?xf32>, %u: tensor<3x4xf32>, %i: tensor<3x1xi64>) -> (tensor<6x?xf32>, tensor<6x?xf32>)
    attributes {kiln.test = {inputs = ["6xB uniform -2 2", "3x4 uniform -2 2", "3x1 uniform -6 6"], cases = ["B=4"]}} {
  %0 = kiln.scatter_nd add %x, %i, %u : tensor<6x?xf32>, tensor<3x1xi64>, tensor<3x4xf32>
  %1 = kiln.scatter_nd max %x, %i, %u : tensor<6x?xf32>, tensor<3x1xi64>, tensor<3x4xf32>
  return %0, %1 : tensor<6x?xf32>, tensor<6x?xf32>
}

func.func @scatter_rows_of_unknown_length(%x: tensor<6x4xf32>, %u: tensor<3x?xf32>, %i: tensor<3x1xi64>) -> tensor<6x4xf32>
    attributes {kiln.test = {inputs = ["6x4 uniform -2 2", "3xB uniform -2 2", "3x1 uniform -6 6"], cases = ["B=4"]}} {
  %0 = kiln.scatter_nd replace %x, %i, %u : tensor<6x4xf32>, tensor<3x1xi64>, tensor<3x?xf32>
  return %0 : tensor<6x4xf32>
}

// Sorted lines ascend, and their indices lead back to the line; the largest k are its other end.
func.func @order() {
  %s0 = kiln.iota axis 1 [5, 101] : tensor<5x101xf32>
  %f = kiln.constant dense<12.9898> : tensor<f32>
  %s1 = kiln.mul %s0, %f : tensor<5x101xf32>, tensor<f32> -> tensor<5x101xf32>
  %s2 = kiln.sin %s1 : tensor<5x101xf32>
  %x = kiln.optimization_barrier %s2 : tensor<5x101xf32>
  %v, %p = kiln.sort %x axis 1 : tensor<5x101xf32> -> tensor<5x101xf32>, tensor<5x101xi64>
  %low = kiln.slice %v offsets [0, 0] sizes [5, 100] strides [1, 1] : tensor<5x101xf32> -> tensor<5x100xf32>
  %high = kiln.slice %v offsets [0, 1] sizes [5, 100] strides [1, 1] : tensor<5x101xf32> -> tensor<5x100xf32>
  %ascends = kiln.compare le %low, %high : tensor<5x100xf32>, tensor<5x100xf32> -> tensor<5x100xi1>
  %all = kiln.reduce all %ascends axes [0, 1] : tensor<5x100xi1> -> tensor<i1>
  %true = kiln.constant dense<true> : tensor<i1>
  kiln.check_equal %all, %true : tensor<i1>
  %again = kiln.gather_elements %x, %p axis 1 : tensor<5x101xf32>, tensor<5x101xi64> -> tensor<5x101xf32>
  kiln.check_equal %again, %v : tensor<5x101xf32>
  %t, %q = kiln.top_k %x k [4] axis 1 : tensor<5x101xf32> -> tensor<5x4xf32>, tensor<5x4xi64>
  %end = kiln.slice %v offsets [0, 97] sizes [5, 4] strides [1, 1] : tensor<5x101xf32> -> tensor<5x4xf32>
  %wt = kiln.reverse %end axes [1] : tensor<5x4xf32>
  kiln.check_equal %t, %wt : tensor<5x4xf32>
  return
}

// As many indices as there are elements that are not zero, counted when the program runs.
func.func @nonzero() {
  %x0 = kiln.constant dense<[[0.0, 1.0, 0.0], [0x7FC00000, -0.0, 2.0]]> : tensor<2x3xf32>
  %x = kiln.optimization_barrier %x0 : tensor<2x3xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %is = kiln.compare ne %x, %zero : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xi1>
  %one = kiln.convert %is : tensor<2x3xi1> to tensor<2x3xi64>
  %sum = kiln.reduce sum %one axes [0, 1] : tensor<2x3xi64> -> tensor<i64>
  %n0 = tensor.extract %sum[] : tensor<i64>
  %n = arith.index_cast %n0 : i64 to index
  %i = kiln.nonzero %x count [%n] : tensor<2x3xf32> -> tensor<2x?xi64>
  %j = kiln.slice %i offsets [0, 0] sizes [2, 3] strides [1, 1] : tensor<2x?xi64> -> tensor<2x3xi64>
  %w = kiln.constant dense<[[0, 1, 1], [1, 0, 2]]> : tensor<2x3xi64>
  kiln.check_equal %j, %w : tensor<2x3xi64>
  return
}

// Each slice is that of its group.
func.func @unique() {
  %x0 = kiln.constant dense<[[1, 2], [0, 5], [1, 2], [0, 4], [0, 5]]> : tensor<5x2xi32>
  %x = kiln.optimization_barrier %x0 : tensor<5x2xi32>
  %first, %inverse, %counts, %n = kiln.unique %x axis 0 sorted
      : tensor<5x2xi32> -> tensor<5xi64>, tensor<5xi64>, tensor<5xi64>, tensor<i64>
  %distinct = kiln.gather %x, %first axis 0 : tensor<5x2xi32>, tensor<5xi64> -> tensor<5x2xi32>
  %again = kiln.gather %distinct, %inverse axis 0 : tensor<5x2xi32>, tensor<5xi64> -> tensor<5x2xi32>
  kiln.check_equal %again, %x : tensor<5x2xi32>
  %three = kiln.constant dense<3> : tensor<i64>
  kiln.check_equal %n, %three : tensor<i64>
  %w = kiln.constant dense<[1, 2, 2, 0, 0]> : tensor<5xi64>
  kiln.check_equal %counts, %w : tensor<5xi64>
  return
}

// Of boxes that overlap, the one with the best score.
func.func @nms() {
  %b0 = kiln.constant dense<[[[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 10.0, 1.0, 11.0]]]> : tensor<1x3x4xf32>
  %b = kiln.optimization_barrier %b0 : tensor<1x3x4xf32>
  %s0 = kiln.constant dense<[[[0.5, 0.9, 0.6]]]> : tensor<1x1x3xf32>
  %s = kiln.optimization_barrier %s0 : tensor<1x1x3xf32>
  %t = kiln.constant dense<0.5> : tensor<f32>
  %i, %n = kiln.nms %b, %s limit [3] iou %t : tensor<1x3x4xf32>, tensor<1x1x3xf32> -> tensor<1x1x3xi64>, tensor<1x1xi64>
  %w = kiln.constant dense<[[[1, 2, 0]]]> : tensor<1x1x3xi64>
  kiln.check_equal %i, %w : tensor<1x1x3xi64>
  %two = kiln.constant dense<2> : tensor<1x1xi64>
  kiln.check_equal %n, %two : tensor<1x1xi64>
  return
}

// Integers that were computed from floats may be off by one, and so may their order.
func.func @sort_rounded(%x: tensor<7x3xf16>) -> (tensor<7x3xi16>, tensor<7x3xi64>) attributes {kiln.test = {
    inputs = ["7x3 uniform -9 9"]}} {
  %0 = kiln.exp %x : tensor<7x3xf16>
  %1 = kiln.convert %0 : tensor<7x3xf16> to tensor<7x3xi16>
  %2, %3 = kiln.sort %1 axis 1 : tensor<7x3xi16> -> tensor<7x3xi16>, tensor<7x3xi64>
  return %2, %3 : tensor<7x3xi16>, tensor<7x3xi64>
}
