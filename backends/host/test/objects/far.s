# far.s: a distance that does not fit 32 bits
.text
.globl kernel
.type kernel,@function
kernel:
  movl kernel-0x7fffffff(%rip), %eax
  movl kernel-0x7fffffff(%rip), %eax
  ret
.size kernel, .-kernel

.section .note.GNU-stack,"",@progbits
