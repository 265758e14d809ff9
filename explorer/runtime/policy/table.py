"""The policy as one table of words: what a program may say, define and derive from, and why not the rest.

Everything that is not here is refused. A row is words separated by blanks; these have a meaning of their own:

    public     every name without a leading underscore
    @tensor    every function of the module that torch.overrides lists as acting on tensors
    @modules   every subclass of nn.Module in the module
    @all       everything the module says is its own, but for the families of `NEVER`
    -name      except this one
    name       and this one

The parts about modules and types stand beside this one. `python -m explorer doctor --policy` prints it all.
No torch is needed to read it.
"""

from explorer.runtime.policy.table_extras import EXTRA_BASES, EXTRA_KEYWORDS, EXTRA_WHY


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ---- words of the language -----------------------------------------------------------------------------------------

# Special methods a class may define, and that may be called by name on what a program made or may use.
OPERATORS = _words(
    """
    __init__ __post_init__ __call__ __repr__ __str__ __format__ __hash__ __bool__ __len__ __iter__ __next__
    __reversed__ __contains__ __getitem__ __setitem__ __delitem__ __missing__ __enter__ __exit__ __int__ __float__
    __complex__ __lt__ __le__ __eq__ __ne__ __gt__ __ge__ __neg__ __pos__ __abs__ __invert__ __round__
    __trunc__ __floor__ __ceil__ __add__ __sub__ __mul__ __matmul__ __truediv__ __floordiv__ __mod__ __divmod__
    __pow__ __and__ __or__ __xor__ __lshift__ __rshift__ __radd__ __rsub__ __rmul__ __rmatmul__ __rtruediv__
    __rfloordiv__ __rmod__ __rdivmod__ __rpow__ __rand__ __ror__ __rxor__ __rlshift__ __rrshift__ __iadd__ __isub__
    __imul__ __imatmul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__ __ior__ __ixor__ __ilshift__
    __irshift__ __copy__
    """
)
# A class may also say how its objects are made; only its own way and Python's may be called.
MAKING = "__new__"
# Further special names that may be read as attributes; by type, at run time.
READABLE = OPERATORS | _words(
    "__new__ __index__ __class__ __name__ __qualname__ __doc__ __version__ __module__ __dict__"
)
# Names with an underscore that a library's documents had programs derive from; of modules that list them.
READABLE |= {"_LRScheduler"}
# Special names that may be read as variables.
VARIABLES = frozenset(["__name__", "__file__"])
# Special names that a module may give a value to.
DECLARED = frozenset(["__all__", "__version__", "__author__"])
# Arguments that reach memory or run code inside a library, in whatever call.
KEYWORDS = frozenset(
    ["cdata", "check_invariants", "refcheck", "compression", "converters", "storage_options", "backend"]
)

# ---- builtins ------------------------------------------------------------------------------------------------------

BUILTINS = """
    abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter float
    format
    frozenset hash hex id int isinstance issubclass iter len list map max min next object oct ord pow property
    range repr reversed
    round set slice sorted staticmethod str sum super tuple zip open
    NotImplemented Ellipsis __build_class__ __name__
    """
# These stand there in a checked form.
CHECKED_BUILTINS = "getattr hasattr setattr delattr type print __import__ help vars dir eval"
# Refused by name, so that the reason can be told.
REFUSED_BUILTINS = {
    "code": "exec compile",
    "internals": "globals locals breakpoint",
    "memory": "memoryview",
    "input": "input exit quit",
}

# What a class may derive from, besides the program's own classes and every exception.
BASES = _words(
    """
    builtins.object builtins.dict builtins.list builtins.tuple builtins.set builtins.int builtins.float
    enum.Enum enum.IntEnum enum.Flag enum.IntFlag enum.StrEnum typing.Protocol typing.Generic typing.TypedDict
    contextlib.ContextDecorator torch.nn.utils.prune.BasePruningMethod
    collections.OrderedDict collections.defaultdict collections.Counter collections.deque abc.ABC typing.NamedTuple
    torch.autograd.function.Function torch.optim.optimizer.Optimizer torch.optim.lr_scheduler.LRScheduler
    torch.optim.lr_scheduler._LRScheduler
    torch.nn.modules.module.* torch.nn.modules.*.* torch.distributions.*.* torch.utils.data.dataset.*
    torch.utils.data.sampler.*
    """
)

# ---- families: what no rule lets in, by the shape of its name ------------------------------------------------------

# A library's next version may bring names nobody has read; these never come in by themselves.
NEVER = {
    "file": """
        file* *_file* fromfile tofile load load_* *_load save save_* *savez* savetxt loadtxt genfromtxt fromregex memmap
        *path* *Reader *Writer ExcelWriter HDFStore read_* *_handler
        """,
    "pickle": "*pickle* dump dumps *serializ*",
    "process": "fork fork_* wait *thread* *process* *Future* *Stream* set_num_interop_threads *Await* *distributed*",
    "memory": """
        *dlpack* *buffer *storage* *Storage* *_ptr *cdata* *unsafe* set_ *pin_memory share_memory* *_copy apply_ map_
        map2_ *nditer* nested_iters record recarray segment_reduce *resize_as_sparse* *sparse_resize* bytescale
        """,
    "code": """
        compile* *jit* Script* *CompilationUnit* import_* parse_* *_ir* *library* *fx* cond while_loop bmat *c_api*
        get_include *Graph* *Trace* f2py register_kl register_function* *capture* test
        """,
    "internals": """
        *quantiz* q_* qscheme *fbgemm* miopen_* cudnn_* mkldnn_* native_* batch_norm_* fused_* fake_* sym_* Sym*
        *torch_function* *module_load* prepare_* unify_* choose_qparams* qint* quint* bit bits* int[1-7] uint[1-7]
        float4*
        merge_type* get_device_module classproperty *Lock* *Logger*
        *Type *Tag* *Dispatch* *hash_tensor* *_callback *multithreading* *seterrcall* geterrcall *setbufsize*
        set_module rename_privateuse1* generate_methods* *backtrace* int_repr
        """,
}

# ---- why: of names that deserve more than "not part of what a program may use" -------------------------------------

WHY = {
    "file": """
        os.chmod os.chown os.link os.symlink os.open os.read os.write os.truncate pathlib tempfile glob shutil
        fileinput zipfile tarfile gzip bz2 lzma sqlite3 dbm numpy.memmap numpy.fromregex
        torch.from_file pandas.read_html pandas.read_sql
        pandas.read_parquet
        pandas.read_xml pandas.read_hdf pandas.read_clipboard pandas.ExcelWriter pandas.HDFStore ndarray.tofile
        DataFrame.to_excel DataFrame.to_json DataFrame.to_parquet DataFrame.to_sql
        DataFrame.to_hdf DataFrame.to_feather DataFrame.to_xml DataFrame.to_stata DataFrame.to_clipboard
        DataFrame.to_latex
        """,
    "pickle": """
        pickle cPickle dill joblib shelve marshal copyreg pandas.read_pickle pandas.to_pickle DataFrame.to_pickle
        Series.to_pickle ndarray.dump ndarray.dumps
        """,
    "process": """
        os.system os.popen os.fork os.kill os.execv os.execve os.execvp os.spawnl os.abort os._exit os.posix_spawn
        os.nice subprocess multiprocessing threading concurrent asyncio signal sched pty torch.multiprocessing
        torch.distributed
        """,
    "network": """
        socket urllib http requests ftplib smtplib ssl xmlrpc telnetlib webbrowser aiohttp httpx gdown wget google
        kaggle kagglehub opendatasets
        """,
    "hub": "torch.hub",
    "wait": "time.sleep",
    "memory": """
        ctypes _ctypes mmap cffi numpy.ctypeslib numpy.lib numpy.frombuffer numpy.from_dlpack torch.frombuffer
        torch.from_dlpack torch.to_dlpack torch.Storage torch.UntypedStorage Tensor.set_ Tensor.apply_ Tensor.map_
        Tensor.new Tensor.share_memory_ Tensor.pin_memory ndarray.data
        ndarray.ctypes
        """,
    "moved": "",
    "forged": """
        numpy.rec numpy.recarray numpy.record numpy.core numpy.memmap ndarray.setflags ndarray.setfield
        ndarray.getfield struct.pack_into BytesIO.readinto BytesIO.getbuffer BufferedReader.readinto _Raw.readinto
        """,
    "code": """
        code codeop ast runpy imp pkgutil importlib.import_module importlib.reload torch.jit torch.compile torch.fx
        torch.export torch.library
        torch.ops torch._dynamo pandas.eval DataFrame.eval DataFrame.query numpy.f2py Module.compile
        typing.get_type_hints
        numpy.bmat
        """,
    "internals": """
        sys gc inspect builtins importlib types.FunctionType types.CodeType traceback dis linecache tracemalloc weakref
        atexit
        torch._C torch.overrides torch.utils.hooks frame platform resource faulthandler site sysconfig
        """,
}
BASES |= EXTRA_BASES
KEYWORDS |= EXTRA_KEYWORDS
WHY |= {reason: f"{WHY.get(reason, '')} {words}" for reason, words in EXTRA_WHY.items()}
