# SPDX-License-Identifier: GPL-3.0-or-later
"""A measured table with its bars, as text for a terminal and for docs/benchmarks.md."""


class Bar:
    """One promise: what, the figure, and whether it holds."""

    def __init__(self, text, figure, ok):
        self.text, self.figure, self.ok = text, figure, ok

    def __str__(self):
        return f"{'pass' if self.ok else 'FAIL'}  {self.text}: {self.figure}"


class Table:
    def __init__(self, name, title, header):
        self.name, self.title, self.header = name, title, header
        self.rows, self.bars, self.notes = [], [], []

    def add(self, *cells):
        self.rows.append([str(c) for c in cells])

    def bar(self, text, value, limit, unit=""):
        self.bars.append(Bar(f"{text} ≤ {limit:g}{unit}", f"{value:.3f}{unit}" if value < 100 else f"{value:,.0f}{unit}",
                             value <= limit))

    def bar_ok(self, text, figure, ok):
        self.bars.append(Bar(text, figure, ok))

    @property
    def ok(self):
        return all(bar.ok for bar in self.bars)

    def _is_number(self, column):
        return all(row[column][:1].isdigit() or row[column] == "" for row in self.rows)

    def text(self):
        widths = [max(len(row[i]) for row in [self.header] + self.rows) for i in range(len(self.header))]
        lines = [f"== {self.title}"]
        for row in [self.header] + self.rows:
            lines.append("  ".join(cell.rjust(width) if self._is_number(i) else cell.ljust(width)
                                   for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
        return "\n".join(lines + self.notes + [str(bar) for bar in self.bars])

    def markdown(self):
        lines = [f"| {' | '.join(self.header)} |", "|" + "---|" * len(self.header)]
        lines += [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in self.rows]
        if self.notes:
            lines += [""] + self.notes
        if self.bars:
            lines += ["", "| bar | measured | |", "|---|---|---|"]
            lines += [f"| {b.text} | {b.figure} | {'pass' if b.ok else '**fail**'} |" for b in self.bars]
        return "\n".join(lines)
