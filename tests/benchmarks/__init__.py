"""Benchmarks that other measurements stand on."""
