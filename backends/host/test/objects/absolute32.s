# absolute32.s: an absolute 32-bit address
.text
.globl kernel
.type kernel,@function
kernel:
  movl $kernel, %eax
  ret
.size kernel, .-kernel

.section .note.GNU-stack,"",@progbits
