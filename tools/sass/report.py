"""Tables of functions and of hot paths, for output and for files."""
import re

from .paths import PATHS, measure

def registers(function):
    used = [int(r) for i in function.code for r in re.findall(r"\bR(\d+)\b", i.operands)]
    return max(used, default=-1) + 1


KINDS = [("shared", r"LDS|STS|ATOMS"), ("global", r"LDG|STG|ATOMG|RED\b|RED\."), ("generic", r"LD\b|LD\.E|ST\b|ST\.E|ATOM\b|ATOM\.|QSPC"),
         ("local", r"LDL|STL"), ("float", r"FADD|FMUL|FFMA|FSET|FSEL|FMNMX|MUFU|FCHK"), ("double", r"DADD|DMUL|DFMA|DSET|DMNMX"),
         ("branch", r"BRA|BRX|BSSY|BSYNC|CALL|RET|EXIT|WARPSYNC|YIELD|BREAK|JMP"), ("warp", r"VOTE|SHFL|MATCH|REDUX|BAR")]


def kinds(function):
    counts = {name: 0 for name, _ in KINDS}
    for i in function.code:
        for name, pattern in KINDS:
            if re.match(pattern, i.opcode):
                counts[name] += 1
                break
    return counts


def function_rows(functions, spilled):
    return [{"function": f.name, "instructions": len(f.code), "registers": registers(f), "spills": spilled.get(f.name),
             "kinds": kinds(f)} for f in sorted(functions, key=lambda f: -len(f.code))]


def print_functions(rows):
    print("| function | instructions | registers | spilled, bytes (stored, loaded) | "
          + " | ".join(name for name, _ in KINDS) + " |\n|---|---:|---:|---:|" + "---:|" * len(KINDS))
    for row in rows:
        if not row["function"].startswith("__"):
            at = row["spills"]
            spill = f"{at['spill_stores']}, {at['spill_loads']}" if at else "?"
            print(f"| {row['function']} | {row['instructions']} | {row['registers']} | {spill} | "
                  + " | ".join(str(n) for n in row["kinds"].values()) + " |")


def path_rows(functions):
    by_name = {f.name: f for f in functions}
    return once([measure(by_name[path[1]], path) for path in PATHS if path[1] in by_name])


def once(rows):
    """The compiler may join two loops; then a pass through both would be counted twice. The later row gets zeros, and `joined`
    names the row that has its instructions."""
    for i, row in enumerate(rows):
        same = next((earlier for earlier in rows[:i] if "error" not in earlier and "error" not in row and
                     all(earlier[key] == row[key] for key in ("function", "least", "most", "size"))), None)
        if same:
            row |= {"least": 0, "most": 0, "stack_least": 0, "stack_most": 0, "size": 0, "calls": [], "joined": same["path"]}
    return rows


def print_paths(rows):
    print("\n| one pass | function | least | of it stack | most | of it stack | size | calls |\n|---|---|---:|---:|---:|---:|---:|---|")
    for row in rows:
        if "error" in row:
            print(f"| {row['path']} | {row['function']} | {row['error']} | | | | | |")
            continue
        unrolled = f" (of {row['unrolled']})" if row["unrolled"] > 1 else ""
        print(f"| {row['path']} | {row['function']} | {row['least']:.0f} | {row['stack_least']:.0f} | {row['most']:.0f} | {row['stack_most']:.0f} | {row['size']}{unrolled} | {', '.join(row['calls'])} |")
