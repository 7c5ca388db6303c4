# pc64.s: a 64-bit distance
.text
.globl kernel
.type kernel,@function
kernel:
  movabsq $kernel-., %rax
  ret
.size kernel, .-kernel
.section .rodata,"a",@progbits
.quad kernel-.
.section .note.GNU-stack,"",@progbits
