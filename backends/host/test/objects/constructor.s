# constructor.s: a constructor
.text
.globl kernel
.type kernel,@function
kernel:

  ret
.size kernel, .-kernel
.section .init_array,"aw",@init_array
.quad 0
.section .note.GNU-stack,"",@progbits
