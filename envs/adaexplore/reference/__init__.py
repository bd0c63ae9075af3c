"""Reference agents of AdaExplore: floors and ceilings that need no language model.

`reading` turns prompt text into facts, `fitting` finds the rules that explain probes, `design` says which cases to
probe, `players` are the agents. All but `random` and `oracle` see nothing but the text of the prompt.
"""
