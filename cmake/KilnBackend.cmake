# KilnBackend
