# undefined.s: a function that the runtime does not offer
.text
.globl kernel
.type kernel,@function
kernel:
  call system@PLT
  ret
.size kernel, .-kernel

.section .note.GNU-stack,"",@progbits
