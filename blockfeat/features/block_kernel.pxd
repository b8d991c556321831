# What block_kernel.py takes from another compiled module: where it runs uncompiled, nobody reads this file.
from blockfeat.features cimport places as column
