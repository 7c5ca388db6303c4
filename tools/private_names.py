# private_names.py: what the files of one library keep to themselves must not clash: they may be compiled as one.
"""Finds names in anonymous namespaces that two files of a library define: a unity build (preset ci) compiles such files
together. Functions may share a name if their parameters differ, aliases if they stand for the same. Nor may one have the
name of what a header of the library declares: it would hide that from the other files."""

import collections
import dataclasses
import pathlib
import re

# The folders whose files may meet in one compilation; any other folder stands for itself.
LIBRARIES = ("jit/Reference", "jit", "dialects", "runtime", "devicekit", "frameworks/onnx", "tools/lib")
NAMED = re.compile(r"(?:template <.*> )?(?:struct|class|enum class|enum) (\w+)(?! final;)\b(?!.*;$)")
ALIAS = re.compile(r"using (\w+) = ")
DEFINED = re.compile(r"(?:[\w:<>,&*\[\]]+ )+[&*]?(\w+)(\(|\[|\{| = |;)")


@dataclasses.dataclass
class Definition:
    place: str
    kind: str  # "type", "alias", "function", "object"
    text: str  # what has to differ, or for an alias be the same: parameters, the aliased type


def library_of(name: str) -> str:
    """The library or test program of a file, by its path from the root."""
    if name.startswith("tests/plugins/"):  # each file is a backend
        return name
    backend = re.match(r"(backends/\w+)/(?!test/)", name)
    if backend:
        return backend[1]
    return next((folder for folder in LIBRARIES if name.startswith(folder + "/")), str(pathlib.PurePath(name).parent))


def parameters(text: str) -> str:
    """The types of a parameter list that stands at the start of `text`."""
    depth, end = 0, len(text)
    for i, c in enumerate(text):
        depth += (c in "(<[{") - (c in ")>]}")
        if depth < 0:
            end = i
            break
    types, depth, start = [], 0, 0
    inside = text[:end] + ","
    for i, c in enumerate(inside):
        depth += (c in "(<[{") - (c in ")>]}")
        if c == "," and depth == 0:
            types.append(re.sub(r" ?=.*", "", inside[start:i]).strip())
            start = i + 1
    return ", ".join(re.sub(r"(?<=[\s&*])\w+$", "", one).strip() for one in types if one)


def definitions(name: str, text: str) -> dict[str, list[Definition]]:
    """What the anonymous namespaces of a formatted file define, by name."""
    found: dict[str, list[Definition]] = collections.defaultdict(list)
    lines, depth, raw = text.split("\n"), 0, False
    for i, line in enumerate(lines):
        if raw or 'R"' in line:
            raw = not re.search(r'\)\w*"', line if raw else line.split('R"', 1)[1])
            continue
        depth += line.startswith("namespace {")
        depth -= line.startswith("} // namespace") and not line[14:].strip()
        if not (depth or line.startswith("static ")) or not line or not (line[0].isalpha()):
            continue
        place = f"{name}:{i + 1}"
        if match := ALIAS.match(line):
            found[match[1]].append(Definition(place, "alias", line))
        elif match := NAMED.match(line):
            found[match[1]].append(Definition(place, "type", ""))
        elif not line.startswith(("namespace", "using", "KILN_", "TEST", "MATCHER", "INSTANTIATE", "struct", "class")):
            if match := DEFINED.match(line):
                whole = " ".join(part.strip() for part in lines[i : i + 6])
                isFunction = match[2] == "("
                rest = whole[match.end() :] if isFunction else ""
                found[match[1]].append(Definition(place, "function" if isFunction else "object", parameters(rest)))
                for more in re.findall(r", (\w+) = ", line) if line.startswith("constexpr ") and not isFunction else []:
                    found[more].append(Definition(place, "object", ""))
    return found


def declarations(name: str, text: str) -> dict[str, str]:
    """What a formatted header declares at the start of a line, by name, and where."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = re.sub(r"^(?:(?:inline|constexpr|extern) |template <.*> )+", "", line)
        if line[:1].isalpha() and not line.startswith(("namespace", "using namespace", "typedef", "KILN_")):
            is_type = line.startswith(("struct", "class", "enum"))
            if match := ALIAS.match(line) or NAMED.match(line) or (None if is_type else DEFINED.match(line)):
                found.setdefault(match[1], f"{name}:{number}")
    return found


def hides(one: Definition, here: dict[str, list[Definition]]) -> bool:
    """Whether calls elsewhere would find it first: not where argument types, which this file alone has, tell it apart."""
    own = [name for name, found in here.items() if found[0].kind == "type"]
    return not any(re.search(rf"\b{name}\b", one.text) for name in own)


def clash(a: Definition, b: Definition) -> bool:
    if a.kind == b.kind and a.kind in ("function", "alias"):
        return (a.text == b.text) == (a.kind == "function")
    return True


def problems(files: dict[str, str]) -> list[str]:
    """One line for each clash. `files`: texts of .cpp and .h files by their path from the root."""
    declared: dict[str, dict[str, str]] = collections.defaultdict(dict)
    for name, text in files.items():
        if name.endswith(".h") and not name.startswith("tests/"):
            declared[library_of(name)] |= declarations(name, text)
    known: dict[tuple[str, str], list[Definition]] = collections.defaultdict(list)
    found = []
    for name, text in sorted(files.items()):
        if not name.endswith(".cpp"):
            continue
        whole = definitions(name, text)
        for defined, here in whole.items():
            others = known[library_of(name), defined]
            header = declared[library_of(name)].get(defined)
            if header and hides(here[0], whole):
                found.append(f"{here[0].place}: '{defined}' hides what {header} declares; expected another name")
                continue
            for one in here:
                if other := next((other for other in others if clash(one, other)), None):
                    found.append(f"{one.place}: '{defined}' is also defined at {other.place}; expected another name, or "
                                 "one definition in a header")
                    break
            others += here
    return found
