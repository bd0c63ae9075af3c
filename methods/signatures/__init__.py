"""The methods' structured calls as DSPy signatures, one module a method.

Importing DSPy takes seconds: methods import their module when they make a call, never before.
"""
