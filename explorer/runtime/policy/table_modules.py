"""The policy, part two: what a program may import, and of that which names. `table` says what the words mean."""

from explorer.runtime.policy.table_extras import EXTRA_MODULES

MODULES = {
    "torch": """
        @tensor @all -hspmm -hsmm -saddmm -smm -sspaddmm -dsmm -as_strided_
        arange broadcast_shapes can_cast empty_permuted pca_lowrank svd_lowrank unique vmap index_copy dequantize
        Tensor FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor CharTensor
        ByteTensor BoolTensor Size Generator device dtype layout memory_format finfo iinfo contiguous_format
        preserve_format channels_last channels_last_3d pi e inf nan newaxis no_grad enable_grad set_grad_enabled
        inference_mode autocast default_generator set_default_dtype get_num_threads set_num_threads has_lapack
        has_mkl GradScaler save load __version__
        """,
    "torch.autograd": """
        @all Function Variable backward grad gradcheck gradgradcheck no_grad enable_grad set_grad_enabled inference_mode
        detect_anomaly set_detect_anomaly
        """,
    "torch.autograd.functional": "jacobian hessian vjp jvp vhp hvp",
    "torch.autograd.forward_ad": "dual_level make_dual unpack_dual enter_dual_level exit_dual_level",
    "torch.autograd.function": "Function FunctionCtx once_differentiable",
    "torch.autograd.graph": """
        saved_tensors_hooks save_on_cpu disable_saved_tensors_hooks register_multi_grad_hook get_gradient_edge
        GradientEdge Node allow_mutation_on_saved_tensors increment_version
        """,
    "torch.autograd.gradcheck": "gradcheck gradgradcheck GradcheckError",
    "torch.autograd.variable": "Variable",
    "torch.autograd.profiler": "record_function",
    "torch.profiler": "record_function ProfilerActivity",
    "torch.func": """
        grad grad_and_value vjp jvp jacrev jacfwd hessian vmap functional_call stack_module_state linearize
        functionalize replace_all_batch_norm_modules_
        """,
    "torch.linalg": "@tensor LinAlgError cond",
    "torch.fft": "@tensor fftfreq rfftfreq",
    "torch.special": "@tensor",
    "torch.random": "manual_seed seed initial_seed get_rng_state set_rng_state fork_rng",
    "torch.amp": "autocast GradScaler custom_fwd custom_bwd is_autocast_available",
    "torch.testing": "assert_close make_tensor",
    "torch.nn": """
        @modules -DataParallel -SyncBatchNorm -Container -CrossMapLRN2d Parameter Buffer UninitializedParameter
        UninitializedBuffer
        """,
    "torch.nn.modules.*": "@modules -DataParallel -SyncBatchNorm -Container -CrossMapLRN2d",
    "torch.nn.modules.utils": "consume_prefix_in_state_dict_if_present",
    "torch.nn.attention": "sdpa_kernel SDPBackend",
    "torch.nn.attention.bias": "causal_lower_right causal_upper_left CausalBias CausalVariant",
    "torch.nn.functional": """
        @tensor @all -fractional_max_pool2d_with_indices -fractional_max_pool3d_with_indices -grouped_mm
        -scaled_grouped_mm -scaled_mm -multi_head_attention_forward -native_channel_shuffle -boolean_dispatch
        -assert_int_or_pair relu
        relu6 relu_ sigmoid tanh softmax log_softmax cross_entropy mse_loss l1_loss nll_loss linear bilinear gelu
        silu mish elu elu_ selu selu_ celu celu_ leaky_relu leaky_relu_ prelu rrelu glu hardtanh hardtanh_ hardswish
        hardsigmoid hardshrink softplus softmin softsign softshrink logsigmoid tanhshrink threshold threshold_
        gumbel_softmax one_hot pad dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout
        embedding embedding_bag layer_norm batch_norm group_norm instance_norm rms_norm local_response_norm
        normalize interpolate upsample grid_sample affine_grid unfold fold conv1d conv2d conv3d conv_transpose1d
        conv_transpose2d conv_transpose3d max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d
        lp_pool1d lp_pool2d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
        adaptive_max_pool2d adaptive_max_pool3d max_unpool1d max_unpool2d binary_cross_entropy
        binary_cross_entropy_with_logits smooth_l1_loss huber_loss kl_div poisson_nll_loss gaussian_nll_loss
        hinge_embedding_loss margin_ranking_loss cosine_embedding_loss triplet_margin_loss multi_margin_loss
        multilabel_margin_loss multilabel_soft_margin_loss soft_margin_loss ctc_loss cosine_similarity
        pairwise_distance pdist pixel_shuffle pixel_unshuffle channel_shuffle scaled_dot_product_attention
        """,
    "torch.nn.init": "@all",
    "torch.nn.modules": "@modules -DataParallel -SyncBatchNorm -Container -CrossMapLRN2d",
    "torch.nn.modules.module": "Module",
    "torch.nn.parameter": "Parameter Buffer",
    "torch.nn.utils": "@all",
    "torch.nn.utils.stateless": "functional_call",
    "torch.nn.utils.fusion": "@all",
    "torch.nn.utils.rnn": """
        PackedSequence pack_padded_sequence pack_sequence pad_packed_sequence pad_sequence unpack_sequence
        unpad_sequence
        """,
    "torch.nn.utils.parametrizations": "orthogonal spectral_norm weight_norm",
    "torch.nn.utils.parametrize": "register_parametrization remove_parametrizations is_parametrized cached",
    "torch.nn.utils.prune": "@all",
    "torch.optim": "@all -swap_in_optimizer_params_and_state",
    "torch.optim.*": "@all",
    "torch.optim.lr_scheduler": "@all _LRScheduler",
    "torch.optim.swa_utils": "AveragedModel SWALR get_ema_avg_fn get_ema_multi_avg_fn get_swa_avg_fn update_bn",
    "torch.distributions": "@all",
    "torch.distributions.*": "@all",
    "torch.distributions.utils": "broadcast_all clamp_probs logits_to_probs probs_to_logits",
    "torch.sparse": "mm sum softmax log_softmax addmm spdiags sampled_addmm",
    "torch.nested": "nested_tensor as_nested_tensor to_padded_tensor",
    "torch.utils": "swap_tensors",
    "torch.utils.benchmark": "Timer Compare Measurement",
    "torch.functional": "@all",
    "torch.jit": "script trace script_if_tracing ignore unused export is_scripting is_tracing",
    "torch.signal": "",
    "torch.signal.windows": "@all",
    "functorch": """
        grad grad_and_value vmap vjp jvp jacrev jacfwd hessian functionalize make_functional
        make_functional_with_buffers combine_state_for_ensemble
        """,
    "torch.utils.checkpoint": "checkpoint checkpoint_sequential",
    "torch.utils.data": """
        BatchSampler ChainDataset ConcatDataset DataLoader Dataset IterableDataset RandomSampler Sampler
        SequentialSampler StackDataset Subset SubsetRandomSampler TensorDataset WeightedRandomSampler
        default_collate default_convert get_worker_info random_split
        """,
    "torch.utils.data.dataset": "Dataset TensorDataset Subset ConcatDataset IterableDataset random_split",
    "torch.utils.data.dataloader": "DataLoader default_collate",
    "torch.utils.data.sampler": """
        Sampler SequentialSampler RandomSampler SubsetRandomSampler WeightedRandomSampler BatchSampler
        """,
    "torch.cuda": """
        is_available device_count current_device synchronize empty_cache manual_seed manual_seed_all
        is_bf16_supported memory_allocated max_memory_allocated memory_reserved max_memory_reserved is_initialized
        get_device_name get_device_properties get_device_capability mem_get_info
        """,
    "torch.cuda.amp": "autocast GradScaler",
    "torch.mps": "is_available manual_seed device_count",
    "torch.xpu": "is_available device_count manual_seed",
    "torch.accelerator": "is_available device_count current_accelerator",
    "torch.backends": "",
    "torch.backends.mps": "is_available is_built",
    "torch.backends.cudnn": "is_available deterministic benchmark enabled allow_tf32",
    "torch.backends.cuda": "is_built",
    "torch.backends.mkl": "is_available",
    "torch.version": "cuda hip",
    "torch.types": "Number Device",
    "sympy": "diff",
    "numpy": "@all -info -show_config -show_runtime einsum_path ndarray __version__",
    "numpy.random": "@all get_state set_state",
    "numpy.linalg": "@all cond LinAlgError",
    "numpy.fft": "@all",
    "numpy.polynomial": "@all",
    "numpy.polynomial.*": "@all",
    "numpy.strings": "@all",
    "numpy.char": "@all -chararray -array -asarray",
    "numpy.exceptions": "@all",
    "numpy.lib": "",
    "numpy.lib.stride_tricks": "sliding_window_view",
    "numpy.testing": """
        assert_ assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal assert_array_equal
        assert_array_less assert_equal assert_raises
        """,
    "numpy.typing": "NDArray ArrayLike DTypeLike",
    "pandas": """
        DataFrame Series Index MultiIndex RangeIndex Categorical CategoricalDtype Timestamp Timedelta NA NaT
        Interval concat merge get_dummies from_dummies isna isnull notna notnull to_numeric to_datetime to_timedelta
        cut qcut date_range crosstab melt factorize unique read_csv set_option reset_option get_option
        option_context __version__
        """,
    "math": "public",
    "cmath": "public",
    "random": "@all -SystemRandom",
    "time": """
        time perf_counter perf_counter_ns process_time process_time_ns monotonic monotonic_ns time_ns strftime
        strptime localtime gmtime ctime asctime mktime
        """,
    "timeit": "default_timer timeit repeat Timer",
    "datetime": "@all",
    "calendar": "@all",
    "itertools": "public",
    "functools": """
        partial partialmethod reduce lru_cache cache cached_property total_ordering cmp_to_key wraps
        """,
    "operator": "public -attrgetter -methodcaller",
    "collections": "namedtuple OrderedDict defaultdict Counter deque ChainMap",
    "collections.abc": "@all",
    "contextlib": "contextmanager nullcontext suppress closing ExitStack redirect_stdout ContextDecorator",
    "copy": "copy deepcopy",
    "dataclasses": "dataclass field asdict astuple replace fields is_dataclass FrozenInstanceError",
    "enum": "Enum IntEnum Flag IntFlag StrEnum auto unique",
    "typing": """
        @all -BinaryIO -IO -TextIO -ForwardRef -clear_overloads -dataclass_transform -get_overloads -get_type_hints
        -reveal_type Type NewType Awaitable
        """,
    "types": "SimpleNamespace",
    "abc": "ABC abstractmethod",
    "numbers": "Number Complex Real Rational Integral",
    "fractions": "Fraction",
    "decimal": "@all ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN ROUND_UP ROUND_FLOOR ROUND_CEILING",
    "statistics": "@all",
    "string": "@all -Formatter",
    "textwrap": "@all -TextWrapper",
    "unicodedata": "@all -UCD -ucd_3_2_0",
    "uuid": "UUID uuid3 uuid4 uuid5 NAMESPACE_DNS NAMESPACE_URL",
    "secrets": "choice randbelow randbits token_bytes token_hex token_urlsafe compare_digest",
    "hashlib": "md5 sha1 sha224 sha256 sha384 sha512 blake2b blake2s new",
    "base64": "b64encode b64decode b32encode b32decode b16encode b16decode b85encode b85decode urlsafe_b64encode"
    " urlsafe_b64decode",
    "zlib": "compress decompress crc32 adler32",
    "struct": "pack unpack unpack_from calcsize iter_unpack error",
    "array": "array",
    "html": "escape unescape",
    "binascii": "hexlify unhexlify crc32",
    "weakref": "ref WeakKeyDictionary WeakValueDictionary WeakSet getweakrefcount",
    "ast": "literal_eval",
    "gc": "collect isenabled",
    "sys": """
        version version_info maxsize getsizeof byteorder float_info int_info hexversion platform getrefcount
        getrecursionlimit stdout stderr intern path argv
        """,
    "platform": "python_version python_version_tuple python_implementation system machine platform",
    "inspect": "signature getsource getdoc isfunction isclass ismethod cleandoc",
    "traceback": "print_exc format_exc",
    "importlib": "",
    "importlib.metadata": "version PackageNotFoundError",
    "logging": """
        basicConfig getLogger debug info warning warn error critical exception log DEBUG INFO WARNING ERROR CRITICAL
        NOTSET StreamHandler Formatter getLevelName disable
        """,
    "argparse": """
        ArgumentParser Namespace ArgumentDefaultsHelpFormatter RawDescriptionHelpFormatter RawTextHelpFormatter
        ArgumentTypeError SUPPRESS
        """,
    "re": """
        compile search match fullmatch split findall finditer sub subn escape I IGNORECASE M MULTILINE S DOTALL X
        VERBOSE A ASCII Pattern Match error
        """,
    "json": "dump dumps load loads JSONDecodeError",
    "pickle": "HIGHEST_PROTOCOL DEFAULT_PROTOCOL PickleError PicklingError UnpicklingError",
    "pathlib": "Path PosixPath PurePath PurePosixPath",
    "glob": "glob iglob",
    "gzip": "BadGzipFile",
    "tempfile": "",
    "zipfile": "BadZipFile",
    "urllib": "",
    "urllib.parse": "quote quote_plus unquote unquote_plus urlencode urljoin",
    "urllib.error": "HTTPError URLError",
    "csv": "reader writer DictReader DictWriter",
    "io": "StringIO BytesIO",
    "graphviz": "Digraph Graph",
    "IPython": "get_ipython",
    "IPython.display": """
        display update_display HTML Markdown Latex Math SVG Image clear_output set_matplotlib_formats
        set_matplotlib_close IFrame Javascript Pretty
        """,
    "multiprocessing": "cpu_count",
    "heapq": "@all",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "pprint": "pprint pformat pp",
    "warnings": "warn filterwarnings simplefilter catch_warnings resetwarnings",
    "os": """
        path environ getenv getcwd chdir listdir makedirs mkdir remove rename rmdir unlink replace stat walk scandir sep
        linesep cpu_count curdir pardir
        """,
    "os.path": """
        join exists basename dirname splitext split isfile isdir abspath normpath getsize expanduser relpath isabs
        sep commonpath commonprefix realpath
        """,
    "shutil": "rmtree",
    "__future__": """
        annotations division print_function absolute_import generators nested_scopes unicode_literals with_statement
        """,
}

MODULES |= EXTRA_MODULES

# Modules of another room of this program that stand in for a library: every public name.
STAND_IN_PACKAGES = "matplotlib matplotlib_inline d2l mpl_toolkits seaborn tqdm"
