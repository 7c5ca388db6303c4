# dropped_section.s: code that reads its own unwind table
.text
.globl kernel
.type kernel,@function
kernel:
  movl frame(%rip), %eax
  ret
.size kernel, .-kernel
.section .eh_frame,"a",@progbits
frame: .long 0
.section .note.GNU-stack,"",@progbits
