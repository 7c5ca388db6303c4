// missing_symbol.cpp: exports something else than the query function.
extern "C" __attribute__((visibility("default"))) int kilnQueryMisspelt() { return 1; }
