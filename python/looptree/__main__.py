"""python -m looptree FILE ...: lt-run, which is in the package."""
import os
import sys


def program() -> str | None:
    """Where lt-run is: in the package, or beside the library that was just built."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.path.join(here, "bin", "lt-run"), os.path.join(here, "..", "..", "lt-run")):
        if os.access(path, os.X_OK):
            return os.path.normpath(path)
    return None


def main() -> None:
    path = program()
    if path is None:
        sys.exit("looptree: lt-run is not in this package; install it again: pip install --force-reinstall looptree")
    backends = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "backends")
    if os.path.isdir(backends):
        os.environ["LT_BACKEND_PATH"] = os.pathsep.join(
            [p for p in (os.environ.get("LT_BACKEND_PATH"), backends) if p])
    os.execv(path, ["lt-run", *sys.argv[1:]])


if __name__ == "__main__":
    main()
