#!/usr/bin/env python3
"""Runs the command on tables and files that are made to hurt: huge labels, endless files, full disks, deep trees.

    python3 bench/hostile.py --kinfold target/release/kinfold       # Parquet needs: pip install pyarrow

For every line: exit code, wall seconds, peak memory in MiB, what was left in the folder, and the first line that it said.
"""
import argparse
import gzip
import pathlib
import subprocess
import tempfile
import time

LIMIT = 120  # seconds
MEMORY = 8 << 20  # KiB: the machine is for others, too


def tables(folder):
    """Makes what is read."""
    write = lambda name, text: (folder / name).write_text(text)
    with gzip.open(folder / "labels.csv.gz", "wb", 1) as out:
        out.write(b"label\n")
        for row in range(6000):
            out.write(b"%06d%s\n" % (row, b"x" * 999_994))
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
        texts = pa.DictionaryArray.from_arrays(pa.array([0] * 8192, pa.int32()), pa.array(["x" * 1_000_000]))
        table = pa.table({"text": texts})
        pq.write_table(table, folder / "text.parquet", store_schema=False)
    except ImportError:
        print("(without pyarrow, no Parquet)")
    write("people.csv", "name,age,sex\n" + "".join(f"p{i},{20 + i // 2 * 3},{'MF'[i // 2 % 2]}\n" for i in range(12)))
    write("towns.csv", "town\n" + "".join(f"town {i:05}\n" for i in range(10_000)))
    write("large.csv", "a\n1e400\n2\n3\n1e400\n")
    write("small.csv", "a\n1e-2147483648\n2\n3\n4\n")
    write("alone.csv", '"a;b"\n"x;y"\n"x;y"\n"p;q"\n"p;q"\n')
    write("wide.csv", ",".join(f"c{i}" for i in range(500)) + "\n" + "".join(",".join([f"v{i % 40}"] * 500) + "\n" for i in range(2000)))
    write("hub.csv", "a,b\n" + "".join(f"hub,spoke{i}\n" for i in range(8000)))
    write("places.csv", "place\n" + "".join(f"spoke{i % 8000}\n" for i in range(200)))
    write("tree.csv", "".join(f"{i:07};{i // 10:06}*;{i // 1000:04}***;*\n" for i in range(1_000_000)))
    write("codes.csv", "code\n" + "".join(f"{i * 7919 * 31 % 1_000_000:07}\n" for i in range(2000)))
    write("slash.toml", 'k = 2\n[columns]\nsex = "quasi"\nname = { role = "quasi", kind = "category" }\n'
          'age = "quasi"\n[format]\nset = ["{", "\\\\|", "}"]\n')


PEOPLE = "anonymize people.csv -k 2 --quasi age,sex --identifier name --solver mondrian"
RUNS = [
    ("6,000 labels of 1 MB, gzipped", "inspect labels.csv.gz --max-memory 100MiB"),
    ("one text of 1 MB in 8,192 rows", "inspect text.parquet --max-memory 100MiB"),
    ("endless policy", "anonymize people.csv --policy /dev/zero --max-memory 100MiB"),
    ("endless hierarchy", "anonymize people.csv -k 2 --quasi age:hierarchy=/dev/zero --drop-rest --max-memory 100MiB"),
    ("endless frame", PEOPLE + " --using /dev/zero --max-memory 100MiB"),
    ("groups to a full disk", PEOPLE + " -o out.csv --groups /dev/full"),
    ("summary to a full disk", PEOPLE + " -o out.csv > /dev/full"),
    ("release to a full disk", PEOPLE + " -o - > /dev/full"),
    ("killed by the size of files", "anonymize towns.csv -k 2 --quasi town:category --solver mondrian -o out.csv", "ulimit -f 8;"),
    ("10,000 labels, k = 5,000", "anonymize towns.csv -k 5000 --quasi town:category --objective group-size -o out.csv"),
    ("1e400 in clusters", "anonymize large.csv -k 2 --quasi a:numeric --objective sse"),
    ("1e-2147483648", "anonymize small.csv -k 2 --quasi a:numeric"),
    ("a limit of 1e19 s", PEOPLE + " --time-limit 1e19s"),
    ("a separator with a backslash", "anonymize people.csv --policy slash.toml --solver mondrian"),
    ("one column with delimiters", "anonymize alone.csv -k 2 --quasi 'a;b:category' -o out.csv --delimiter , -q && "
     "{kinfold} verify out.csv -k 2 --quasi 'a;b:category'"),
    ("500 equal columns", "inspect wide.csv"),
    ("a hub of 8,000 spokes", "anonymize places.csv -k 5 --quasi place:region=hub.csv --solver mondrian"),
    ("1,000,000 lines of hierarchy", "anonymize codes.csv -k 5 --quasi code:hierarchy=tree.csv"),
]


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--kinfold", default="target/release/kinfold", type=pathlib.Path)
    args.add_argument("--only", default="", help="lines whose name holds this")
    args = args.parse_args()
    kinfold = args.kinfold.resolve()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        tables(folder)
        before = {path.name for path in folder.iterdir()}
        print("| what | exit | s | MiB | left | said |\n|---|---|---|---|---|---|")
        for what, command, *limits in RUNS:
            if args.only in what:
                print("|", what, "|", *run(folder, before, kinfold, command, *limits), flush=True)


def run(folder, before, kinfold, command, limits=""):
    """One line of the table."""
    command = f"ulimit -v {MEMORY}; {limits} {'' if '&&' in command else 'exec'} {kinfold} {command}"
    start = time.monotonic()
    child = subprocess.Popen(["sh", "-c", command.replace("{kinfold}", str(kinfold))], cwd=folder, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    peak = 0
    while child.poll() is None and time.monotonic() - start < LIMIT:
        peak = max(peak, memory(child.pid))
        time.sleep(0.01)
    if late := child.poll() is None:
        child.kill()
    said = child.communicate()[0].splitlines() or [""]
    seconds = time.monotonic() - start
    left = sorted({path.name for path in folder.iterdir()} - before)
    for name in left:
        (folder / name).unlink()
    return f"{'–' if late else child.returncode} | {seconds:.1f} | {peak >> 10} | {', '.join(left) or '–'} | {said[0][:100]} |",


def memory(process):
    """The most memory that a process had, in KiB."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return max([int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")], default=0)


if __name__ == "__main__":
    main()
