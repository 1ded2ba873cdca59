"""The Debian package is made, unpacked and used; the version is the same everywhere."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
import yaml

SOURCE, BUILD = pathlib.Path(os.environ["PAWL_SOURCE"]), pathlib.Path(os.environ["PAWL_BUILD"])
VERSION = re.search(r'kVersion = "([^"]+)"', (SOURCE / "include/pawl/version.h").read_text())[1]


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    if "NOTFOUND" in os.environ["PAWL_SHLIBDEPS"]:
        pytest.skip("dpkg-dev is not installed")
    folder = tmp_path_factory.mktemp("deb")
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
    package = folder / f"pawl_{VERSION}_amd64.deb"
    run("dpkg-deb", "-x", package, folder / "root")
    return package, folder / "root" / "usr"


def test_the_packaged_program_runs_and_has_its_manual_and_completion(unpacked, tmp_path):
    _, root = unpacked
    told = run(root / "bin/pawl", "run", SOURCE / "scenes/papers/four_balls.yaml", cwd=tmp_path)
    assert "200, all certified" in told
    assert (root / "share/man/man1/pawl.1").read_text() == run(root / "bin/pawl", "help", "--man")
    assert "complete -F _pawl pawl" in (root / "share/bash-completion/completions/pawl").read_text()
    assert (root / "include/pawl/pawl.h").exists() and (root / "lib/cmake/Pawl/PawlConfig.cmake").exists()


def test_the_packaged_module_imports(unpacked, tmp_path):
    _, root = unpacked
    clean = {**os.environ, "PYTHONPATH": str(root / "lib/python3/dist-packages")}
    told = run(sys.executable, "-c", "import pawl; print(pawl.__file__, pawl.__version__)", env=clean, cwd=tmp_path)
    assert str(root) in told and VERSION in told
    assert (root / "lib/python3/dist-packages/pawl/py.typed").exists()


def test_the_package_names_its_libraries(unpacked):
    package, _ = unpacked
    depends = run("dpkg-deb", "-f", package, "Depends")
    assert all(name in depends for name in ("libc6", "libhdf5", "libfmt", "libyaml-cpp"))


def test_the_citation_has_the_version():
    citation = yaml.safe_load((SOURCE / "CITATION.cff").read_text())
    assert citation["version"] == VERSION and citation["license"] == "Apache-2.0"
