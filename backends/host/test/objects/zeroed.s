# zeroed.s: zeroed writable data
.text
.globl kernel
.type kernel,@function
kernel:
  movl counter(%rip), %eax
  ret
.size kernel, .-kernel
.bss
counter: .zero 4
.section .note.GNU-stack,"",@progbits
