// RUN: env KILN_NPU_MODE=timing KILN_CACHE=off jit-run %s --device npu --profile --trace %t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=TRACE < %t.json

// Shares of the cores' cycles by unit, with what they waited for, and of the memories' rates.
// CHECK: simulated time: cycles of the modelled device, not of this machine
// CHECK: exp_64x1000xf32: {{[0-9]+}} cycles
// CHECK: unit {{ *}}busy {{ *}}wait-flag {{ *}}wait-issue {{ *}}instructions
// CHECK: aiv.MTE2 {{ *}}{{[0-9.]+}}% {{ *}}{{[0-9.]+}}% {{ *}}{{[0-9.]+}}% {{ *}}{{[1-9][0-9]*}}
// CHECK: aiv.V {{ *}}{{[0-9.]+}}%
// CHECK: of what each memory could do in that time: gm {{[0-9.]+}}%, l2 {{[0-9.]+}}%
// CHECK: elements by unit: V 100.00%

// A row a pipe of a core; waits for flags are spans of their own.
// TRACE: "wait for flag"
// TRACE: "simulated aiv0.{{MTE2|MTE3|V}}"
func.func @main(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %y = kiln.exp %x : tensor<64x1000xf32>
  return %y : tensor<64x1000xf32>
}
