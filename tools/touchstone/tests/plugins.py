"""Plug-ins that are wrong in one way each, compiled from the template of a backend."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

REQUIRED = (
    "name open close device_count device_info allocate release copy_in copy_out copy queue_create queue_destroy record "
    "wait synchronize poll query"
).split()

# A table of the template's, spoiled before it is given out.
SPOILED = """
#define ts_backend_table whole_table
#include "{root}/backends/skeleton/backend.c"
#undef ts_backend_table
#include <stdlib.h>
#include <string.h>
{declarations}
TS_EXPORT const ts_backend* ts_backend_table(void) {{
  static ts_backend table;
  table = *whole_table();
  {body}
  return &table;
}}
"""


class Workshop:
    """Compiles plug-ins into a folder."""

    def __init__(self, folder, compiler):
        self.folder, self.compiler = Path(folder), compiler
        include = self.folder / "include" / "touchstone"
        include.mkdir(parents=True)
        (include / "backend.h").symlink_to(ROOT / "backends/abi/backend.h")

    def library(self, name, source):
        """The path of a library made of C source."""
        path = self.folder / f"{name}.so"
        code = self.folder / f"{name}.c"
        code.write_text(source, encoding="ascii")
        command = [self.compiler, "-std=gnu99", "-w", "-shared", "-fPIC", f"-I{self.folder}/include", code, "-o", path, "-lm"]
        subprocess.run([str(word) for word in command], check=True)
        return str(path)

    def spoiled(self, name, body, declarations=""):
        """The path of the template with a spoiled table."""
        return self.library(name, SPOILED.format(root=ROOT, body=body, declarations=declarations))
