"""VIPS (Cai, Yu, Wen & Ma 2003) on pages rendered in a browser, and what rendering could bring."""
