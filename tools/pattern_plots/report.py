"""The page that shows pictures and tables of `brokkr patterns` together."""
import html
import os

import command_line
from plotting import where


def table_html(title, head, body):
    cells = "".join(f"<th>{html.escape(c)}</th>" for c in head)
    lines = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in body)
    return f"<details><summary>{html.escape(title)}</summary><div><table><tr>{cells}</tr>{lines}</table></div></details>"


STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:72em;margin:2em auto;padding:0 1em;color:#222}
h1,h2{font-weight:600}img{max-width:100%}figure{display:inline-block;margin:.4em;text-align:center;font-size:.8em}
figure img{max-height:15em}.pattern img{width:9em;image-rendering:pixelated}details div{overflow-x:auto}
table{border-collapse:collapse;font-size:.85em}td,th{padding:.15em .6em;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}summary{cursor:pointer;color:#1d3557}"""


class Report:
    """Parts of the page for the folder that `settings` (patterns.json) was read from."""

    def __init__(self, folder, settings, remedy):
        path = folder / "patterns.json"

        def field(document, name, kind=str):
            return command_line.field(document, name, kind, path, remedy)

        self.folder, self.parts, self.titles = folder, [], {}
        for e in field(settings, "experiments", list):
            figure = field(e, "figure")
            self.titles[field(e, "name")] = field(e, "title") + (f" (Kerbl et al. 2017, Fig. {figure})" if figure else "")
        self.frames = field(settings, "frames", list)
        self.maps = []
        for frame in self.frames:
            triangles = field(frame, "triangles", int)
            for m in field(frame, "maps", list):
                width, height, fragments = (field(m, name, int) for name in ("width", "height", "fragments"))
                name = field(m, "name")
                self.maps.append((name, f"{name}: {width} x {height}, {triangles} triangles, {fragments} fragments"))
        self.where = where([{"machine": field(settings, "machine"), "detail": field(settings, "detail"),
                             "lanes": field(settings, "lanes", int)}])
        self.conditions = (f"Brokkr {field(settings, 'version')} on the {self.where}, seed {field(settings, 'seed', int)}, "
                           f"{'quick' if field(settings, 'quick', bool) else 'full'} run, {field(settings, 'workers', int)} threads.")

    def add(self, name, experiment, picture, tables):
        """Adds a section; `picture` is None if it has only tables."""
        title = "Does c_v predict the speed-up?" if name == "prediction" else self.titles.get(experiment, experiment)
        self.parts.append(f"<h2 id='{name}'>{html.escape(title)}</h2>")
        if picture is not None:
            link = os.path.relpath(picture, self.folder)
            self.parts.append(f"<p><img src='{html.escape(link)}' alt='{name}'></p>")
        self.parts += [table_html(*table) for table in tables]

    def write(self):
        """Writes the page and returns its path."""
        maps = [f"<figure><img src='map-{html.escape(name)}.png' alt=''><figcaption>{html.escape(caption)}</figcaption></figure>"
                for name, caption in self.maps]
        tiles = [f"<figure class='pattern'><img src='{p.name}' alt=''><figcaption>{html.escape(p.stem[8:])}</figcaption></figure>"
                 for p in sorted(self.folder.glob("pattern-*.png"))]
        page = (f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Bin patterns</title><style>{STYLE}</style>"
                f"<h1>Bin patterns</h1><p>{html.escape(self.conditions)} The numbers are in <code>patterns-*.csv</code> beside this file.</p>"
                f"<h2>Frames: fragments per pixel</h2>{''.join(maps)}<h2>Patterns, 8 rasterizers</h2>{''.join(tiles)}"
                f"{''.join(self.parts)}</html>")
        path = self.folder / "report.html"
        path.write_text(page, encoding="utf-8")
        return path
