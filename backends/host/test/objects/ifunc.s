# ifunc.s: a function chosen at load time
.text
.globl kernel
.type kernel,@function
kernel:

  ret
.size kernel, .-kernel
.globl chosen
.type chosen,@gnu_indirect_function
chosen:
  ret
.section .note.GNU-stack,"",@progbits
