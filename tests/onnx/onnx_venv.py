# onnx_venv.py: a Python environment with the packages that the ONNX tests compare with.
"""ensure(build, modules) starts the calling script over in build/onnx-venv if this interpreter lacks one of the modules."""

import importlib.util
import os
import pathlib
import subprocess
import sys

VERSIONS = {"onnx": "onnx==1.23.2", "onnxruntime": "onnxruntime"}


def ensure(build: pathlib.Path, *modules: str) -> None:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if not missing:
        return
    home = build / "onnx-venv"
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
    wanted = [VERSIONS[module] for module in modules]
    present = subprocess.run([python, "-c", ";".join(f"import {module}" for module in modules)], capture_output=True)
    if present.returncode != 0:
        print(f"installing {', '.join(wanted)} to {home}", file=sys.stderr)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
    if pathlib.Path(sys.prefix) == home:
        raise SystemExit(f"error: {home} lacks {', '.join(missing)}; remove it and run again")
    os.execv(python, [str(python), *sys.argv])
