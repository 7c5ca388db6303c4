// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-verify-sync{each-is-needed}))" --split-input-file --verify-diagnostics

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
func.func @no_flag(%a: memref<64xf32, #gm>) {
  %x = npu.buffer 0 : memref<64xf32, #ub>
  // expected-note @+1 {{by 'npu.load'}}
  npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
  // expected-error @+1 {{race: 'npu.vunary' on pipe V does not wait for a conflicting access on pipe MTE2}}
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// The flag within the iteration is there; nothing keeps the next load from overwriting what is still read.
func.func @around_the_loop(%a: memref<64xf32, #gm>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = npu.buffer 0 : memref<64xf32, #ub>
  %y = npu.buffer 256 : memref<64xf32, #ub>
  scf.for %i = %c0 to %n step %c1 {
    npu.pipe_barrier[MTE2]
    // expected-error @+1 {{race: 'npu.load' on pipe MTE2 does not wait for a conflicting access on pipe V}}
    npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
    npu.set_flag[MTE2, V, 0]
    npu.wait_flag[MTE2, V, 0]
    // expected-note @+1 {{by 'npu.vunary'}}
    npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%y : memref<64xf32, #ub>)
  }
  return
}

// -----

#ub = #npu.memory<ub>
func.func @double_set() {
  %x = npu.buffer 0 : memref<64xf32, #ub>
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  npu.set_flag[V, MTE3, 0]
  // expected-error @+1 {{flag: 'npu.set_flag' sets a flag that nobody has waited for}}
  npu.set_flag[V, MTE3, 0]
  npu.wait_flag[V, MTE3, 0]
  return
}

// -----

#ub = #npu.memory<ub>
// The second set may come before MTE3 has reached the first wait.
func.func @reused_too_early() {
  %x = npu.buffer 0 : memref<64xf32, #ub>
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  npu.set_flag[V, MTE3, 0]
  npu.wait_flag[V, MTE3, 0]
  // expected-error @+1 {{flag: 'npu.set_flag' may set a flag before the wait for its last set is over}}
  npu.set_flag[V, MTE3, 0]
  npu.wait_flag[V, MTE3, 0]
  return
}

// -----

#ub = #npu.memory<ub>
func.func @unpaired_wait() {
  %x = npu.buffer 0 : memref<64xf32, #ub>
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  // expected-error @+1 {{flag: 'npu.wait_flag' waits for a flag that nobody has set}}
  npu.wait_flag[V, MTE3, 0]
  return
}

// -----

#ub = #npu.memory<ub>
func.func @unpaired_set() {
  %x = npu.buffer 0 : memref<64xf32, #ub>
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  // expected-error @+1 {{flag: 'npu.set_flag' is set without a wait for it}}
  npu.set_flag[V, MTE3, 0]
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// A second flag says what the first one says.
func.func @superfluous(%a: memref<64xf32, #gm>) {
  %x = npu.buffer 0 : memref<64xf32, #ub>
  npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
  // expected-error @+1 {{'npu.set_flag' is not needed: the program is free of races without it}}
  npu.set_flag[MTE2, V, 0]
  npu.set_flag[MTE2, V, 1]
  npu.wait_flag[MTE2, V, 0]
  npu.wait_flag[MTE2, V, 1]
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  return
}

// -----

#ub = #npu.memory<ub>
func.func @branch(%b: i1) {
  %x = npu.buffer 0 : memref<64xf32, #ub>
  // expected-error @+1 {{'scf.if' op surrounds pipe ops; expected scf.for alone}}
  scf.if %b {
    npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  }
  return
}

// -----

#ub = #npu.memory<ub>
func.func @foreign_slot(%s: index) {
  %x = npu.buffer 0, 256 at %s : memref<64xf32, #ub>
  // expected-error @+1 {{slot is not an index that rotates through 2 values}}
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// What a loop orders is not ordered when the loop does not run.
func.func @skipped_loop(%a: memref<64xf32, #gm>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = npu.buffer 0 : memref<64xf32, #ub>
  // expected-note @+1 {{by 'npu.load'}}
  npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
  scf.for %i = %c0 to %n step %c1 {
    npu.pipe_barrier[ALL]
  }
  // expected-error @+1 {{race: 'npu.vunary' on pipe V does not wait for a conflicting access on pipe MTE2 when a loop does not run or ends early}}
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// expected-remark @+1 {{each of 1 flags and barriers is needed}}
func.func @running_loop(%a: memref<64xf32, #gm>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = npu.buffer 0 : memref<64xf32, #ub>
  npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
  scf.for %i = %c0 to %n step %c1 {
    npu.pipe_barrier[ALL]
  } {kiln.runs}
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// Either loop would do; neither may run.
func.func @two_skipped_loops(%a: memref<64xf32, #gm>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = npu.buffer 0 : memref<64xf32, #ub>
  // expected-note @+1 {{by 'npu.load'}}
  npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
  scf.for %i = %c0 to %n step %c1 {
    npu.pipe_barrier[ALL]
  }
  scf.for %i = %c0 to %m step %c1 {
    npu.pipe_barrier[ALL]
  }
  // expected-error @+1 {{race: 'npu.vunary' on pipe V does not wait for a conflicting access on pipe MTE2 when a loop does not run or ends early}}
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  return
}

// -----

#ub = #npu.memory<ub>
// Where neither inner loop runs, nothing holds the vector unit back from setting the flag again.
func.func @set_again_past_two_loops(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = npu.buffer 0 : memref<64xf32, #ub>
  scf.for %k = %c0 to %n step %c1 {
    npu.pipe_barrier[V]
    npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
    // expected-error @+1 {{may set a flag before the wait for its last set is over when a loop does not run or ends early}}
    npu.set_flag[V, MTE3, 0]
    npu.wait_flag[V, MTE3, 0]
    scf.for %i = %c0 to %n step %c1 {
      npu.pipe_barrier[ALL]
    }
    scf.for %i = %c0 to %m step %c1 {
      npu.pipe_barrier[ALL]
    }
  }
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// A loop may run in one iteration of the loop around it and not in the next one.
func.func @runs_now_and_then(%a: memref<64xf32, #gm>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = npu.buffer 0 : memref<64xf32, #ub>
  scf.for %k = %c0 to %c3 step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      npu.pipe_barrier[ALL]
      // expected-note @+1 {{by 'npu.load'}}
      npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
    }
    scf.for %i = %c0 to %m step %c1 {
      npu.pipe_barrier[ALL]
    }
  }
  // expected-error @+1 {{race: 'npu.vunary' on pipe V does not wait for a conflicting access on pipe MTE2 when a loop does not run or ends early}}
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  return
}
