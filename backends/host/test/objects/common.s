# common.s: common data
.text
.globl kernel
.type kernel,@function
kernel:
  movl counter(%rip), %eax
  ret
.size kernel, .-kernel
.comm counter,4,4
.section .note.GNU-stack,"",@progbits
