# check_exports.py: libkiln_runtime exports exactly the functions of kiln.h and links no LLVM or MLIR.
import re
import subprocess
import sys

library, header = sys.argv[1:]
symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
exported = {line.split()[2].split("@")[0] for line in symbols.splitlines() if len(line.split()) == 3}
with open(header, encoding="utf-8") as file:
    declared = set(re.findall(r"^KILN_API [^;]*?\b(kiln_\w+)\(", file.read(), re.MULTILINE))
failures = [f"declared in kiln.h but not exported: {name}" for name in sorted(declared - exported)]
failures += [f"exported but not declared in kiln.h: {name}" for name in sorted(exported - declared)]
linked = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
failures += [f"links {name}" for name in ("libLLVM", "libMLIR", "libkiln_compiler") if name in linked]
print("\n".join(failures) or f"{len(declared)} functions exported, nothing else")
sys.exit(1 if failures or len(declared) < 40 else 0)
