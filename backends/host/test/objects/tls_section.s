# tls_section.s: thread-local data
.text
.globl kernel
.type kernel,@function
kernel:

  ret
.size kernel, .-kernel
.section .tdata,"awT",@progbits
.long 1
.section .note.GNU-stack,"",@progbits
