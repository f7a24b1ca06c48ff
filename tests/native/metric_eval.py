# SPDX-License-Identifier: GPL-2.0-only
"""A second evaluator for the expressions of metrics. It was written from the grammar only, and
walks trees without folding or compiling them. None means "no value"."""

import math
import re

NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
NAME = re.compile(r"(?:\\\S|[A-Za-z0-9_.:?]|@(?:\\\S|[^@\s\\])*@)+")
SIGN = re.compile(r"<=|>=|==|!=|[-+*/%<>&|^(),]")
LITERAL = re.compile(r"#[\w.]+")
RANKS = [["|"], ["^"], ["&"], ["<", ">", "<=", ">=", "==", "!="], ["+", "-"], ["*", "/", "%"]]
CALLS = {"min": 2, "max": 2, "d_ratio": 2, "source_count": 1, "has_event": 1, "strcmp_cpuid_str": 1}


def tokens(text):
    """Yields (kind, text) for each token."""
    at, found = 0, []
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        matches = [
            (len(match[0]), -order, kind, match[0])
            for order, (kind, pattern) in enumerate(
                [("number", NUMBER), ("name", NAME), ("literal", LITERAL), ("sign", SIGN)]
            )
            if (match := pattern.match(text, at))
        ]
        if not matches:
            raise SyntaxError(f"{text!r} at {at}")
        length, _, kind, word = max(matches)
        found.append((kind, word))
        at += length
    return found


class Parser:
    """Builds trees: ("number", x), ("name", s), ("literal", s), (operator, left, right), ("if",
    value, condition, other) …"""

    def __init__(self, text):
        self.tokens = tokens(text)
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self, word=None):
        token = self.peek()
        if word is not None and token[1] != word:
            raise SyntaxError(f"{token[1]!r} instead of {word!r}")
        self.at += 1
        return token

    def whole(self):
        tree = self.choice()
        if self.peek()[0] != "end":
            raise SyntaxError(f"{self.peek()[1]!r} at the end")
        return tree

    def choice(self):
        value = self.binary(0)
        if self.peek() != ("name", "if"):
            return value
        self.take()
        condition = self.binary(0)
        self.take("else")
        return ("if", value, condition, self.choice())

    def binary(self, rank):
        if rank == len(RANKS):
            return self.unary()
        left = self.binary(rank + 1)
        while self.peek()[0] == "sign" and self.peek()[1] in RANKS[rank]:
            operator = self.take()[1]
            left = (operator, left, self.binary(rank + 1))
        return left

    def unary(self):
        if self.peek() == ("sign", "-"):
            self.take()
            return ("neg", self.unary())
        return self.primary()

    def primary(self):
        kind, word = self.take()
        if kind == "number":
            return ("number", float(word))
        if kind == "literal":
            return ("literal", word)
        if (kind, word) == ("sign", "("):
            tree = self.choice()
            self.take(")")
            return tree
        if kind != "name" or word in ("if", "else"):
            raise SyntaxError(f"{word!r} where a value was expected")
        if word not in CALLS:
            return ("number", None) if word == "NaN" else ("name", unescape(word))
        return self.call(word)

    def call(self, word):
        self.take("(")
        if CALLS[word] == 1:
            args = [unescape(self.take()[1])]
        else:
            args = [self.choice()]
            self.take(",")
            args.append(self.choice())
        self.take(")")
        return (word, *args)


def unescape(word):
    return re.sub(r"\\(.)|\?", lambda match: match[1] or "0", word)


def finite(value):
    return value if value is not None and math.isfinite(value) else None


def arithmetic(operator, x, y):
    """Computes the result for two operands that both have values."""
    try:
        return {
            "+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "/": lambda: x / y
            if y else None, "%": lambda: math.fmod(math.trunc(x), math.trunc(y))
            if math.trunc(y) and max(abs(x), abs(y)) < 2**127 else None, "min": lambda: min(x, y),
            "max": lambda: max(x, y), "<": lambda: float(x < y), ">": lambda: float(x > y),
            "<=": lambda: float(x <= y), ">=": lambda: float(x >= y), "==": lambda: float(x == y),
            "!=": lambda: float(x != y),
        }[operator]()
    except OverflowError:
        return None


def logic(operator, x, y):
    if operator == "^":
        return None if None in (x, y) else float(bool(x) != bool(y))
    decisive = operator == "|"
    if any(side is not None and bool(side) == decisive for side in (x, y)):
        return float(decisive)
    return None if None in (x, y) else float(not decisive)


class Evaluator:
    """`events` maps names to values or None, `metrics` maps names to expressions, and `literals`
    maps #name to values."""

    def __init__(self, events, metrics=None, literals=None, sources=None):
        self.events, self.sources = events, sources or {}
        self.metrics = {name.lower(): text for name, text in (metrics or {}).items()}
        self.literals = literals or {}

    def value(self, text):
        return self.walk(Parser(text).whole())

    def walk(self, tree):
        kind, *args = tree
        if kind == "number":
            return args[0]
        if kind == "literal":
            return finite(self.literals[args[0].lower()])
        if kind == "name":
            if args[0].lower() in self.metrics:
                return self.value(self.metrics[args[0].lower()])
            return finite(self.events.get(args[0]))
        if kind == "source_count":
            return self.sources.get(args[0], 1.0)
        if kind == "has_event":
            return float(args[0] in self.events)
        if kind == "strcmp_cpuid_str":
            return 0.0
        values = [self.walk(arg) for arg in args]
        if kind == "neg":
            return None if values[0] is None else -values[0]
        if kind == "if":
            value, condition, other = values
            if condition is None:
                return value if value == other else None
            return value if condition else other
        if kind in "|^&":
            return logic(kind, *values)
        if kind == "d_ratio":
            if values[1] == 0:
                return 0.0
            kind = "/"
        return None if None in values else finite(arithmetic(kind, *values))
