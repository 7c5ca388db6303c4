# writable.s: initialised writable data
.text
.globl kernel
.type kernel,@function
kernel:
  movl counter(%rip), %eax
  ret
.size kernel, .-kernel
.data
counter: .long 1
.section .note.GNU-stack,"",@progbits
