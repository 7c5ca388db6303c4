# KilnInstall
