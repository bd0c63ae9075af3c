"""evoplay: which memory makes an agent learn?"""
