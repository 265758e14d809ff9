"""The policy, part three: which attributes a program may read and set, by type. `table` says what the words mean."""

from explorer.runtime.policy.table_extras import EXTRA_TYPES, EXTRA_WRITES

TYPES = {
    "builtins.str": "public",
    "builtins.bytes": "public",
    "builtins.bytearray": "public",
    "array.array": "append count extend index insert itemsize pop remove reverse tolist typecode",
    "enum.Enum": "name value",
    "sys.version_info": "public",
    "sys.float_info": "public",
    "sys.int_info": "public",
    "explorer.runtime.notebook.outputs.Stream": "write flush isatty encoding",
    "timeit.Timer": "timeit repeat autorange",
    "uuid.UUID": "hex int bytes version",
    "_hashlib.HASH": "update digest hexdigest name digest_size block_size copy",
    "_blake2.blake2b": "update digest hexdigest name digest_size block_size copy",
    "_blake2.blake2s": "update digest hexdigest name digest_size block_size copy",
    "weakref.ReferenceType": "",
    "weakref.WeakKeyDictionary": "get items keys values pop setdefault update clear",
    "weakref.WeakValueDictionary": "get items keys values pop setdefault update clear",
    "_weakrefset.WeakSet": "add discard remove clear",
    "inspect.Signature": "parameters return_annotation",
    "inspect.Parameter": "name default kind annotation empty",
    "builtins.mappingproxy": "keys values items get",
    "argparse.ArgumentParser": """
        add_argument parse_args parse_known_args set_defaults print_help format_help
        """,
    "argparse.Namespace": "public",
    "string.Template": "substitute safe_substitute template",
    "logging.Logger": """
        debug info warning warn error critical exception log setLevel getEffectiveLevel isEnabledFor hasHandlers
        addHandler removeHandler name level propagate
        """,
    "logging.StreamHandler": "setLevel setFormatter level",
    "logging.Formatter": "",
    "contextlib.ExitStack": "enter_context close pop_all",
    "contextlib.redirect_stdout": "",
    "statistics.NormalDist": "public",
    "calendar.Calendar": "public",
    "builtins.int": "public",
    "builtins.float": "public",
    "builtins.complex": "public",
    "builtins.list": "public",
    "builtins.dict": "public",
    "builtins.tuple": "public _asdict _replace _fields _make _field_defaults",
    "builtins.set": "public",
    "builtins.frozenset": "public",
    "builtins.range": "public",
    "builtins.slice": "public",
    "builtins.NoneType": "",
    "builtins.ellipsis": "",
    "builtins.object": "",
    "builtins.dict_keys": "isdisjoint",
    "builtins.dict_items": "isdisjoint",
    "builtins.dict_values": "",
    "builtins.generator": "send close throw",
    "builtins.property": "getter setter deleter",
    "builtins.enumerate": "",
    "builtins.zip": "",
    "builtins.map": "",
    "builtins.filter": "",
    "builtins.reversed": "",
    "builtins.BaseException": "args add_note",
    "builtins.StopIteration": "value",
    "builtins.OSError": "errno strerror filename filename2",
    "builtins.ImportError": "name msg",
    "builtins.NameError": "name",
    "builtins.AttributeError": "name",
    "builtins.SyntaxError": "msg lineno offset text",
    "builtins.UnicodeError": "public",
    "builtins.SystemExit": "code",
    "json.decoder.JSONDecodeError": "msg doc pos lineno colno",
    "re.Pattern": "public",
    "re.Match": "public",
    "_io.StringIO": "read readline readlines write writelines getvalue seek tell close closed truncate flush",
    "_io.BytesIO": "read readline readlines write writelines getvalue seek tell close closed truncate flush",
    "_io.TextIOWrapper": """
        read readline readlines write writelines seek tell close closed truncate flush name mode encoding readable
        writable
        """,
    "_io.BufferedReader": "read readline readlines seek tell close closed name mode readable writable",
    "_io.BufferedWriter": "write writelines seek tell close closed truncate flush name mode readable writable",
    "_io.BufferedRandom": "read readline readlines write writelines seek tell close closed truncate flush name mode",
    "functools.partial": "func args",
    "functools._lru_cache_wrapper": "cache_info cache_clear",
    "functools.cached_property": "",
    "itertools.chain": "from_iterable",
    "collections.deque": "public",
    "collections.Counter": "public",
    "collections.OrderedDict": "public",
    "collections.defaultdict": "public",
    "collections.ChainMap": "public",
    "types.SimpleNamespace": "public",
    "datetime.date": "public",
    "datetime.datetime": "public",
    "datetime.time": "public",
    "datetime.timedelta": "public",
    "datetime.timezone": "public",
    "time.struct_time": "public",
    "fractions.Fraction": "public",
    "decimal.Decimal": "public",
    "decimal.Context": "prec rounding",
    "numbers.Number": "",
    "random.Random": "public",
    "dataclasses.Field": "name type default",
    "warnings.WarningMessage": "message category filename lineno",
    "_csv.writer": "writerow writerows",
    "_csv.reader": "line_num",
    "csv.DictReader": "fieldnames line_num",
    "csv.DictWriter": "writeheader writerow writerows",
    "contextlib._GeneratorContextManager": "",
    "graphviz.graphs.Digraph": "node edge edges attr subgraph source name comment clear copy",
    "graphviz.graphs.Graph": "node edge edges attr subgraph source name comment clear copy",
    "abc.ABC": "",
    "torch.Tensor": """
        public -storage_type -share_memory_ -is_shared -set_ -resize -resize_as
        -resize_as_sparse_ -const_data_ptr -pin_memory -module_load -reinforce -record_stream
        -xpu -ipu -mtia -sparse_resize_ -sparse_resize_and_clear_ -new -apply_ -map_ -map2_ -as_subclass
        -hash_tensor -ccol_indices -col_indices -crow_indices -row_indices -int_repr -q_per_channel_axis
        -q_per_channel_scales -q_per_channel_zero_points -q_scale -q_zero_point -qscheme -unsafe_chunk -unsafe_split
        -unsafe_split_with_sizes -to_mkldnn -smm -sspaddmm -nonzero_static -volatile _version _base _is_view
        """,
    "torch.Size": "numel count index",
    "torch.dtype": "public",
    "torch.device": "type index",
    "torch.layout": "",
    "torch.memory_format": "",
    "torch.finfo": "public",
    "torch.iinfo": "public",
    "torch._C.Generator": "manual_seed seed initial_seed get_state set_state device",
    "torch.autograd.graph.Node": """
        name next_functions metadata register_hook register_prehook variable saved_tensors needs_input_grad
        _sequence_nr _saved_* _raw_saved_*
        """,
    "torch.autograd.graph.GradientEdge": "public",
    "torch._C._autograd.SavedTensor": "register_hooks",
    "torch.autograd.function.FunctionCtx": "public",
    "torch.autograd.function._SingleLevelFunction": "public",
    "torch.autograd.function.Function": "public",
    "torch.autograd.forward_ad.UnpackedDualTensor": "public",
    "torch.return_types.*": "public",
    "torch.utils.hooks.RemovableHandle": "remove id",
    "torch.autograd.grad_mode.*": "prev mode clone",
    "torch.nn.modules.module.Module": """
        public -compile -share_memory -set_submodule -get_extra_state -set_extra_state -xpu -ipu -mtia -to_empty
        -dump_patches -register_module
        """,
    "explorer.runtime.policy.torch_stand_ins.Parts": "keys values items get pop update setdefault clear",
    "torch.nn.modules.module._IncompatibleKeys": "public",
    "torch.nn.utils.rnn.PackedSequence": "public -pin_memory",
    "torch.optim.optimizer.Optimizer": "public",
    "torch.optim.lr_scheduler.LRScheduler": "public -load_state_dict",
    "torch.optim.lr_scheduler.ReduceLROnPlateau": "public -load_state_dict",
    "torch.distributions.distribution.Distribution": """
        public _extended_shape _validate_sample _batch_shape _event_shape _validate_args
        """,
    "torch.distributions.transforms.Transform": "public",
    "torch.distributions.constraints.Constraint": "public",
    "torch.utils.data.dataset.Dataset": "public -register_function -register_datapipe_as_function -functions",
    "torch.utils.data.sampler.Sampler": "public",
    "torch.utils.data.dataloader.DataLoader": """
        dataset batch_size sampler batch_sampler collate_fn drop_last num_workers
        """,
    "torch.amp.grad_scaler.GradScaler": "scale step update unscale_ get_scale is_enabled state_dict",
    "torch.torch_version.TorchVersion": "public",
    "explorer.runtime.policy.torch_stand_ins.Storage": "tolist size nbytes element_size data_ptr dtype device",
    "torch._C._profiler.ProfilerActivity": "CPU CUDA XPU name value",
    "torch.utils.benchmark.utils.timer.Timer": "timeit blocked_autorange adaptive_autorange autorange",
    "torch.utils.benchmark.utils.common.Measurement": """
        median mean iqr times significant_figures meets_confidence title env as_row_name has_warnings raw_times
        number_per_run label sub_label description stmt num_threads
        """,
    "torch.utils.benchmark.utils.compare.Compare": """
        extend_results trim_significant_figures colorize highlight_warnings print
        """,
    "torch.nn.attention._SDPBackend": "name value MATH FLASH_ATTENTION EFFICIENT_ATTENTION",
    "torch.nn.utils.prune.BasePruningMethod": "apply compute_mask apply_mask prune remove PRUNING_TYPE",
    "torch.Event": "",
    "numpy.ndarray": """
        T all any argmax argmin argpartition argsort astype base choose clip compress conj conjugate copy cumprod
        cumsum diagonal dot dtype fill flags flat flatten imag item itemsize mT max mean min nbytes ndim nonzero
        partition prod put ravel real repeat reshape resize round searchsorted shape size sort
        squeeze std strides sum
        swapaxes take tobytes tolist trace transpose var view
        """,
    "numpy.generic": """
        T all any argmax argmin argsort astype clip conj conjugate copy cumprod cumsum dtype flatten imag item
        itemsize max mean min nbytes ndim nonzero prod ravel real repeat reshape round shape size sort squeeze std
        sum swapaxes take tobytes tolist transpose var is_integer as_integer_ratio hex bit_count numerator
        denominator
        """,
    "numpy.matrix": "A A1 H I T getA getA1 getH getI getT",
    "numpy.poly1d": "c coef coeffs coefficients deriv integ o order r roots variable",
    "numpy.polynomial._polybase.ABCPolyBase": "public",
    "numpy.vectorize": "",
    "numpy.broadcast": "shape ndim size nd",
    "numpy.random.bit_generator.BitGenerator": "",
    "numpy.random.bit_generator.SeedSequence": "entropy spawn generate_state",
    "numpy.dtype": "name kind itemsize type names char str shape",
    "numpy.ufunc": "reduce accumulate outer at reduceat nin nout identity",
    "numpy._core.multiarray.flagsobj": "c_contiguous f_contiguous contiguous owndata writeable aligned",
    "numpy._ArrayFunctionDispatcher": "",
    "numpy.flatiter": "index coords copy",
    "numpy.finfo": "public",
    "numpy.iinfo": "public",
    "numpy.random.mtrand.RandomState": "public",
    "numpy.random._generator.Generator": "public -bit_generator -spawn",
    "pandas.core.generic.NDFrame": """
        abs add add_prefix add_suffix agg aggregate align all any apply argmax argmin argsort array asfreq asof assign
        astype at attrs autocorr axes between bfill cat clip columns combine combine_first compare convert_dtypes
        copy corr corrwith count cov cummax cummin cumprod cumsum describe diff div divide dot drop drop_duplicates
        droplevel dropna dt dtype dtypes duplicated empty eq equals ewm expanding explode factorize ffill fillna
        filter first_valid_index floordiv from_dict from_records ge get groupby gt hasnans head hist iat idxmax idxmin
        iloc index infer_objects info insert interpolate is_monotonic_decreasing is_monotonic_increasing is_unique
        isetitem isin isna isnull item items iterrows itertuples join keys kurt kurtosis last_valid_index le loc lt
        map mask max mean median melt memory_usage merge min mod mode mul multiply name nbytes ndim ne nlargest
        notna notnull nsmallest nunique pct_change pipe pivot pivot_table plot pop pow prod product quantile radd rank
        rdiv reindex rename rename_axis repeat replace reset_index rfloordiv rmul rolling round rpow rsub rtruediv
        sample searchsorted select_dtypes sem set_axis set_index shape shift size skew sort_index sort_values
        squeeze stack std str sub subtract sum swaplevel tail take to_dict to_frame to_list to_numpy to_string
        to_csv to_markdown tolist transform transpose truediv truncate unique unstack update value_counts values var
        where xs T
        """,
    "pandas.Index": """
        all any append argmax argmin argsort array astype copy delete difference drop drop_duplicates dropna dtype
        duplicated empty equals fillna get_indexer get_loc has_duplicates insert intersection is_unique isin isna
        isnull item join levels map max memory_usage min name names nbytes ndim nlevels notna nunique rename repeat
        shape shift size slice_locs sort_values str symmetric_difference take to_frame to_list to_numpy to_series
        tolist union unique value_counts values where start stop step left right mid year month day dayofweek hour T
        quarter minute second microsecond weekday dayofyear day_of_week day_of_year days_in_month is_month_start
        is_month_end is_quarter_start is_quarter_end is_year_start is_year_end is_leap_year day_name month_name
        strftime isocalendar normalize floor ceil round date time days seconds total_seconds diff
        """,
    "pandas.core.groupby.groupby.BaseGroupBy": """
        agg aggregate all any apply bfill count cumcount cummax cummin cumprod cumsum describe diff ffill filter
        first get_group groups head idxmax idxmin indices last max mean median min ndim ngroup ngroups nth nunique
        pct_change pipe prod quantile rank rolling sample sem shift size skew std sum tail transform value_counts
        var
        """,
    "pandas.core.window.rolling.BaseWindow": """
        mean sum min max std var median count quantile corr cov apply agg aggregate
        """,
    "pandas.plotting.PlotAccessor": "public",
    "pandas.core.strings.accessor.StringMethods": "public",
    "pandas.core.indexes.accessors.Properties": "public",
    "pandas.core.arrays.categorical.CategoricalAccessor": "public",
    "pandas.api.extensions.ExtensionArray": """
        astype copy dtype isna shape size tolist to_numpy unique categories codes ordered mean sum min max
        """,
    "pandas.api.extensions.ExtensionDtype": "name kind categories ordered type",
    "pandas.Timestamp": "public",
    "pandas.Timedelta": "public",
    "pandas.Interval": "left right mid closed length",
    "pandas.api.typing.NAType": "",
    "IPython.lib.pretty.RepresentationPrinter": "text pretty breakable break_ begin_group end_group group",
    "explorer.runtime.notebook.namespace.Shell": """
        run_line_magic run_cell_magic magic system getoutput help special special_value script write
        """,
    "explorer.runtime.notebook.files.Entry": "public",
    "explorer.runtime.notebook.files.Entries": "close",
    "explorer.runtime.policy.files.downloads.Response": "public",
    "explorer.runtime.policy.files.archives.ZipFile": "public",
    "explorer.runtime.policy.files.folders.TemporaryDirectory": "public",
    "os.stat_result": "st_size st_mode st_mtime",
    "pathlib.PurePath": """
        parts drive root anchor name suffix suffixes stem parent parents joinpath with_name with_stem with_suffix
        relative_to is_relative_to is_absolute as_posix match
        """,
    "pathlib.Path": """
        cwd home exists is_file is_dir iterdir glob rglob mkdir rmdir unlink rename replace read_text write_text
        read_bytes write_bytes open touch stat resolve absolute expanduser samefile
        """,
    "pathlib._PathParents": "",
    "numpy.lib.npyio.NpzFile": "files keys values items get close",
    "explorer.runtime.notebook.files._Raw": "read readline readlines write seek tell close closed truncate name mode",
    "explorer.runtime.plotting.axes.Axes": "public",
    "explorer.runtime.plotting.figures.PlotFigure": "public",
    "explorer.runtime.plotting.artists.Anything": "public",
    "explorer.runtime.plotting.artists.Container": "shown",
    "explorer.runtime.notebook.namespace.Captured": "stdout stderr outputs show",
    "explorer.runtime.notebook.namespace.DisplayHandle": "display display_id update",
}

# Attributes that may be set or deleted on what a program did not define itself; "new" is any public name that the type
# does not have. On its own objects, classes and functions a program sets what it likes, but for special names.
WRITES = {
    "torch.Tensor": "data grad requires_grad names new",
    "torch.nn.modules.module.Module": "training weight bias new",
    "torch.autograd.function.FunctionCtx": "materialize_grads new",
    "torch.optim.optimizer.Optimizer": "param_groups new",
    "torch.optim.lr_scheduler.LRScheduler": "new",
    "torch.utils.data.dataset.Dataset": "new",
    "numpy.ndarray": "shape",
    "pandas.DataFrame": "columns index column",
    "pandas.Series": "name index",
    "pandas.Index": "name names",
    "types.SimpleNamespace": "new",
    "logging.Logger": "propagate",
    "decimal.Context": "prec rounding",
}
# Settings of modules; they change nothing on a processor, but programs make them.
SETTINGS = {
    "torch.backends.cudnn": "deterministic benchmark enabled allow_tf32",
}
TYPES |= EXTRA_TYPES
WRITES |= EXTRA_WRITES
