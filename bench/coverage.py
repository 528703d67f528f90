#!/usr/bin/env python3
"""Which lines and branches of kinfold-model its tests reach.

    rustup component add llvm-tools
    python3 bench/coverage.py                                    # by the crate's own tests
    python3 bench/coverage.py kinfold-model kinfold kinfold-cli  # by those of the engine and the command, too

Tests of the crate are not counted as its lines. --uncovered lists what no test reaches, --below N files below N per cent of lines. Branches are
an unstable option of the stable compiler, which this unlocks for that crate alone. Everything is built in target/coverage.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "crates/kinfold-model/src"
WRAPPER = """#!/bin/sh
case " $* " in
*" --crate-name kinfold_model "*) RUSTC_BOOTSTRAP=1 exec "$@" -Cinstrument-coverage -Zcoverage-options=branch ;;
# What is run has to write down what was counted.
*" --test "*|*" --crate-type bin "*) exec "$@" -Cinstrument-coverage ;;
*) exec "$@" ;;
esac
"""


def tool(name):
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    found = list(pathlib.Path(sysroot).glob(f"lib/rustlib/*/bin/{name}"))
    return found[0] if found else sys.exit("the compiler's own LLVM tools are needed: rustup component add llvm-tools")


def tested(packages, work):
    """Runs the tests, and returns the figures of the crate's files in lcov's format."""
    wrapper = work / "rustc"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    for old in work.glob("*.profraw"):
        old.unlink()
    environment = {**os.environ, "RUSTC_WORKSPACE_WRAPPER": str(wrapper), "CARGO_TARGET_DIR": str(work), "CARGO_INCREMENTAL": "0",
                   "LLVM_PROFILE_FILE": str(work / "%p-%8m.profraw")}
    chosen = [word for name in packages for word in ("--package", name)]
    test = ["cargo", "test", "--locked", "--lib", "--bins", "--tests", *chosen]
    built = subprocess.run(test + ["--no-run", "--message-format=json"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    messages = map(json.loads, built.stdout.splitlines())
    objects = sorted({message["executable"] for message in messages if message.get("executable")})
    subprocess.run(test + ["--quiet", "--no-fail-fast"], cwd=ROOT, env=environment, check=True)
    profile = work / "all.profdata"
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", "-o", profile, *work.glob("*.profraw")], check=True)
    command = [tool("llvm-cov"), "export", "-format=lcov", f"-instr-profile={profile}", objects[0]]
    command += [word for path in objects[1:] for word in ("-object", path)] + ["-sources", SOURCE]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def tests_start(lines):
    """The line from which on a file is tests."""
    for number, line in enumerate(lines, 1):
        if line == "#[cfg(test)]" and re.match(r"(pub(\(.*\))? )?mod \w+( \{|;)", lines[number]):
            return number
    return len(lines) + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*", default=["kinfold-model"])
    parser.add_argument("--uncovered", action="store_true")
    parser.add_argument("--below", type=float, default=0)
    parser.add_argument("--lcov", help="figures that there are already")
    args = parser.parse_args()
    work = ROOT / "target/coverage"
    work.mkdir(parents=True, exist_ok=True)
    text = pathlib.Path(args.lcov).read_text() if args.lcov else tested(args.packages, work)
    (work / "lcov.info").write_text(text)
    lines, branches = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for record in text.split("end_of_record\n"):
        if not (path := re.search(r"^SF:(.*)", record, re.M)):
            continue
        path = pathlib.Path(path[1])
        end = tests_start(path.read_text().splitlines())
        if path.stem in ("tests", "naive"):
            continue
        for number, count in re.findall(r"^DA:(\d+),(\d+)", record, re.M):
            if int(number) < end:
                lines[path][int(number)] += int(count)
        # The same branch of several instances of a generic function is one.
        for number, block, branch, count in re.findall(r"^BRDA:(\d+),(\w+),(\w+),(\d+|-)", record, re.M):
            if int(number) < end:
                branches[path][int(number), block, branch] += 0 if count == "-" else int(count)

    def share(counts):
        return f"{100 * sum(count > 0 for count in counts) / max(1, len(counts)):5.1f} % of {len(counts)}"

    for path in sorted(lines):
        missing = sorted(number for number, count in lines[path].items() if not count)
        if 100 * (1 - len(missing) / len(lines[path])) < args.below or args.uncovered and missing:
            print(f"{path.relative_to(SOURCE)}: lines {share(lines[path].values())}, branches {share(branches[path].values())}")
            source = path.read_text().splitlines()
            for number in missing if args.uncovered else []:
                print(f"  {number:4} {source[number - 1].strip()[:120]}")
    print(f"lines {share([count for file in lines.values() for count in file.values()])}, "
          f"branches {share([count for file in branches.values() for count in file.values()])}")


if __name__ == "__main__":
    main()
