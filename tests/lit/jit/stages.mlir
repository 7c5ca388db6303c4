// RUN: jit-opt %s --kiln-stage=null:graph,null:form --kiln-counters 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=COUNTERS < %t
// RUN: jit-opt %s --kiln-target=null --kiln-stage=form | FileCheck %s
// RUN: not jit-opt %s --kiln-stage=null:link 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not jit-opt %s --kiln-stage=form 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not jit-opt %s --kiln-stage=no-such:form 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Stages of a device run by name, on no device.
// CHECK-LABEL: func.func @main
//       CHECK: kiln.launch @relu_4xf32

// COUNTERS: form-kernels.kernels 1
// COUNTERS: form-kernels.launches 1

// STAGE: jit-opt: error: unknown stage 'link'; expected graph, form, tensor, tile, buffer, lower or emit
// DEVICE: jit-opt: error: stage 'form': no device; expected DEVICE:form or --kiln-target=DEVICE
// UNKNOWN: jit-opt: error: unknown device 'no-such'
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kiln.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
