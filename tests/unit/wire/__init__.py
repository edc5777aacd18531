"""Tests of specbench.wire."""
