// rounds.mlir: kernels of every template that take several rounds of each of their loops, also on one block alone.
func.func @chain(%x: tensor<60000xf16>, %y: tensor<60000xf16>) -> tensor<60000xf16> attributes {kiln.test = {
    inputs = ["60000 uniform -2 2", "60000 uniform -2 2"]}} {
  %0 = kiln.exp %x : tensor<60000xf16>
  %1 = kiln.mul %0, %y : tensor<60000xf16>, tensor<60000xf16> -> tensor<60000xf16>
  return %1 : tensor<60000xf16>
}

func.func @softmax(%x: tensor<150x1000xf32>) -> tensor<150x1000xf32> attributes {kiln.test = {inputs = ["150x1000"]}} {
  %0 = kiln.softmax %x axis -1 : tensor<150x1000xf32>
  return %0 : tensor<150x1000xf32>
}

func.func @sum_of_long_rows(%x: tensor<5x50000xf32>) -> tensor<5xf32> attributes {kiln.test = {inputs = ["5x50000"]}} {
  %0 = kiln.reduce sum %x axes [1] : tensor<5x50000xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @sum_of_columns(%x: tensor<40x30000xf32>) -> tensor<30000xf32> attributes {kiln.test = {inputs = ["40x30000"]}} {
  %0 = kiln.reduce sum %x axes [0] : tensor<40x30000xf32> -> tensor<30000xf32>
  return %0 : tensor<30000xf32>
}

func.func @transpose(%x: tensor<300x200xf32>) -> tensor<200x300xf32> attributes {kiln.test = {inputs = ["300x200"]}} {
  %0 = kiln.transpose %x perm [1, 0] : tensor<300x200xf32> -> tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}

func.func @concat(%x: tensor<300x200xf32>, %y: tensor<300x150xf32>) -> tensor<300x350xf32> attributes {kiln.test = {
    inputs = ["300x200", "300x150"]}} {
  %0 = kiln.concat %x, %y axis 1 : tensor<300x200xf32>, tensor<300x150xf32> -> tensor<300x350xf32>
  return %0 : tensor<300x350xf32>
}

func.func @matmul(%a: tensor<300x1400xf16>, %b: tensor<1400x520xf16>) -> tensor<300x520xf16> attributes {kiln.test = {
    inputs = ["300x1400 uniform -2 2", "1400x520 uniform -2 2"]}} {
  %0 = kiln.matmul %a, %b : tensor<300x1400xf16>, tensor<1400x520xf16> -> tensor<300x520xf16>
  return %0 : tensor<300x520xf16>
}

func.func @matmul_bias_relu(%a: tensor<300x700xf32>, %b: tensor<700x520xf32>, %c: tensor<520xf32>) -> tensor<300x520xf32> attributes {kiln.test = {
    inputs = ["300x700 uniform -2 2", "700x520 uniform -2 2", "520"]}} {
  %0 = kiln.matmul %a, %b : tensor<300x700xf32>, tensor<700x520xf32> -> tensor<300x520xf32>
  %1 = kiln.add %0, %c : tensor<300x520xf32>, tensor<520xf32> -> tensor<300x520xf32>
  %2 = kiln.relu %1 : tensor<300x520xf32>
  return %2 : tensor<300x520xf32>
}

// The last group of channels takes fewer rounds than the others: what held the next image back was a flag of every other round.
func.func @conv_of_many_channels(%x: tensor<3x1024x14x14xf16>, %w: tensor<512x1024x1x1xf16>) -> tensor<3x512x7x7xf16> attributes {kiln.test = {
    inputs = ["3x1024x14x14 uniform -1 1", "512x1024x1x1 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<3x1024x14x14xf16>, tensor<512x1024x1x1xf16> -> tensor<3x512x7x7xf16>
  return %0 : tensor<3x512x7x7xf16>
}

func.func @max_pool(%x: tensor<4x96x57x31xf32>) -> tensor<4x96x29x16xf32> attributes {kiln.test = {inputs = ["4x96x57x31"]}} {
  %0 = kiln.max_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<4x96x57x31xf32> -> tensor<4x96x29x16xf32>
  return %0 : tensor<4x96x29x16xf32>
}

// Cube and vector cores: six times as many queries as blocks, of which three are under way, so that each place in the workspace is used again.
func.func @attention(%q: tensor<1x144x128x16xf16>, %k: tensor<1x144x384x16xf16>, %v: tensor<1x144x384x16xf16>) -> tensor<1x144x128x16xf16> attributes {kiln.test = {
    inputs = ["1x144x128x16 uniform -2 2", "1x144x384x16 uniform -2 2", "1x144x384x16 uniform -2 2"]}} {
  %0 = kiln.attention %q, %k, %v scale 0.25 : (tensor<1x144x128x16xf16>, tensor<1x144x384x16xf16>, tensor<1x144x384x16xf16>) -> tensor<1x144x128x16xf16>
  return %0 : tensor<1x144x128x16xf16>
}
