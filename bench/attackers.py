"""What readers of a release try on it, for threats.py.

Every attack uses what its attacker has: the release, and public knowledge that is named in its letter. The table is
used to say whether the attacker was right, never to find what the attacker says.
"""
import collections
import csv
import random
import re

#: A range.
SPAN = re.compile(r"\[(\d+)-(\d+)\]")


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def leaves_of(folder, column):
    """What the nodes of a published hierarchy stand for."""
    leaves = collections.defaultdict(set)
    with open(folder / f"adult_hierarchy_{column}.csv", newline="") as file:
        for line in csv.reader(file, delimiter=";"):
            for node in line:
                leaves[node].add(line[0])
    return leaves


class Reader:
    """A release, and who of a table fits its cells. People are the bits of a number."""

    def __init__(self, table, release, numbers, labels, nodes=None):
        self.table, self.rows = table, release
        self.columns = [name for name in table[0] if name in numbers + labels]
        self.numbers, self.nodes = numbers, nodes or {}
        self.everybody = (1 << len(table)) - 1
        self.having = {name: self._having(name) for name in self.columns}
        self.known = {}
        # Rows that look alike are a group: all that a reader sees of one.
        self.groups = collections.defaultdict(list)
        for row in release:
            self.groups[tuple(row[name] for name in self.columns)].append(row)

    def _having(self, name):
        bits = collections.defaultdict(int)
        for place, row in enumerate(self.table):
            bits[row[name]] |= 1 << place
        return bits

    def values(self, name, cell):
        """The values that a cell covers, of those that anybody has."""
        if cell == "*":
            return set(self.having[name])
        span = SPAN.fullmatch(cell)
        if span and name in self.numbers:
            low, high = int(span[1]), int(span[2])
            return {value for value in self.having[name] if value and low <= int(value) <= high}
        if name in self.nodes and cell in self.nodes[name]:
            return self.nodes[name][cell]
        return set(cell[1:-1].split("|")) if cell.startswith("{") else {cell}

    def who(self, name, cell):
        """The people who fit a cell."""
        if (name, cell) not in self.known:
            bits = 0
            for value in self.values(name, cell):
                bits |= self.having[name].get(value, 0)
            self.known[name, cell] = bits
        return self.known[name, cell]

    def fitting(self, cells, but=None):
        """The people who fit all cells of a group, or all but one."""
        bits = self.everybody
        for name, cell in zip(self.columns, cells):
            if name != but:
                bits &= self.who(name, cell)
        return bits


def places(bits):
    """The people of a number."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def linkage(reader, k):
    """Knows everybody's quasi-identifiers (a register), and takes one of the rows that fit a person.

    Fewest rows that fit anybody, the share of people who fit one group only, and the share of right matches if every
    person gets one of the rows that fit, at random."""
    rows, groups = [0] * len(reader.table), [0] * len(reader.table)
    for cells, members in reader.groups.items():
        for person in places(reader.fitting(cells)):
            rows[person] += len(members)
            groups[person] += 1
    people = len(rows)
    return {
        "fewest": min(rows),
        "pinned": sum(count == 1 for count in groups) / people,
        "matched": sum(1 / fit for fit in rows) / people,
    }


def homogeneity(reader, sensitive):
    """Knows a person's quasi-identifiers, and reads the sensitive value of all rows that fit.

    The share of people in groups with one value; the share for whom all rows that fit have one value, so that the
    attacker is certain; how many the commonest value of the fitting rows is right for; how many the commonest value
    of the whole release is right for."""
    seen = [collections.Counter() for _ in reader.table]
    one_value = 0
    for cells, members in reader.groups.items():
        values = collections.Counter(row[sensitive] for row in members)
        one_value += len(members) if len(values) == 1 else 0
        for person in places(reader.fitting(cells)):
            seen[person].update(values)
    people = len(reader.table)
    certain = [(row, counts) for row, counts in zip(reader.table, seen) if len(counts) == 1]
    assert all(row[sensitive] in counts for row, counts in certain), "a group without its people"
    guessed = sum(counts.most_common(1)[0][0] == row[sensitive] for row, counts in zip(reader.table, seen))
    commonest = collections.Counter(row[sensitive] for row in reader.rows).most_common(1)[0][1]
    return {
        "one_value": one_value / people,
        "certain": len(certain) / people,
        "guessed": guessed / people,
        "base": commonest / people,
    }


def statements(reader, columns, seed=1):
    """Knows the release and nothing else, and says of every group: "fits these cells, and is V in this column".

    V is the low end of a range (where ends are exact, somebody has it), or anything inside; anything in a set or under
    a node. One try for every cell of these columns that is generalized, copies counted once. The share of tries for
    which that is true of exactly one person of the table."""
    dice = random.Random(seed)
    tries, isolated = collections.Counter(), collections.Counter()
    for cells in reader.groups:
        for column, cell in zip(reader.columns, cells):
            span = SPAN.fullmatch(cell)
            if column not in columns:
                continue
            if span and column in reader.numbers:
                said = {"low end": span[1], "inside": str(dice.randint(int(span[1]), int(span[2])))}
            elif len(reader.values(column, cell)) > 1:
                said = {"inside": dice.choice(sorted(reader.values(column, cell)))}
            else:
                continue
            others = reader.fitting(cells, but=column)
            for what, value in said.items():
                tries[what] += 1
                isolated[what] += (others & reader.having[column].get(value, 0)).bit_count() == 1
    return {what: isolated[what] / tries[what] for what in tries}


def minimality(reader, plain, sensitive):
    """Knows everybody's quasi-identifiers, the version, the policy and the seed: makes the release without its
    privacy model again, and looks where groups changed. Those fell short of the model, or took in one that did.

    The share of groups without the model that are not in the release; the share of these that had one value, and of
    all; the people whose value follows for certain from the fact that a part of their group had one value."""
    table, sizes = reader.table, collections.Counter(plain)
    values = collections.defaultdict(set)
    for row, group in zip(table, plain):
        values[group].add(row[sensitive])
    members = collections.defaultdict(int)
    for place, group in enumerate(plain):
        members[group] |= 1 << place
    cells_of = {}
    for group, bits in members.items():
        of_group = [table[place] for place in places(bits)]
        cells_of[group] = tuple(frozenset(row[name] for row in of_group) for name in reader.columns)

    # A group is unchanged if the release has its cells with as many rows.
    published = collections.Counter()
    for cells, rows in reader.groups.items():
        published[cells] += len(rows)
    look = {group: tuple(cell_of(reader, name, cells) for name, cells in zip(reader.columns, found))
            for group, found in cells_of.items()}
    together = collections.Counter()
    for group, size in sizes.items():
        together[look[group]] += size
    changed = [group for group in sizes if published[look[group]] != together[look[group]]]
    one = [group for group in changed if len(values[group]) == 1]
    # Where a published group is a union of groups without the model, at least one of these had one value.
    certain = unions = 0
    for cells, rows in reader.groups.items():
        fits = reader.fitting(cells)
        parts = [group for group in changed if members[group] & fits == members[group]]
        if len(parts) < 2 or sum(sizes[group] for group in parts) != len(rows):
            continue
        unions += 1
        counts = collections.Counter(row[sensitive] for row in rows)
        possible = [(part, value) for part in parts for value, count in counts.items() if sizes[part] <= count]
        if len(possible) == 1:
            certain += sizes[possible[0][0]]
    return {
        "changed": len(changed) / len(sizes),
        "one_value": len(one) / max(len(changed), 1),
        "base": sum(len(found) == 1 for found in values.values()) / len(sizes),
        "unions": unions,
        "certain": certain,
    }


def cell_of(reader, name, values):
    """How a release without blunt ends and hierarchies writes these values."""
    if len(values) == 1:
        return next(iter(values))
    if name in reader.numbers:
        numbers = [int(value) for value in values]
        return f"[{min(numbers)}-{max(numbers)}]"
    return "{" + "|".join(sorted(values)) + "}"
