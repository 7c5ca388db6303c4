// reduction.mlir: reductions over every kind of axis on vector cores: outer, wide, dynamic, several; and what is made of them.
func.func @columns(%x: tensor<?x67xf32>) -> tensor<67xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["Mx67 uniform -2 2"], cases = ["M=2", "M=13", "M=700"]}} {
  %0 = kiln.reduce sum %x axes [0] : tensor<?x67xf32> -> tensor<67xf32>
  return %0 : tensor<67xf32>
}

func.func @middle(%x: tensor<3x50x40xf32>) -> tensor<3x1x40xf32> attributes {kiln.test = {
    types = [f16, f32, i32], inputs = ["3x50x40 uniform -2 2"]}} {
  %0 = kiln.reduce max %x axes [1] keepdims : tensor<3x50x40xf32> -> tensor<3x1x40xf32>
  return %0 : tensor<3x1x40xf32>
}

func.func @tall(%x: tensor<5000x3xf32>) -> tensor<3xf32> attributes {kiln.test = {
    inputs = ["5000x3 uniform -2 2"]}} {
  %0 = kiln.reduce mean %x axes [0] : tensor<5000x3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @dynamic_row(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["MxN uniform -2 2"], cases = ["M=1 N=1", "M=3 N=70", "M=60 N=9000"]}} {
  %0 = kiln.reduce mean %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @wide(%x: tensor<5x20000xf32>) -> tensor<5xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["5x20000 uniform -2 2"]}} {
  %0 = kiln.reduce max %x axes [1] : tensor<5x20000xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @all(%x: tensor<60x70xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["60x70 uniform -2 2"]}} {
  %0 = kiln.reduce sum_square %x axes [0, 1] : tensor<60x70xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @ends(%x: tensor<6x5x300xf32>) -> tensor<5xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["6x5x300 uniform -2 2"]}} {
  %0 = kiln.reduce l2 %x axes [0, 2] : tensor<6x5x300xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @outermost(%x: tensor<6x5x8x30xf32>) -> tensor<5x30xf32> attributes {kiln.test = {
    types = [f32], inputs = ["6x5x8x30 uniform -2 2"]}} {
  %0 = kiln.reduce sum %x axes [0, 2] : tensor<6x5x8x30xf32> -> tensor<5x30xf32>
  return %0 : tensor<5x30xf32>
}

func.func @products(%x: tensor<20x9xf32>) -> tensor<20xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["20x9 uniform 0.5 1.5"]}} {
  %0 = kiln.reduce prod %x axes [1] : tensor<20x9xf32> -> tensor<20xf32>
  return %0 : tensor<20xf32>
}

func.func @integers(%x: tensor<?x37xi32>) -> tensor<?xi32> attributes {kiln.test = {
    inputs = ["Mx37 uniform -2000000000 2000000000"], cases = ["M=3", "M=100"]}} {
  %0 = kiln.reduce sum %x axes [1] : tensor<?x37xi32> -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

func.func @any(%x: tensor<30x37xf32>) -> tensor<30xi1> attributes {kiln.test = {
    inputs = ["30x37 uniform -1 9"]}} {
  %c = kiln.constant dense<-0.95> : tensor<f32>
  %0 = kiln.compare lt %x, %c : tensor<30x37xf32>, tensor<f32> -> tensor<30x37xi1>
  %1 = kiln.reduce any %0 axes [1] : tensor<30x37xi1> -> tensor<30xi1>
  return %1 : tensor<30xi1>
}

func.func @log_sum_exp(%x: tensor<30x37xf32>) -> tensor<30xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["30x37 uniform -1 9"]}} {
  %0 = kiln.reduce log_sum_exp %x axes [1] : tensor<30x37xf32> -> tensor<30xf32>
  return %0 : tensor<30xf32>
}

func.func @softmax_across(%x: tensor<3x50x40xf32>) -> tensor<3x50x40xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["3x50x40 uniform -9 9"]}} {
  %0 = kiln.softmax %x axis 1 : tensor<3x50x40xf32>
  return %0 : tensor<3x50x40xf32>
}

func.func @softmax_dynamic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["MxN uniform -9 9"], cases = ["M=1 N=1", "M=3 N=70", "M=60 N=9000"]}} {
  %0 = kiln.softmax %x axis 1 : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @log_softmax_wide(%x: tensor<3x9000xf32>) -> tensor<3x9000xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["3x9000 uniform -9 9"]}} {
  %0 = kiln.log_softmax %x axis 1 : tensor<3x9000xf32>
  return %0 : tensor<3x9000xf32>
}

func.func @layer_norm_wide(%x: tensor<3x9000xf32>, %s: tensor<9000xf32>, %b: tensor<9000xf32>) -> tensor<3x9000xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["3x9000 uniform -2 2", "9000 uniform -2 2", "9000 uniform -2 2"]}} {
  %0 = kiln.layer_norm %x scale(%s : tensor<9000xf32>) bias(%b : tensor<9000xf32>) axis -1 epsilon 1.0e-5 : tensor<3x9000xf32>
  return %0 : tensor<3x9000xf32>
}

func.func @instance_norm(%x: tensor<2x5x30x11xf32>, %s: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<2x5x30x11xf32> attributes {kiln.test = {
    types = [f16, f32, bf16], inputs = ["2x5x30x11 uniform -2 2", "5 uniform -2 2", "5 uniform -2 2"]}} {
  %0 = kiln.instance_norm %x scale(%s : tensor<5xf32>) bias(%b : tensor<5xf32>) epsilon 1.0e-5 : tensor<2x5x30x11xf32>
  return %0 : tensor<2x5x30x11xf32>
}

func.func @batch_norm(%x: tensor<2x5x30x11xf32>, %s: tensor<5xf32>, %b: tensor<5xf32>, %m: tensor<5xf32>, %v: tensor<5xf32>) -> tensor<2x5x30x11xf32> attributes {kiln.test = {
    types = [f16, f32, bf16], inputs = ["2x5x30x11 uniform -2 2", "5 uniform -2 2", "5 uniform -2 2", "5 uniform -2 2", "5 uniform 1 2"]}} {
  %0 = kiln.batch_norm %x, %s, %b, %m, %v epsilon 1.0e-5 : tensor<2x5x30x11xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  return %0 : tensor<2x5x30x11xf32>
}

func.func @quantized_means(%x: tensor<4x32x3x96xf32>) -> tensor<4x32x1x1xf32> attributes {kiln.test = {
    inputs = ["4x32x3x96 uniform -2 2"]}} {
  %s = kiln.constant dense<0.0125> : tensor<f32>
  %z = kiln.constant dense<26> : tensor<ui8>
  %0 = kiln.reduce mean %x axes [2, 3] keepdims : tensor<4x32x3x96xf32> -> tensor<4x32x1x1xf32>
  %1 = kiln.quantize %0 scale %s zero_point %z : tensor<4x32x1x1xf32>, tensor<f32>, tensor<ui8> -> tensor<4x32x1x1xui8>
  %2 = kiln.dequantize %1 scale %s zero_point %z : tensor<4x32x1x1xui8>, tensor<f32>, tensor<ui8> -> tensor<4x32x1x1xf32>
  return %2 : tensor<4x32x1x1xf32>
}

func.func @variance_of_all(%x: tensor<1x512xf32>, %m: tensor<1x1xf32>) -> tensor<1x1xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x512 uniform -2 2", "1x1 uniform -1 1"]}} {
  %c = kiln.constant dense<0.001953125> : tensor<1x1xf32>
  %z = kiln.constant dense<0.0> : tensor<f32>
  %0 = kiln.mul %x, %x : tensor<1x512xf32>, tensor<1x512xf32> -> tensor<1x512xf32>
  %1 = kiln.mul %m, %m : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %2 = kiln.reduce sum %0 axes [1] keepdims : tensor<1x512xf32> -> tensor<1x1xf32>
  %3 = kiln.mul %2, %c : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %4 = kiln.sub %3, %1 : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %5 = kiln.max %4, %z : tensor<1x1xf32>, tensor<f32> -> tensor<1x1xf32>
  return %5 : tensor<1x1xf32>
}

func.func @scaled_rows(%x: tensor<30x70xf32>, %s: tensor<1x1xf32>) -> (tensor<30x1xf32>, tensor<1x1xf32>) attributes {kiln.test = {
    inputs = ["30x70 uniform -2 2", "1x1 uniform 0.5 2"]}} {
  %c = kiln.constant dense<3.0> : tensor<f32>
  %0 = kiln.reduce max %x axes [1] keepdims : tensor<30x70xf32> -> tensor<30x1xf32>
  %1 = kiln.exp %s : tensor<1x1xf32>
  %2 = kiln.div %c, %1 : tensor<f32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %3 = kiln.mul %0, %2 : tensor<30x1xf32>, tensor<1x1xf32> -> tensor<30x1xf32>
  return %3, %2 : tensor<30x1xf32>, tensor<1x1xf32>
}

func.func @large_squares(%x: tensor<9x512xf16>, %m: tensor<9xf16>) -> (tensor<9xf16>, tensor<9x512xf16>) attributes {kiln.test = {
    inputs = ["9x512 uniform 0 2", "9 uniform 0 1"]}} {
  %c = kiln.constant dense<0.001953125> : tensor<f16>
  %0 = kiln.mul %x, %x : tensor<9x512xf16>, tensor<9x512xf16> -> tensor<9x512xf16>
  %1 = kiln.reduce sum %0 axes [1] : tensor<9x512xf16> -> tensor<9xf16>
  %2 = kiln.mul %1, %c : tensor<9xf16>, tensor<f16> -> tensor<9xf16>
  %3 = kiln.mul %m, %m : tensor<9xf16>, tensor<9xf16> -> tensor<9xf16>
  %4 = kiln.sub %2, %3 : tensor<9xf16>, tensor<9xf16> -> tensor<9xf16>
  %5 = kiln.neg %x : tensor<9x512xf16>
  return %4, %5 : tensor<9xf16>, tensor<9x512xf16>
}

// The least and greatest of nothing are the type's bounds.
func.func @bounds_of_nothing(%x: tensor<7x?xi16>) -> (tensor<7x1xi16>, tensor<7x1xf32>) attributes {kiln.test = {
    types = [i16, i8, ui8, ui16, i32], inputs = ["7xN"], cases = ["N=3", "N=0"]}} {
  %0 = kiln.reduce min %x axes [1] keepdims : tensor<7x?xi16> -> tensor<7x1xi16>
  %1 = kiln.reduce max %x axes [1] keepdims : tensor<7x?xi16> -> tensor<7x1xi16>
  %2 = kiln.convert %1 : tensor<7x1xi16> to tensor<7x1xf32>
  return %0, %2 : tensor<7x1xi16>, tensor<7x1xf32>
}

// Sums of no rows, which a core adds one by one; maxima of no columns.
func.func @no_rows(%x: tensor<?x?xf32>) -> (tensor<1x?xf32>) attributes {kiln.test = {
    types = [f32, bf16], inputs = ["MxN"], cases = ["M=5 N=8", "M=0 N=7", "M=0 N=70", "M=0 N=1"]}} {
  %0 = kiln.reduce mean %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %0 : tensor<1x?xf32>
}
func.func @no_columns(%x: tensor<?x?xf32>) -> (tensor<?x1xf32>) attributes {kiln.test = {
    types = [f32, bf16], inputs = ["MxN"], cases = ["M=5 N=8", "M=7 N=0", "M=70 N=0", "M=1 N=0"]}} {
  %0 = kiln.reduce max %x axes [1] keepdims : tensor<?x?xf32> -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// Its groups as rows, then a product and a sum by channel: nothing of it is the scalar units'.
func.func @group_norm(%x: tensor<?x24x13x7xf32>, %s: tensor<24xf32>, %b: tensor<24xf32>) -> tensor<?x24x13x7xf32> attributes {kiln.test = {
    inputs = ["Nx24x13x7", "24", "24"], cases = ["N=2", "N=5"]}} {
  %y = kiln.group_norm %x scale(%s : tensor<24xf32>) bias(%b : tensor<24xf32>) groups 4 epsilon 1.0e-4 : tensor<?x24x13x7xf32>
  return %y : tensor<?x24x13x7xf32>
}

func.func @group_norm_of_long_rows(%x: tensor<1x64x48x48xf16>, %s: tensor<64xf16>) -> tensor<1x64x48x48xf16> attributes {kiln.test = {
    inputs = ["1x64x48x48", "64"]}} {
  %y = kiln.group_norm %x scale(%s : tensor<64xf16>) groups 8 epsilon 1.0e-5 : tensor<1x64x48x48xf16>
  return %y : tensor<1x64x48x48xf16>
}

// Few sums of long columns: cores share the row.
func.func @shared_columns(%x: tensor<300x1000xf32>) -> tensor<1000xf32> attributes {kiln.test = {
    types = [f16, f32, i32], inputs = ["300x1000 uniform -2 2"]}} {
  %0 = kiln.reduce sum %x axes [0] : tensor<300x1000xf32> -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// Tiles that begin between lines of GM are moved up to the next line, then on.
func.func @between_lines(%x: tensor<?x1000xf32>) -> tensor<?x1000xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["Mx1000 uniform -2 2"], cases = ["M=0", "M=1", "M=7", "M=16", "M=203"]}} {
  %0 = kiln.softmax %x axis 1 : tensor<?x1000xf32>
  return %0 : tensor<?x1000xf32>
}

func.func @lines_of_known_rows(%x: tensor<100x200xf32>) -> tensor<100x200xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["100x200 uniform -2 2"]}} {
  %0 = kiln.layer_norm %x axis 1 epsilon 1.0e-5 : tensor<100x200xf32>
  return %0 : tensor<100x200xf32>
}
