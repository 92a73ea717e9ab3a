"""Data sets by name: files, hashes, sites and formats; nothing about methods.

The modules behind the names are imported when a name is first used; ``__init__.pyi`` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
