"""What a child has and has not."""

import ast
import resource

from explorer.sandbox import Confinement, probe


def told(outputs, code: str):
    return ast.literal_eval(outputs(code)[1][0].text)


def test_every_mechanism_built_so_far_holds():
    assert probe() == Confinement(
        rlimits=True,
        no_new_privs=True,
        undumpable=True,
        descriptors=True,
        environment=True,
        landlock=False,
        seccomp=False,
    )


def test_the_environment_is_empty(outputs):
    assert told(outputs, "import os\nanswer = str(dict(os.environ))") == {}


def test_its_socket_and_its_emergency_pipe_are_all_that_is_open(outputs):
    code = "import os\ndef is_open(fd):\n    try: os.fstat(fd)\n    except OSError: return False\n    return True\n"
    found = told(outputs, code + "answer = str([fd for fd in range(1024) if is_open(fd)])")
    assert found[:3] == [0, 1, 2]
    assert len(found) == 5


def test_standard_streams_lead_nowhere(outputs):
    assert told(outputs, "import os, sys\nprint('lost')\nanswer = repr((os.read(0, 1), os.isatty(1)))") == (b"", False)


def test_no_byte_reaches_a_file(outputs, tmp_path):
    code = f"try:\n    with open({str(tmp_path / 'x')!r}, 'w') as f: f.write('x')\n    answer = '0'\n"
    assert told(outputs, code + "except OSError as e: answer = str(e.errno)") == 27  # EFBIG
    assert (tmp_path / "x").read_text() == ""


def test_limits_cannot_be_raised(outputs):
    core, files = resource.RLIMIT_CORE, resource.RLIMIT_FSIZE
    code = f"import resource\nanswer = str([resource.getrlimit(kind) for kind in ({core}, {files})])"
    assert told(outputs, code) == [(0, 0), (0, 0)]


def test_hashes_are_the_same_in_every_run(outputs):
    first, second = (told(outputs, "answer = str(hash('tensor'))") for _ in range(2))
    assert first == second
