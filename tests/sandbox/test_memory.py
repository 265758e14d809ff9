"""Memory a program can take by native calls: never more than its limit and 100 MB."""

import ast
import ctypes

import pytest

from explorer.program import read_text
from explorer.sandbox import default_runner, memory_map
from explorer.trace import Options
from tests.patience import PATIENT
from tests.sandbox.processes import looks

LIMIT = 50.0  # MB
PROMISED = 150  # MB that SECURITY.md promises
MOST = 1_000  # MB that these programs would use, so that the machine survives a missing limit

# `touched` is how many MB a method yields, each page written to; a reserve makes room for the answer.
START = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
address, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
libc.mmap.argtypes = address, size, number, number, number, ctypes.c_long
libc.mprotect.argtypes, libc.munmap.argtypes = (address, size, number), (address, size)
libc.mremap.argtypes = address, size, size, number
MB, NOWHERE = 1 << 20, (None, 2**64 - 1)
aside = libc.mmap(None, 8 * MB, 3, 0x22, -1, 0)
ctypes.memset(aside, 1, 8 * MB)

def touched(take):
    count = 8
    while count < {MOST} and (place := take()) not in NOWHERE:
        ctypes.memset(place, 1, MB)
        count += 1
        if "readonly" in globals() and libc.mprotect(place, MB, 1):
            break
    libc.munmap(aside, 8 * MB)
    return str(count)

def mapped(flags, rights=3):
    return libc.mmap(None, MB, rights, flags, -1, 0)

def writable(place):
    return None if place in NOWHERE or libc.mprotect(place, MB, 3) else place
"""
WAYS = {
    "mapped": "touched(lambda: mapped(0x22))",
    "as a stack that grows": "touched(lambda: mapped(0x122))",
    "as a stack": "touched(lambda: mapped(0x20022))",
    "not reserved": "touched(lambda: mapped(0x4022))",
    "made writable later": "touched(lambda: writable(mapped(0x22, 0)))",
    "large pages": "touched(lambda: mapped(0x40022))",
    "shared": "touched(lambda: mapped(0x21))",
    "heap": "touched(lambda: libc.sbrk(MB))",
}


@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("after", ["", "readonly = True\n"], ids=["", "and made read-only when written"])
def test_no_allocation_method_exceeds_the_limit(runner, way, after):
    sbrk = "libc.sbrk.restype, libc.sbrk.argtypes = address, (ctypes.c_long,)\n"
    run = runner.submit(read_text(f"{START}{sbrk}{after}answer = {way}"), Options(memory_limit=LIMIT))
    (output,) = run.result(PATIENT).cells[0].outputs
    assert 8 <= int(output.text) < PROMISED


def test_the_kernel_chooses_addresses(runner):
    """Distant pages cost page tables, which no limit counts; only the linker may choose, next to its mapping."""
    far = f"""{START}
libc.mremap.argtypes = address, size, size, number, address
place, near = mapped(0x22), ctypes.cast(libc.mmap, address).value & ~4095
chosen = [libc.mmap(1 << 40, MB, 1, 0x22 | flags, -1, 0) for flags in (0, 0x10, 0x100000)]
chosen += [libc.mremap(place, MB, MB, 3, 1 << 40), libc.mmap(near + 64 * MB, MB, 1, 0x22, -1, 0)]
allowed = libc.mmap(place, MB, 3, 0x32, -1, 0)
answer = str([*(at in NOWHERE for at in chosen), allowed == place])"""
    (output,) = runner.submit(read_text(far)).result(PATIENT).cells[0].outputs
    assert ast.literal_eval(output.text) == [True] * 6


def test_equal_pages_of_two_runs_are_never_merged(runner):
    """Merging (MADV_MERGEABLE) would reveal another run's memory."""
    code = (
        f"{START}place = address(mapped(0x22))\nanswer = str([libc.madvise(place, size(MB), kind) for kind in (12, 4)])"
    )
    (output,) = runner.submit(read_text(code)).result(PATIENT).cells[0].outputs
    assert ast.literal_eval(output.text) == [-1, 0]


@looks
def test_a_program_finds_no_reserved_address_space_to_free():
    """Address space that a parent only reserves counts as a child's own: unmapped, it made room for as much memory."""
    default_runner().submit(read_text("torch.ones(1)")).result(PATIENT)
    with open(f"/proc/{default_runner().programs.pid}/maps") as maps:
        areas = [line.split() for line in maps]
    reserved = [place.split("-") for place, rights, _, _, inode, *_ in areas if rights[:3] == "---" and inode == "0"]
    assert sum(int(end, 16) - int(begin, 16) for begin, end in reserved) < 1 << 20


@pytest.mark.thorough
def test_remapped_memory_counts_again(runner):
    """Uses mremap to keep the old place mapped (MREMAP_DONTUNMAP), and to enlarge one area repeatedly."""
    grown = f"""{START}
place, count = mapped(0x22), 1
while count < {MOST}:
    ctypes.memset(place, 1, MB)
    if (place := libc.mremap(place, MB, MB, 5)) in NOWHERE:
        break
    count += 1
libc.munmap(aside, 8 * MB)
answer = str(count)"""
    (output,) = runner.submit(read_text(grown), Options(memory_limit=LIMIT)).result(PATIENT).cells[0].outputs
    assert int(output.text) < PROMISED


@pytest.mark.thorough
@pytest.mark.skipif(
    ctypes.CDLL(None, use_errno=True).syscall(memory_map._MSEAL, 0, 0, 0) != 0, reason="the kernel is older than mseal"
)
def test_the_code_of_libraries_cannot_be_unmapped_to_make_room(runner):
    code = (
        START
        + """
class Segment(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint32), ("rights", ctypes.c_uint32)] + [
        (name, ctypes.c_uint64) for name in ("offset", "at", "physical", "file", "size", "align")
    ]

class Loaded(ctypes.Structure):
    _fields_ = [("at", ctypes.c_uint64), ("name", ctypes.c_char_p), ("segments", ctypes.POINTER(Segment)),
                ("count", ctypes.c_uint16)]

code = []

@ctypes.CFUNCTYPE(number, ctypes.POINTER(Loaded), size, address)
def look(loaded, _, __):
    one = loaded.contents
    if b"libc.so" in one.name or b"libseccomp" in one.name:  # the parent has them
        code.extend((one.at + s.at, s.size) for s in one.segments[:one.count] if s.type == 1 and not s.rights & 2)
    return 0

libc.dl_iterate_phdr(look, None)
errors = []
for at, length in code:
    begin = at & ~4095
    length = (at + length - begin + 4095) & ~4095
    for call in (lambda: libc.munmap(begin, length), lambda: libc.mprotect(begin, length, 3)):
        ctypes.set_errno(0)
        errors.append(ctypes.get_errno() if call() else 0)
answer = str(errors)
"""
    )
    (output,) = runner.submit(read_text(code)).result(PATIENT).cells[0].outputs
    errors = ast.literal_eval(output.text)
    assert len(errors) >= 8 and set(errors) == {1}
