#!/usr/bin/env python3
"""Lists what is built into the command, as CycloneDX 1.5 (JSON): a software bill of materials.

    .ci/sbom.py > kinfold.cdx.json
    .ci/sbom.py --package kinfold-py --target aarch64-apple-darwin

Crates that are linked or run while building, with version, licence, the checksum of the lock file and who needs whom; no tests' crates.
The same lock file gives the same bytes. Needs cargo and Python 3.9.
"""
import argparse
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def tree(package, target):
    """Every crate with its licence and the crates that it needs."""
    command = ["cargo", "tree", "--locked", "--package", package, "--edges", "normal,build", "--prefix", "depth", "--format", " {p}\t{l}"]
    text = subprocess.run(command + (["--target", target] if target else []), cwd=ROOT, capture_output=True, text=True, check=True).stdout
    licences, needs, path = {}, {}, []
    for line in text.splitlines():
        depth, crate, licence = re.match(r"(\d+) ([^\t]*)\t(.*)", line).groups()
        crate = tuple(crate.replace(" v", " ").split()[:2])
        licences[crate] = licence.removesuffix(" (*)")
        del path[int(depth):]
        needs.setdefault(crate, set())
        if path:
            needs[path[-1]].add(crate)
        path.append(crate)
    return licences, needs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", default="kinfold-cli")
    parser.add_argument("--target", help="target triple; without it, that of this machine")
    args = parser.parse_args()
    licences, needs = tree(args.package, args.target)
    entry = re.compile(r'name = "(.*)"\nversion = "(.*)"\n(?:source = .*\n)?(?:checksum = "(.*)")?')
    checksums = {(name, version): checksum for name, version, checksum in entry.findall((ROOT / "Cargo.lock").read_text())}

    def link(crate):
        return f"pkg:cargo/{crate[0]}@{crate[1]}"

    def component(crate):
        said = {"type": "library", "bom-ref": link(crate), "name": crate[0], "version": crate[1], "purl": link(crate)}
        if licences[crate]:
            # Some crates still write MIT/Apache-2.0.
            said["licenses"] = [{"expression": re.sub(r" ?/ ?", " OR ", licences[crate])}]
        if checksums[crate]:
            said["hashes"] = [{"alg": "SHA-256", "content": checksums[crate]}]
        return said

    root = next(crate for crate in licences if crate[0] == args.package)
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(root), "type": "application"}},
        "components": [component(crate) for crate in sorted(licences) if crate != root],
        "dependencies": [{"ref": link(crate), "dependsOn": sorted(map(link, needs[crate]))} for crate in sorted(needs)],
    }
    print(json.dumps(bom, indent=1))


if __name__ == "__main__":
    main()
