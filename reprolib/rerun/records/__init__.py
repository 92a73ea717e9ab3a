"""What a task is, and the records that it gives: the ground floor of the machinery.

The names are imported when they are first used, so that the command line's help is fast;
``__init__.pyi`` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
