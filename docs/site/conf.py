"""Settings of the site: pages in Markdown, the reference from docstrings, and nothing that is loaded from elsewhere."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "noiseproof"
author = "The noiseproof developers"
release = metadata.version("noiseproof")
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "plain_docstrings"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# Names that say more than what they stand for.
autodoc_type_aliases = {
    name: name for name in ("ArrayLike", "Bits", "Curve", "Floats", "Progress", "Relation", "Support")
}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"noiseproof {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
