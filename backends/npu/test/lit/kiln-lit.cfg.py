# The configuration of every lit suite, for this folder.
import os

lit_config.load_config(config, os.path.join(os.path.dirname(__file__), "../../../../tests/kiln-lit.cfg.py"))
