# absolute64.s: an absolute address in constant data
.text
.globl kernel
.type kernel,@function
kernel:

  ret
.size kernel, .-kernel
.section .rodata,"a",@progbits
.quad kernel
.section .note.GNU-stack,"",@progbits
