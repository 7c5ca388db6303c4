# tls_symbol.s: a thread-local variable of somebody else
.text
.globl kernel
.type kernel,@function
kernel:
  movq somewhere@GOTTPOFF(%rip), %rax
  ret
.size kernel, .-kernel

.section .note.GNU-stack,"",@progbits
