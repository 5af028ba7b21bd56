# SPDX-License-Identifier: Apache-2.0
"""The documentation site: from the pages of this repository to a folder of HTML.

`pages` says which pages there are and where each has its place, `markdown` makes a page of GitHub's
Markdown one of the generator's, `stage` writes the generator's input, `generated` and `gallery`
write what no file of the repository holds, `check` reads the HTML that came out.

A step before the generator, and no plug-in of it: pages must read well on a forge too, and the
generator can be exchanged. It is Zensical (MIT, one package of 20 MB), for search and theme without
another server. Rejected: MkDocs with Material, which both ended (2024, 2026) and whose files it
reads, so there is a way back; Sphinx with MyST, whose search has no excerpts and whose themes come
with a tool chain of their own; Doxygen for the headers (see `generated`).
"""
