#!/usr/bin/env python3
# make_wheel.py: packs a built foo as a Python wheel: data under the namespace folder kiln_backends/, no module.
"""usage: make_wheel.py BACKENDS_DIR OUT_DIR

Whoever loads Kiln from Python hands each site-packages/kiln_backends to the runtime (kiln_instance_create, package_dirs);
importing this package is neither needed nor possible."""

import base64
import hashlib
import json
import pathlib
import stat
import sys
import zipfile

FILES = ("foo.kiln.json", "libkiln_foo.so", "libkiln_foo_compiler.so", "foo-server")


def add(wheel: zipfile.ZipFile, record: list[str], name: str, data: bytes, mode: int = 0o644) -> None:
    info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
    info.external_attr = (stat.S_IFREG | mode) << 16  # pip keeps the executable bit
    info.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(info, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append(f"{name},sha256={digest},{len(data)}")


def main() -> None:
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version = json.loads((source / "foo.kiln.json").read_text())["version"]
    info = f"kiln_foo-{version}.dist-info"
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"kiln_foo-{version}-py3-none-linux_x86_64.whl"
    record: list[str] = []
    with zipfile.ZipFile(path, "w") as wheel:
        for name in FILES:
            mode = 0o755 if name == "foo-server" else 0o644
            add(wheel, record, f"kiln_backends/{name}", (source / name).read_bytes(), mode)
        add(wheel, record, f"{info}/METADATA", f"Metadata-Version: 2.1\nName: kiln-foo\nVersion: {version}\n".encode())
        add(wheel, record, f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\n"
            b"Tag: py3-none-linux_x86_64\n")
        wheel.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))
    print(path)


if __name__ == "__main__":
    main()
