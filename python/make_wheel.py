"""make_wheel.py PACKAGE_FOLDER OUTPUT_FOLDER: packs the built package as a wheel (PEP 427) and prints its path."""

import base64
import hashlib
import pathlib
import re
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main(package, output):
    version = re.search(r'kVersion = "([^"]+)"', (ROOT / "include/pawl/version.h").read_text())[1]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    info = f"pawl-{version}.dist-info"
    files = {f"pawl/{file.name}": file.read_bytes() for file in sorted(pathlib.Path(package).iterdir()) if file.is_file()}
    files[f"{info}/METADATA"] = (f"Metadata-Version: 2.1\nName: pawl\nVersion: {version}\n"
                                 "Summary: Rigid bodies that touch, solved to a residual that is measured\n"
                                 "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\n").encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: pawl\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = pathlib.Path(output, f"pawl-{version}-{tag}.whl")
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            wheel.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
