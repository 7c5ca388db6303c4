# aligned.s: an alignment beyond a page
.text
.globl kernel
.type kernel,@function
kernel:

  ret
.size kernel, .-kernel
.section .rodata,"a",@progbits
.p2align 16
.long 1
.section .note.GNU-stack,"",@progbits
