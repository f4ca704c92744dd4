"""Parts of a page that a command writes: what stands between `<!-- NAME -->` and `<!-- /NAME -->`."""


def replace_part(path, name, text):
    page = path.read_text()
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{path} has no part '{name}'")
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}")
