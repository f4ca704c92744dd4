"""`python -m golden.tests`: every test of the generator; exit 77, which means skipped, where mpmath is not installed."""

import importlib.util
import sys
import unittest

if importlib.util.find_spec("mpmath") is None:
    print("mpmath is not installed")
    sys.exit(77)
sys.exit(not unittest.TextTestRunner().run(unittest.defaultTestLoader.discover("golden/tests", top_level_dir=".")).wasSuccessful())
