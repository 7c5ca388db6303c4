# old_constructor.s: a constructor of the old kind
.text
.globl kernel
.type kernel,@function
kernel:

  ret
.size kernel, .-kernel
.section .ctors,"a",@progbits
.quad 0
.section .note.GNU-stack,"",@progbits
