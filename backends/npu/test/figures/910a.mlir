// 910a.mlir: kernels for the 910A class, whose cycles figures.py keeps: those of which figures are published, and held-out ones.
func.func @gemm_910a(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = kiln.matmul %a, %b : tensor<4096x4096xf16>, tensor<4096x4096xf16> -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}
func.func @chain_910a(%x: tensor<8388608xf16>) -> tensor<8388608xf16> {
  %0 = kiln.add %x, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %1 = kiln.mul %0, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %2 = kiln.add %1, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %3 = kiln.mul %2, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %4 = kiln.add %3, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %5 = kiln.mul %4, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %6 = kiln.add %5, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %7 = kiln.mul %6, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %8 = kiln.add %7, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %9 = kiln.mul %8, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %10 = kiln.add %9, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %11 = kiln.mul %10, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %12 = kiln.add %11, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %13 = kiln.mul %12, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %14 = kiln.add %13, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %15 = kiln.mul %14, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %16 = kiln.add %15, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %17 = kiln.mul %16, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %18 = kiln.add %17, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %19 = kiln.mul %18, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %20 = kiln.add %19, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %21 = kiln.mul %20, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %22 = kiln.add %21, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %23 = kiln.mul %22, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %24 = kiln.add %23, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %25 = kiln.mul %24, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %26 = kiln.add %25, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %27 = kiln.mul %26, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %28 = kiln.add %27, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %29 = kiln.mul %28, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %30 = kiln.add %29, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %31 = kiln.mul %30, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %32 = kiln.add %31, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %33 = kiln.mul %32, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %34 = kiln.add %33, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %35 = kiln.mul %34, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %36 = kiln.add %35, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %37 = kiln.mul %36, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %38 = kiln.add %37, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %39 = kiln.mul %38, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %40 = kiln.add %39, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %41 = kiln.mul %40, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %42 = kiln.add %41, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %43 = kiln.mul %42, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %44 = kiln.add %43, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %45 = kiln.mul %44, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %46 = kiln.add %45, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  %47 = kiln.mul %46, %x : tensor<8388608xf16>, tensor<8388608xf16> -> tensor<8388608xf16>
  return %47 : tensor<8388608xf16>
}
func.func @heldout_gemm_910a(%a: tensor<3000x2560xf16>, %b: tensor<2560x1900xf16>) -> tensor<3000x1900xf16> {
  %0 = kiln.matmul %a, %b : tensor<3000x2560xf16>, tensor<2560x1900xf16> -> tensor<3000x1900xf16>
  return %0 : tensor<3000x1900xf16>
}
func.func @heldout_conv_910a(%x: tensor<8x192x28x28xf16>, %w: tensor<192x192x3x3xf16>) -> tensor<8x192x28x28xf16> {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<8x192x28x28xf16>, tensor<192x192x3x3xf16> -> tensor<8x192x28x28xf16>
  return %0 : tensor<8x192x28x28xf16>
}
func.func @heldout_chain_910a(%x: tensor<3000000xf16>) -> tensor<3000000xf16> {
  %0 = kiln.add %x, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %1 = kiln.mul %0, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %2 = kiln.add %1, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %3 = kiln.mul %2, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %4 = kiln.add %3, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %5 = kiln.mul %4, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %6 = kiln.add %5, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %7 = kiln.mul %6, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %8 = kiln.add %7, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %9 = kiln.mul %8, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %10 = kiln.add %9, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %11 = kiln.mul %10, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %12 = kiln.add %11, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %13 = kiln.mul %12, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %14 = kiln.add %13, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %15 = kiln.mul %14, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %16 = kiln.add %15, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %17 = kiln.mul %16, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %18 = kiln.add %17, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  %19 = kiln.mul %18, %x : tensor<3000000xf16>, tensor<3000000xf16> -> tensor<3000000xf16>
  return %19 : tensor<3000000xf16>
}
