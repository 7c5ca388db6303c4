// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-temporaries))" --split-input-file --verify-diagnostics

// The workspace is sized before the launch: nothing that the kernel computes can decide it.
func.func @size_from_data(%x: memref<4xindex>) attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  %n = memref.load %x[%c0] : memref<4xindex>
  // expected-error @+1 {{temporary's size is not a function of the launch's constants}}
  %t = memref.alloc(%n) : memref<?xf32>
  %v = memref.load %t[%c0] : memref<?xf32>
  return
}

// -----

func.func @tiles_from_data(%x: memref<4xindex>, %m: index) attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  %n = memref.load %x[%c0] : memref<4xindex>
  // expected-error @+1 {{number of tiles is not a function of the launch's constants}}
  scf.forall (%i) in (%n) {
    %t = memref.alloc(%m) : memref<?xf32>
    %v = memref.load %t[%i] : memref<?xf32>
  }
  return
}
