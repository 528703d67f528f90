#!/usr/bin/env python3
"""Lets every system call of saving fail once, and looks at what is left.

    cargo build --release --locked && python3 bench/faults.py

strace makes the n-th call of a kind fail (read, write, open, fsync, link, rename …), for n = 1, 2, 3 … until none is left to fail,
in every way of saving: text, gzip, Parquet, Arrow, codes and lookup file, groups, frame, report, pieces, standard output; over older
files and without. The command must then

- either succeed, with every file as it is without a fault (what failed was not needed),
- or exit with 2 and one sentence, with every older file untouched and nothing else in the folder.

Needs Linux, strace and the right to trace. The library's own tests (`crates/kinfold/src/faults.rs`) do the same without strace,
by steps of the program instead of calls of the system.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# A disk that is full, one that fails, and a folder that may not be written.
CALLS = {"write,pwrite64,copy_file_range,sendfile,splice": "ENOSPC", "read,pread64": "EIO", "openat": "EMFILE", "fsync,fdatasync": "EIO",
         "linkat,link": "EPERM", "rename,renameat,renameat2": "EACCES", "lseek": "EIO", "fchmod,chmod": "EPERM", "ftruncate": "EIO",
         "statx,newfstatat,fstat": "EACCES", "unlink,unlinkat": "EACCES"}
POLICY = """k = 2
lookup_above = 1
[columns]
name = "identifier"
age = { role = "quasi", kind = "numeric" }
town = { role = "quasi", kind = "category" }
ill = "sensitive"
"""
TABLE = "name,age,town,ill\n" + "".join(
    f"n{row},{20 + row * 7 % 50},{['Ulm', 'Bonn', 'Kiel', 'Jena'][row * 5 % 4]},{['flu', 'cold', 'gout'][row % 3]}\n" for row in range(40))
WAYS = {
    "text": ["-o", "r.csv"],
    "gzip": ["-o", "r.csv.gz"],
    "parquet": ["-o", "r.parquet"],
    "arrow": ["-o", "r.arrow"],
    "all": ["-o", "r.csv", "--groups", "g.csv", "--lookup", "l.csv", "--frame", "f.json", "--report", "p.html", "--report-json"],
    "codes": ["-o", "r.parquet", "--form", "codes", "--lookup", "l.csv"],
    "pieces": ["-o", "r.csv", "--frame", "f.json", "--pieces", "3"],
    "pieces-parquet": ["-o", "r.parquet", "--pieces", "3"],
    "standard-output": ["-o", "-", "--groups", "g.csv"],
}
OLD = "an older file\n"


def results(way):
    names = [name for name in WAYS[way] if "." in name]
    return names + ["p.json"] * ("--report-json" in WAYS[way])


def run(kinfold, way, older, calls=None, nth=0):
    """Exit code, message and files of the folder; with a fault, whether it happened, too."""
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        folder = pathlib.Path(name)
        # Temporary files are counted, too.
        work, spare = folder / "work", folder / "spare"
        work.mkdir(), spare.mkdir()
        (work / "table.csv").write_text(TABLE)
        (work / "policy.toml").write_text(POLICY.replace("lookup_above = 1\n", ""))
        for file in results(way) if older else []:
            (work / file).write_text(OLD)
        command = [kinfold, "anonymize", "table.csv", "--policy", "policy.toml", "--force", "--threads", "1", "--effort", "quick",
                   "--quiet", *WAYS[way]]
        trace = folder / "trace"
        if calls:
            fault = f"inject={calls}:error={CALLS[calls]}:when={nth}"
            command = ["strace", "-f", "-qq", "-o", trace, "-e", f"trace={calls}", "-e", "signal=none", "-e", fault, *command]
        done = subprocess.run(command, cwd=work, capture_output=True, env={**os.environ, "TMPDIR": str(spare)}, timeout=120)
        files = {f"{file.parent.name}/{file.name}": file.read_bytes() for place in (work, spare) for file in place.iterdir()}
        failed = [line for line in trace.read_text(errors="replace").splitlines() if "(INJECTED)" in line] if calls else []
        return done.returncode, done.stdout, done.stderr.decode(errors="replace"), files, failed


def masked(files):
    """Reports tell the time."""
    times = re.compile(rb'\d+(\.\d+)?([eE]-?\d+)? ?(ms|s)\b|"[a-z_]+": [\d.e-]+')
    return {name: times.sub(b"", data) if "/p." in name else data for name, data in files.items()}


def wrong(calls, good, done):
    """What is wrong with a run with a fault, or None."""
    code, out, said, files, _ = done
    expected, before = good
    if calls.startswith("unlink"):
        # What cannot be deleted stays: the second name that an older file has until all files have theirs.
        files = {name: data for name, data in files.items() if not name.endswith(".tmp")}
    if code == 0:
        if out != expected[1]:
            return "it says that it is done, and standard output is another"
        if masked(files) != masked(expected[3]):
            (files, whole) = (masked(files), masked(expected[3]))
            differ = [name for name in {*files, *whole} if files.get(name) != whole.get(name)]
            return f"it says that it is done, and {', '.join(differ)} differ"
        return None
    # What could not be started by the system says so itself.
    if code != 2 and code != 127:
        return f"exit code {code}: {said}"
    if code == 2 and (not re.match(r"(error|warning): ", said) or re.search("panicked|bug|refused the release", said)):
        return f"it says {said!r}"
    if files != before and not ("in place already" in said):
        differ = [name for name in {*files, *before} if files.get(name) != before.get(name)]
        return f"{', '.join(sorted(differ))} changed: {said}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinfold", default="target/release/kinfold")
    parser.add_argument("--way", choices=WAYS, action="append")
    parser.add_argument("--show", action="store_true", help="every message, once")
    args = parser.parse_args()
    if not shutil.which("strace"):
        sys.exit("faults.py needs strace (Debian, Ubuntu: apt install strace)")
    kinfold = str(pathlib.Path(args.kinfold).resolve())
    bad, counts, messages = 0, collections.Counter(), collections.Counter()

    def series(way, older, calls, good):
        found = []
        for nth in range(1, 10_000):
            done = run(kinfold, way, older, calls, nth)
            if not done[4]:
                break
            found.append((nth, done, wrong(calls, good, done)))
        return way, older, calls, found

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        tasks = []
        for way in args.way or WAYS:
            for older in (False, True):
                expected = run(kinfold, way, older)
                if expected[0]:
                    sys.exit(f"{way} fails without a fault: {expected[2]}")
                before = {name: data for name, data in expected[3].items() if name.split("/")[1] in ("table.csv", "policy.toml")}
                before.update({f"work/{name}": OLD.encode() for name in results(way) if older})
                tasks += [pool.submit(series, way, older, calls, (expected, before)) for calls in CALLS]
        for task in tasks:
            way, older, calls, found = task.result()
            for nth, done, why in found:
                counts[calls, done[0]] += 1
                messages[re.sub(r"/tmp/\S+", "…", done[2].strip().splitlines()[0] if done[2].strip() else "")] += done[0] != 0
                if why:
                    bad += 1
                    print(f"{way}{', older files' * older}, {calls} number {nth}: {why}\n    {done[4][0]}", flush=True)
    for calls in CALLS:
        print(f"{calls:50} {counts[calls, 0]:6} not needed {counts[calls, 2]:6} refused {counts[calls, 127]:6} not started")
    if args.show:
        for message, times in messages.most_common():
            print(f"{times:6} {message}")
    print(f"{sum(counts.values())} faults, {bad} wrong")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
