"""Code a model wrote: whatever it tries, it is refused or stopped, and this process goes on."""

import os
import re
import time

import pytest

from evoplay.methods.sandbox import LONGEST_STATE, ExtractorFailed, extract_all


def body(line):
    return f"def extract(transcript):\n    return {line}\n"


HOSTILE = {
    "imports subprocess": "import subprocess\n" + body("subprocess.getoutput('id')"),
    "imports socket": "import socket\n" + body("socket.gethostname()"),
    "imports ctypes": "import ctypes\n" + body("''"),
    "imports a client": "import urllib.request\n" + body("urllib.request.urlopen('http://127.0.0.1').read()"),
    "imports threading": "import threading\n" + body("''"),
    "imports multiprocessing": "import multiprocessing\n" + body("''"),
    "imports us": "import evoplay\n" + body("evoplay.__file__"),
    "imports by hand": body("__import__('os').getcwd()"),
    "imports importlib": "import importlib\n" + body("importlib.import_module('os').name"),
    "runs a command": "import os\n" + body("os.popen('id').read()"),
    "reads the environment": "import os\n" + body("str(dict(os.environ))"),
    "lists a folder": "import os\n" + body("str(os.listdir('/'))"),
    "reads a file": body("open('/etc/passwd').read()"),
    "reads a file by path": "from pathlib import Path\n" + body("Path('/etc/passwd').read_text()"),
    "writes a file": "def extract(transcript):\n    open('/tmp/evoplay-was-here', 'w').write('x')\n    return 'x'\n",
    "modules": "import sys\n" + body("str(sys.modules)"),
    "subclasses": body("str(().__class__.__bases__[0].__subclasses__())"),
    "globals of a function": body("str(extract.__globals__)"),
    "globals by format": body("'{0.__class__.__init__.__globals__}'.format(transcript)"),
    "builtins": body("str(__builtins__)"),
    "code of a function": body("str(extract.__code__.co_consts)"),
    "mro by getattr": body("str(getattr(transcript, '__class__').__mro__)"),
    "a huge text": body("'x' * 10**10"),
    "a huge list": body("str([0] * 10**10)"),
    "a huge number": body("str(2 ** 10**9)"),
    "a list that grows": "def extract(transcript):\n    all = []\n    while True:\n        all.append('x' * 1000)\n",
    "an endless loop": "def extract(transcript):\n    while True:\n        pass\n",
    "an endless loop at once": "while True:\n    pass\n",
    "endless loops that catch": (
        "def extract(transcript):\n    while True:\n        try:\n            while True:\n                pass\n"
        "        except BaseException:\n            pass\n"
    ),
    "endless recursion": body("extract(transcript)"),
    "recursion in a class": (
        "class A:\n    def __str__(self):\n        return str(self)\ndef extract(transcript):\n    return str(A())\n"
    ),
    "a flood of output": "def extract(transcript):\n    while True:\n        print('x' * 1000)\n",
    "a flood in one go": "def extract(transcript):\n    print('x' * 10**7)\n    return 'x'\n",
    "leaves": "def extract(transcript):\n    raise SystemExit(0)\n",
    "interrupts": "def extract(transcript):\n    raise KeyboardInterrupt\n",
    "a number": body("5"),
    "nothing": "def extract(transcript):\n    pass\n",
    "bytes": body("b'x'"),
    "a class that poses": "class str2(object):\n    pass\ndef extract(transcript):\n    return str2()\n",
    "a redefined check": "isinstance = lambda a, b: True\nstr = int\ntype = lambda a: 1\n" + body("7"),
    "no function": "x = 1\n",
    "not Python": "def extract(: this is no Python",
    "too long": "#" * 30_000,
    "nul": "\x00",
    "asks": body("input()"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_is_refused_or_stopped(name, capfd):
    before = time.monotonic()
    with pytest.raises(ExtractorFailed) as caught:
        extract_all(HOSTILE[name], ["| a hall\n"])
    assert "\n" not in str(caught.value)
    assert time.monotonic() - before < 30
    assert capfd.readouterr().out == ""
    assert not os.path.exists("/tmp/evoplay-was-here")
    # The sandbox is there for the next one.
    assert extract_all(body("transcript.upper()"), ["ab"]) == ["AB"]


def test_there_are_enough_of_them():
    assert len(HOSTILE) >= 30


def test_honest_code_works():
    code = "import re\n\ndef extract(transcript):\n    return f'{len(re.findall(\"> \", transcript))} moves'\n"
    assert extract_all(code, ["", "> a\n", "> a\n> b\n"]) == ["0 moves", "1 moves", "2 moves"]


def test_what_it_prints_goes_nowhere(capfd):
    assert extract_all("def extract(transcript):\n    print('hello')\n    return 'x'\n", ["a"]) == ["x"]
    assert capfd.readouterr() == ("", "")


def test_it_is_the_same_every_time():
    code = "import random, time, datetime\n" + body("f'{random.random()} {time.time()} {datetime.datetime.now()}'")
    assert extract_all(code, ["a"]) == extract_all(code, ["a"])


def test_a_long_state_is_cut_and_sleep_does_not_wait():
    before = time.monotonic()
    code = "import time\ndef extract(transcript):\n    time.sleep(1000)\n    return 'x' * 100000\n"
    assert extract_all(code, ["a"]) == ["x" * LONGEST_STATE]
    assert time.monotonic() - before < 60


def test_what_is_remembered_from_one_code_is_not_there_for_the_next():
    extract_all("secret = 'mine'\n" + body("secret"), ["a"])
    with pytest.raises(ExtractorFailed, match=re.escape("name 'secret' is not defined")):
        extract_all(body("secret"), ["a"])
