"""Whether names, records and files are right: check, compare, verify, recompute, evaluate.

The names are imported when they are first used; ``__init__.pyi`` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
