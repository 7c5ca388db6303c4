# check_page.py: every code block of a page that names an anchor is, to the letter, what stands between the anchors.
"""A block is announced by a line `<!-- FILE [anchor] -->` before its fence; indentation of the whole is dropped."""
import pathlib
import re
import sys
import textwrap

page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
text = page.read_text(encoding="utf-8")
blocks = re.findall(r"<!-- (\S+) \[(\w+)\] -->\n\s*```\w+\n(.*?)\n\s*```", text, re.DOTALL)
failures = []
for name, anchor, shown in blocks:
    source = (folder / name).read_text(encoding="utf-8")
    match = re.search(rf"^ *// \[{anchor}\]\n(.*?)\n *// \[/{anchor}\]", source, re.DOTALL | re.MULTILINE)
    if not match:
        failures.append(f"{page.name}: {name} has no anchor [{anchor}]")
    elif textwrap.dedent(match[1]).rstrip() != textwrap.dedent(shown).rstrip():
        failures.append(f"{page.name}: block [{anchor}] differs from {name}")
print("\n".join(failures) or f"{page.name}: {len(blocks)} blocks are as in the sources")
sys.exit(1 if failures or not blocks else 0)
