"""Writes Sources/Text/Generated: the Unicode tables of ForgeText.

PyPI's tokenizers takes its Unicode data from four libraries of different versions. Ids must match
training exactly, so the tables are read out of the library itself, one scalar after another.

Usage: python make_text_tables.py OUTPUT-FOLDER   (with PyPI's tokenizers)
"""
# check: Sources/Text/Generated

import pathlib
import sys
import unicodedata

from tokenizers import Regex, normalizers, pre_tokenizers

SCALARS = [value for value in range(0x110000) if not 0xD800 <= value < 0xE000]
# Planes 4 to 13 have no characters: what holds for their last scalar holds for all of them.
FEW = [value for value in SCALARS if not 0x40000 <= value < 0xE0000]
CATEGORIES = ("Cc Cf Cn Co Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So "
              "Zl Zp Zs").split()
SCRIPTS = "Han Hiragana Katakana Hangul Latin Cyrillic Greek Arabic Hebrew Thai Devanagari".split()


def removed_by(normalizer):
    """The scalars that a normalizer removes between two letters."""
    return {value for value in FEW if normalizer.normalize_str(f"a{chr(value)}b") == "ab"}


def split_by(pre_tokenizer, left="a", right="b"):
    """The scalars at which a pre-tokenizer splits between two letters of its complement."""
    return {value for value in FEW
            if len(pre_tokenizer.pre_tokenize_str(left + chr(value) + right)) != 1}


def removed_from_text(pre_tokenizer):
    """The scalars of one long text that a pre-tokenizer leaves out."""
    found = set(SCALARS)
    for start in range(0, len(SCALARS), 4096):
        block = SCALARS[start:start + 4096]
        text = "".join(map(chr, block))
        for _, (lower, upper) in pre_tokenizer.pre_tokenize_str(text):
            found.difference_update(block[lower:upper])
    return found


def matched_by(pattern):
    """The scalars that a pattern matches, as the regular expressions of Split see them."""
    return removed_from_text(pre_tokenizers.Split(Regex(pattern), "removed"))


def whole(text):
    """Whether Whitespace leaves a text as one piece."""
    pieces = pre_tokenizers.Whitespace().pre_tokenize_str(text)
    return len(pieces) == 1 and pieces[0][1] == (0, len(text))


def runs(inside):
    """The lengths of runs outside and inside, in turns, as hexadecimal numbers."""
    lengths, state, start = [], False, 0
    for value in range(0x110001):
        now = value in inside
        if value == 0x110000 or now != state:
            lengths.append(value - start)
            start, state = value, now
    return " ".join(f"{length:x}" for length in lengths)


def category_runs():
    """The runs of general categories: a length and two letters each."""
    table = ["Cn"] * 0x110000
    for name in CATEGORIES:
        for value in matched_by(rf"\p{{{name}}}"):
            table[value] = name
    for value in range(0xD800, 0xE000):
        table[value] = "Cs"
    text, start = [], 0
    for value in range(1, 0x110001):
        if value == 0x110000 or table[value] != table[start]:
            text.append(f"{value - start:x}{table[start]}")
            start = value
    return " ".join(text)


def mappings(normalizer, skip=lambda value: False):
    """The scalars that a normalizer changes, each with what becomes of it."""
    rows = []
    for value in FEW:
        if skip(value):
            continue
        text = normalizer.normalize_str(chr(value))
        if text != chr(value):
            rows.append(f"{value:x}=" + ",".join(f"{ord(one):x}" for one in text))
    return " ".join(rows)


def hangul(value):
    """Whether a scalar is a syllable whose parts follow by arithmetic."""
    return 0xAC00 <= value <= 0xD7A3


def compositions():
    """The pairs that compose, each with what it becomes: first,second=composite."""
    rows = []
    for value in FEW:
        if hangul(value):
            continue
        # One step: the composite of all but the last scalar, and the last one.
        full = normalizers.NFD().normalize_str(chr(value))
        if len(full) < 2:
            continue
        first = normalizers.NFC().normalize_str(full[:-1])
        if len(first) == 1 and normalizers.NFC().normalize_str(first + full[-1]) == chr(value):
            rows.append(f"{ord(first):x},{ord(full[-1]):x}={value:x}")
    return " ".join(rows)


def classes(marks):
    """The combining classes of marks that are not 0."""
    found = {}
    for value in FEW:
        combining = unicodedata.combining(chr(value))
        if combining and value in marks:
            found[value] = combining
    text, items = [], sorted(found.items())
    index = 0
    while index < len(items):
        first, combining = items[index]
        last = first
        while index + 1 < len(items) and items[index + 1] == (last + 1, combining):
            index += 1
            last += 1
        text.append(f"{first:x}-{last:x}={combining:x}")
        index += 1
    return " ".join(text)


def constant(name, comment, text):
    """A Swift string of lines of at most 96 columns."""
    lines, line = [], ""
    for word in text.split(" "):
        if len(line) + len(word) > 90:
            lines.append(line + " \\")
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    body = "\n".join("    " + one for one in lines)
    return f'  /// {comment}\n  static let {name}: StaticString = """\n{body}\n    """\n'


def main():
    """Reads the tables and writes three files."""
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    marks = removed_by(normalizers.StripAccents())
    cleaned = removed_by(normalizers.BertNormalizer(True, False, False, False)) - {0, 0xFFFD}
    accents = removed_by(normalizers.BertNormalizer(False, False, True, False))
    canonical = dict.fromkeys(mappings(normalizers.NFD(), hangul).split(" "))
    tables = {
        "ScalarSets": [
            ("marks", "What StripAccents removes.", runs(marks)),
            ("nonspacingMarks", "What BertNormalizer removes as accents.", runs(accents)),
            ("controls", "What BertNormalizer removes as control characters.", runs(cleaned)),
            ("punctuation", "What Punctuation and BertPreTokenizer isolate.",
             runs(removed_from_text(pre_tokenizers.Punctuation("removed")))),
            ("numeric", "What Digits isolates.",
             runs(split_by(pre_tokenizers.Digits(individual_digits=False)))),
            ("whitespace", "What WhitespaceSplit removes.",
             runs(removed_from_text(pre_tokenizers.WhitespaceSplit()))),
            ("words", "The word characters of Whitespace.",
             runs({value for value in FEW if whole(f"a{chr(value)}")})),
        ],
        "PatternSets": [
            ("categories", "The general categories of patterns.", category_runs()),
            ("patternWords", r"What \w matches in patterns.", runs(matched_by(r"\w"))),
            ("patternDigits", r"What \d matches in patterns.", runs(matched_by(r"\d"))),
            ("patternSpaces", r"What \s matches in patterns.", runs(matched_by(r"\s"))),
        ] + [(f"script{name}", f"The script {name} in patterns.",
              runs(matched_by(rf"\p{{{name}}}"))) for name in SCRIPTS],
        "ScalarMappings": [
            ("lowercase", "Lowercase of each scalar that has another.",
             mappings(normalizers.Lowercase())),
            ("canonical", "Full canonical decompositions, without Hangul.",
             " ".join(canonical)),
            ("compatible", "Full compatibility decompositions that differ from canonical ones.",
             " ".join(row for row in mappings(normalizers.NFKD(), hangul).split(" ")
                      if row not in canonical)),
            ("compositions", "Pairs that compose, without Hangul.", compositions()),
            ("classes", "Combining classes that are not 0.", classes(marks)),
        ],
    }
    for name, constants in tables.items():
        text = ("// Written by Scripts/references/make_text_tables.py from PyPI's tokenizers.\n\n"
                f"/// Tables of Unicode as the tokenizers of Hugging Face see it.\nenum {name} {{\n"
                + "\n".join(constant(*one) for one in constants) + "}\n")
        (folder / f"{name}.swift").write_text(text)
        print(name, len(text))


if __name__ == "__main__":
    main()
