// integers.mlir: integers on vector cores: 8 bits, bitwise ops, comparisons, quantization.
func.func @quantize(%x: tensor<20x45xf32>) -> tensor<20x45xui8> attributes {kiln.test = {
    inputs = ["20x45 uniform -9 9"]}} {
  %s = kiln.constant dense<0.05> : tensor<f32>
  %z = kiln.constant dense<120> : tensor<ui8>
  %0 = kiln.quantize %x scale %s zero_point %z : tensor<20x45xf32>, tensor<f32>, tensor<ui8> -> tensor<20x45xui8>
  return %0 : tensor<20x45xui8>
}

func.func @quantize_channels(%x: tensor<2x5x70xf32>, %s: tensor<5x1xf32>, %z: tensor<5x1xi8>) -> tensor<2x5x70xi8> attributes {kiln.test = {
    inputs = ["2x5x70 uniform -9 9", "5x1 uniform 0.02 0.1", "5x1 uniform -20 20"]}} {
  %0 = kiln.quantize %x scale %s zero_point %z : tensor<2x5x70xf32>, tensor<5x1xf32>, tensor<5x1xi8> -> tensor<2x5x70xi8>
  return %0 : tensor<2x5x70xi8>
}

func.func @dequantize(%x: tensor<20x45xui8>, %s: tensor<45xf32>, %z: tensor<45xui8>) -> tensor<20x45xf32> attributes {kiln.test = {
    inputs = ["20x45 uniform 0 255", "45 uniform 0.02 0.1", "45 uniform 0 255"]}} {
  %0 = kiln.dequantize %x scale %s zero_point %z : tensor<20x45xui8>, tensor<45xf32>, tensor<45xui8> -> tensor<20x45xf32>
  return %0 : tensor<20x45xf32>
}

func.func @requantize(%x: tensor<20x45xi32>, %s: tensor<45xf32>) -> tensor<20x45xi8> attributes {kiln.test = {
    inputs = ["20x45 uniform -30000 30000", "45 uniform 0.001 0.01"]}} {
  %c = kiln.constant dense<1.0> : tensor<f32>
  %0 = kiln.dequantize %x scale %s : tensor<20x45xi32>, tensor<45xf32> -> tensor<20x45xf32>
  %1 = kiln.relu %0 : tensor<20x45xf32>
  %2 = kiln.quantize %1 scale %c : tensor<20x45xf32>, tensor<f32> -> tensor<20x45xi8>
  return %2 : tensor<20x45xi8>
}

func.func @bytes(%x: tensor<300xi8>, %y: tensor<300xi8>) -> (tensor<300xi8>, tensor<300xi8>, tensor<300xi8>, tensor<300xi8>, tensor<300xi1>) attributes {kiln.test = {
    types = [i8, ui8], inputs = ["300 uniform 0 127", "300 uniform 0 127"]}} {
  %0 = kiln.add %x, %y : tensor<300xi8>, tensor<300xi8> -> tensor<300xi8>
  %1 = kiln.mul %x, %y : tensor<300xi8>, tensor<300xi8> -> tensor<300xi8>
  %2 = kiln.max %x, %y : tensor<300xi8>, tensor<300xi8> -> tensor<300xi8>
  %3 = kiln.xor %x, %y : tensor<300xi8>, tensor<300xi8> -> tensor<300xi8>
  %4 = kiln.compare lt %x, %y : tensor<300xi8>, tensor<300xi8> -> tensor<300xi1>
  return %0, %1, %2, %3, %4 : tensor<300xi8>, tensor<300xi8>, tensor<300xi8>, tensor<300xi8>, tensor<300xi1>
}

func.func @bits(%x: tensor<30x50xi32>, %y: tensor<50xi32>) -> (tensor<30x50xi32>, tensor<30x50xi32>, tensor<30x50xi32>) attributes {kiln.test = {
    inputs = ["30x50 uniform -2000000000 2000000000", "50 uniform -2000000000 2000000000"]}} {
  %0 = kiln.and %x, %y : tensor<30x50xi32>, tensor<50xi32> -> tensor<30x50xi32>
  %1 = kiln.or %x, %y : tensor<30x50xi32>, tensor<50xi32> -> tensor<30x50xi32>
  %2 = kiln.xor %x, %y : tensor<30x50xi32>, tensor<50xi32> -> tensor<30x50xi32>
  return %0, %1, %2 : tensor<30x50xi32>, tensor<30x50xi32>, tensor<30x50xi32>
}

func.func @convert(%x: tensor<300xf32>) -> (tensor<300xi8>, tensor<300xui8>, tensor<300xi32>, tensor<300xi1>) attributes {kiln.test = {
    types = [f16, f32], inputs = ["300 uniform -300 300"]}} {
  %0 = kiln.convert %x : tensor<300xf32> to tensor<300xi8>
  %1 = kiln.convert %x : tensor<300xf32> to tensor<300xui8>
  %2 = kiln.convert %x : tensor<300xf32> to tensor<300xi32>
  %3 = kiln.convert %x : tensor<300xf32> to tensor<300xi1>
  return %0, %1, %2, %3 : tensor<300xi8>, tensor<300xui8>, tensor<300xi32>, tensor<300xi1>
}

func.func @narrow(%x: tensor<300xi32>, %y: tensor<300xi8>) -> (tensor<300xi8>, tensor<300xui8>, tensor<300xi32>, tensor<300xf32>) attributes {kiln.test = {
    inputs = ["300 uniform -30000 30000", "300 uniform -128 127"]}} {
  %0 = kiln.convert %x : tensor<300xi32> to tensor<300xi8>
  %1 = kiln.convert %x : tensor<300xi32> to tensor<300xui8>
  %2 = kiln.convert %y : tensor<300xi8> to tensor<300xi32>
  %3 = kiln.convert %y : tensor<300xi8> to tensor<300xf32>
  return %0, %1, %2, %3 : tensor<300xi8>, tensor<300xui8>, tensor<300xi32>, tensor<300xf32>
}

func.func @not_numbers(%x: tensor<300xf32>) -> (tensor<300xi1>, tensor<300xi1>) attributes {kiln.test = {
    types = [f16, f32], inputs = ["300 uniform -1 1"]}} {
  %0 = kiln.sqrt %x : tensor<300xf32>
  %1 = kiln.is_nan %0 : tensor<300xf32>
  %2 = kiln.not %1 : tensor<300xi1>
  return %1, %2 : tensor<300xi1>, tensor<300xi1>
}

func.func @halves(%x: tensor<7x50xi16>, %y: tensor<50xi16>) -> (tensor<7x50xi16>, tensor<7x50xi16>, tensor<7x50xi16>, tensor<7x50xi16>, tensor<7x50xi1>) attributes {kiln.test = {
    types = [i16, ui16], inputs = ["7x50 bits", "50 bits"]}} {
  %0 = kiln.add %x, %y : tensor<7x50xi16>, tensor<50xi16> -> tensor<7x50xi16>
  %1 = kiln.mul %x, %y : tensor<7x50xi16>, tensor<50xi16> -> tensor<7x50xi16>
  %2 = kiln.min %x, %y : tensor<7x50xi16>, tensor<50xi16> -> tensor<7x50xi16>
  %3 = kiln.xor %x, %y : tensor<7x50xi16>, tensor<50xi16> -> tensor<7x50xi16>
  %4 = kiln.compare lt %x, %y : tensor<7x50xi16>, tensor<50xi16> -> tensor<7x50xi1>
  return %0, %1, %2, %3, %4 : tensor<7x50xi16>, tensor<7x50xi16>, tensor<7x50xi16>, tensor<7x50xi16>, tensor<7x50xi1>
}

func.func @to_halves(%x: tensor<300xf32>, %b: tensor<300xui8>, %c: tensor<300xi32>) -> (tensor<300xi16>, tensor<300xui16>, tensor<300xi16>, tensor<300xi16>, tensor<300xf32>) attributes {kiln.test = {
    inputs = ["300 uniform -70000 70000", "300 uniform 0 255", "300 bits"]}} {
  %0 = kiln.convert %x : tensor<300xf32> to tensor<300xi16>
  %1 = kiln.convert %x : tensor<300xf32> to tensor<300xui16>
  %2 = kiln.convert %b : tensor<300xui8> to tensor<300xi16>
  %3 = kiln.convert %c : tensor<300xi32> to tensor<300xi16>
  %4 = kiln.convert %2 : tensor<300xi16> to tensor<300xf32>
  return %0, %1, %2, %3, %4 : tensor<300xi16>, tensor<300xui16>, tensor<300xi16>, tensor<300xi16>, tensor<300xf32>
}

func.func @zero_points(%x: tensor<20x700xui8>, %z: tensor<1xui8>, %w: tensor<700x24xi8>) -> tensor<20x24xi32> attributes {kiln.test = {
    inputs = ["20x700 uniform 0 255", "1 uniform 100 140", "700x24 uniform -128 127"]}} {
  %0 = kiln.convert %x : tensor<20x700xui8> to tensor<20x700xi16>
  %1 = kiln.convert %z : tensor<1xui8> to tensor<1xi16>
  %2 = kiln.sub %0, %1 : tensor<20x700xi16>, tensor<1xi16> -> tensor<20x700xi16>
  %3 = kiln.convert %w : tensor<700x24xi8> to tensor<700x24xi16>
  %4 = kiln.matmul %2, %3 : tensor<20x700xi16>, tensor<700x24xi16> -> tensor<20x24xi32>
  return %4 : tensor<20x24xi32>
}

// Unsigned words come from any type, though vector cores have none.
func.func @to_words(%x: tensor<40x9xf32>) -> tensor<40x9xui32> attributes {kiln.test = {
    types = [f32, f16, i1, i8, i16, i32, i64, ui8, ui16], inputs = ["40x9"]}} {
  %0 = kiln.convert %x : tensor<40x9xf32> to tensor<40x9xui32>
  return %0 : tensor<40x9xui32>
}

// Masks between f32 and i32 are f16: rows are whole blocks of those, too.
func.func @ragged_masks(%x: tensor<50x20xf32>) -> tensor<50x20xi32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["50x20 uniform -90 90"], cases = [""]}} {
  %0 = kiln.convert %x : tensor<50x20xf32> to tensor<50x20xi32>
  %1 = kiln.reduce sum %0 axes [1] keepdims : tensor<50x20xi32> -> tensor<50x1xi32>
  %2 = kiln.add %0, %1 : tensor<50x20xi32>, tensor<50x1xi32> -> tensor<50x20xi32>
  return %2 : tensor<50x20xi32>
}
