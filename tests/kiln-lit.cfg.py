# Configuration of every lit suite: tools from build/bin, FileCheck and friends from LLVM.
import os

import lit.formats

build = lit_config.params["build"]
llvm_tools = lit_config.params["llvm_tools"]

config.name = lit_config.params.get("suite", "kiln")
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_exec_root = os.path.join(build, "tests", "lit", config.name)
config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), llvm_tools, os.environ["PATH"]])
config.environment["KILN_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
