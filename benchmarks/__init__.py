"""Timings of evoplay, each with its limit: `make bench`, or `python -m benchmarks NAME...`."""
