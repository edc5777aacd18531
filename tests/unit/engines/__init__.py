"""Tests of specbench.engines."""
