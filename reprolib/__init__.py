"""Papers on kernel methods, rerun: each published number beside ours, with a verdict.

Every estimator can be imported from here: ``from reprolib import KPMClassifierCV``. The modules
behind the names are imported when a name is first used; ``__init__.pyi`` lists them.
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
