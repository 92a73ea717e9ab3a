"""A paper's file ``printed.toml``: its typed schema, its one reader, and the readings in it.

- `reprolib.rerun.printed.schema`: what may stand in the file, as types;
- `reprolib.rerun.printed.file`: from text to these types, with every fault named;
- `reprolib.rerun.printed.readings`: the readings of a paper by name;
- `reprolib.rerun.printed.names`: the name that was meant.
"""
