# What tag_walk.py takes from another compiled module: where it runs uncompiled, nobody reads this file.
from blockfeat.blocks.text_reader cimport TextReader
