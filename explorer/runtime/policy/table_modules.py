"""The policy, part two: what a program may import, and of that which names. `table` says what the words mean."""

from explorer.runtime.policy.table_extras import EXTRA_MODULES

MODULES = {
    "torch": """
        @tensor -batch_norm_backward_elemt -batch_norm_backward_reduce -batch_norm_elemt -batch_norm_gather_stats
        -batch_norm_gather_stats_with_counts -batch_norm_stats -batch_norm_update_stats -choose_qparams_optimized
        -fake_quantize_per_channel_affine -fake_quantize_per_tensor_affine -fbgemm_linear_fp16_weight
        -fbgemm_linear_fp16_weight_fp32_activation -fbgemm_linear_int8_weight
        -fbgemm_linear_int8_weight_fp32_activation -fbgemm_linear_quantize_weight -fbgemm_pack_gemm_matrix_fp16
        -fbgemm_pack_quantized_matrix -fused_moving_avg_obs_fake_quant -ccol_indices_copy -col_indices_copy
        -crow_indices_copy -indices_copy -row_indices_copy -values_copy -dsmm -hsmm -hspmm -saddmm -smm -spmm
        -sspaddmm -int_repr -miopen_batch_norm -miopen_convolution -miopen_convolution_add_relu
        -miopen_convolution_relu -miopen_convolution_transpose -miopen_depthwise_convolution -miopen_rnn
        -native_batch_norm -native_channel_shuffle -native_dropout -native_group_norm -native_layer_norm
        -native_norm -q_per_channel_axis -q_per_channel_scales -q_per_channel_zero_points -q_scale -q_zero_point
        -quantize_per_channel -quantize_per_tensor -quantize_per_tensor_dynamic -quantized_batch_norm
        -quantized_gru_cell -quantized_lstm_cell -quantized_max_pool1d -quantized_max_pool2d -quantized_max_pool3d
        -quantized_rnn_relu_cell -quantized_rnn_tanh_cell -sym_float -sym_int -sym_ite -sym_max -sym_min -sym_not
        -sym_sum -unsafe_chunk -unsafe_split -unsafe_split_with_sizes -is_distributed -hash_tensor -nonzero_static
        arange as_strided as_tensor asarray bartlett_window blackman_window broadcast_shapes can_cast celu_ clamp_
        cos_ dropout_ empty empty_permuted empty_strided erf_ erfc_ exp_ eye feature_dropout_ fill fill_ floor_
        from_numpy full hamming_window hann_window kaiser_window linspace log_ logspace neg_ normal ones pca_lowrank
        promote_types rand rand_like randint randint_like randn randn_like randperm range reciprocal_ relu_
        result_type round_ rsqrt_ scalar_tensor selu_ sigmoid_ sin_ sqrt_ square_ svd_lowrank tan_ tanh_ tensor
        threshold_ tril_indices triu_indices unique vander vmap zero_ zeros sparse_coo_tensor Tensor FloatTensor
        DoubleTensor HalfTensor LongTensor IntTensor ShortTensor CharTensor ByteTensor BoolTensor Size Generator
        device dtype layout memory_format finfo iinfo float32 float float64 double float16 half bfloat16 int8 int16
        short int32 int int64 long uint8 bool complex64 cfloat complex128 cdouble strided sparse_coo
        contiguous_format preserve_format channels_last pi e inf nan newaxis no_grad enable_grad set_grad_enabled
        inference_mode is_grad_enabled is_inference_mode_enabled is_tensor autocast set_anomaly_enabled
        is_anomaly_enabled manual_seed seed initial_seed get_rng_state set_rng_state default_generator
        set_default_dtype get_default_dtype set_default_device get_default_device set_printoptions get_num_threads
        set_float32_matmul_precision get_float32_matmul_precision use_deterministic_algorithms
        are_deterministic_algorithms_enabled set_num_threads has_lapack has_mkl typename save load __version__
        """,
    "torch.autograd": """
        Function Variable backward grad gradcheck gradgradcheck no_grad enable_grad set_grad_enabled inference_mode
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
    "torch.profiler": "record_function",
    "torch.func": """
        grad grad_and_value vjp jvp jacrev jacfwd hessian vmap functional_call stack_module_state linearize
        functionalize replace_all_batch_norm_modules_
        """,
    "torch.linalg": "@tensor LinAlgError",
    "torch.fft": "@tensor fftfreq rfftfreq",
    "torch.special": "@tensor",
    "torch.random": "manual_seed seed initial_seed get_rng_state set_rng_state fork_rng",
    "torch.amp": "autocast GradScaler custom_fwd custom_bwd is_autocast_available",
    "torch.testing": "assert_close make_tensor",
    "torch.nn": """
        @modules -ParameterDict -DataParallel -SyncBatchNorm -Container -CrossMapLRN2d Parameter Buffer
        """,
    "torch.nn.functional": """
        @tensor -fractional_max_pool2d_with_indices -fractional_max_pool3d_with_indices -grouped_mm
        -scaled_grouped_mm -scaled_mm -multi_head_attention_forward -native_channel_shuffle -boolean_dispatch relu
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
    "torch.nn.init": """
        calculate_gain constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ sparse_
        trunc_normal_ uniform_ xavier_normal_ xavier_uniform_ zeros_ xavier_uniform xavier_normal kaiming_normal
        kaiming_uniform uniform normal constant
        """,
    "torch.nn.modules": "Module",
    "torch.nn.modules.module": "Module",
    "torch.nn.parameter": "Parameter Buffer",
    "torch.nn.utils": """
        clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm parameters_to_vector
        vector_to_parameters weight_norm remove_weight_norm spectral_norm remove_spectral_norm skip_init
        """,
    "torch.nn.utils.rnn": """
        PackedSequence pack_padded_sequence pack_sequence pad_packed_sequence pad_sequence unpack_sequence
        unpad_sequence
        """,
    "torch.nn.utils.parametrizations": "orthogonal spectral_norm weight_norm",
    "torch.nn.utils.parametrize": "register_parametrization remove_parametrizations is_parametrized cached",
    "torch.nn.utils.prune": """
        identity random_unstructured l1_unstructured random_structured ln_structured global_unstructured
        custom_from_mask remove is_pruned L1Unstructured RandomUnstructured
        """,
    "torch.optim": """
        ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam Optimizer RAdam RMSprop Rprop SGD
        """,
    "torch.optim.optimizer": "Optimizer",
    "torch.optim.lr_scheduler": """
        ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR ExponentialLR LRScheduler
        LambdaLR LinearLR MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR ReduceLROnPlateau SequentialLR StepLR
        """,
    "torch.optim.swa_utils": "AveragedModel SWALR get_ema_avg_fn get_ema_multi_avg_fn get_swa_avg_fn update_bn",
    "torch.distributions": "public -register_kl",
    "torch.distributions.constraints": "public",
    "torch.distributions.transforms": "public -Any",
    "torch.distributions.kl": "kl_divergence",
    "torch.distributions.normal": "Normal",
    "torch.distributions.categorical": "Categorical",
    "torch.distributions.multivariate_normal": "MultivariateNormal",
    "torch.sparse": "mm sum softmax log_softmax addmm",
    "torch.nested": "nested_tensor as_nested_tensor to_padded_tensor",
    "torch.utils": "",
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
        is_bf16_supported memory_allocated max_memory_allocated memory_reserved
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
    "numpy": """
        abs absolute acos acosh add all allclose amax amin angle any append apply_along_axis arange arccos arccosh
        arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array array2string
        array_equal array_equiv array_repr array_split array_str asanyarray asarray ascontiguousarray asin asinh
        atan atan2 atanh atleast_1d atleast_2d atleast_3d average bincount bitwise_and bitwise_not bitwise_or
        bitwise_xor block broadcast_arrays broadcast_shapes broadcast_to c_ cbrt ceil choose clip column_stack
        compress concat concatenate conj conjugate convolve copy copysign corrcoef correlate cos cosh count_nonzero
        cov cross cumprod cumsum deg2rad degrees delete diag diag_indices diagflat diagonal diff digitize divide
        divmod dot dsplit dstack ediff1d einsum empty empty_like equal errstate exp exp2 expand_dims expm1 eye fabs
        fill_diagonal finfo fix flatnonzero flip fliplr flipud float_power floor floor_divide fmax fmin fmod frexp
        fromfunction fromiter full full_like gcd geomspace gradient greater greater_equal heaviside histogram
        histogram2d hsplit hstack hypot identity iinfo imag indices inner insert interp intersect1d invert isclose
        iscomplex isfinite isin isinf isnan isneginf isposinf isreal isscalar issubdtype ix_ kron lcm ldexp less
        less_equal lexsort linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor
        logspace matmul max maximum mean median meshgrid mgrid min minimum mod modf moveaxis multiply nan_to_num
        nanargmax nanargmin nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd
        nansum nanvar ndenumerate ndim ndindex negative nextafter nonzero not_equal ogrid ones ones_like outer pad
        partition percentile permute_dims piecewise place polyfit polyval positive pow power printoptions prod
        promote_types ptp put put_along_axis putmask quantile r_ rad2deg radians ravel ravel_multi_index real
        reciprocal remainder repeat reshape resize result_type rint roll rollaxis roots rot90 round row_stack s_
        searchsorted select set_printoptions setdiff1d seterr shape shares_memory sign signbit sin sinc sinh size
        sort spacing split sqrt square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh
        tensordot tile trace transpose trapezoid tri tril tril_indices triu triu_indices true_divide trunc union1d
        unique unravel_index unstack unwrap vander var vdot vecdot vectorize vsplit vstack where zeros zeros_like
        ndarray dtype generic number integer floating complexfloating inexact signedinteger unsignedinteger bool
        bool_ int_ int8 int16 int32 int64 intc intp uint uint8 uint16 uint32 uint64 float16 float32 float64 half
        single double longdouble complex64 complex128 cdouble csingle datetime64 timedelta64 str_ bytes_ object_ e
        euler_gamma inf nan newaxis pi __version__
        """,
    "numpy.random": """
        seed rand randn randint random random_sample ranf sample choice shuffle permutation normal uniform
        standard_normal beta binomial chisquare dirichlet exponential gamma geometric gumbel laplace logistic
        lognormal multinomial multivariate_normal pareto poisson rayleigh triangular weibull default_rng Generator
        RandomState get_state set_state
        """,
    "numpy.linalg": """
        LinAlgError cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm
        matrix_power matrix_rank multi_dot norm outer pinv qr slogdet solve svd svdvals tensorinv tensorsolve trace
        vecdot vector_norm
        """,
    "numpy.fft": "fft fft2 fftn ifft ifft2 ifftn rfft irfft fftfreq rfftfreq fftshift ifftshift",
    "numpy.testing": "assert_allclose assert_almost_equal assert_array_almost_equal assert_array_equal assert_equal",
    "numpy.typing": "NDArray ArrayLike",
    "pandas": """
        DataFrame Series Index MultiIndex RangeIndex Categorical CategoricalDtype Timestamp Timedelta NA NaT
        Interval concat merge get_dummies from_dummies isna isnull notna notnull to_numeric to_datetime to_timedelta
        cut qcut date_range crosstab melt factorize unique read_csv set_option reset_option get_option
        option_context __version__
        """,
    "math": "public",
    "cmath": "public",
    "random": """
        seed random randint randrange shuffle choice choices sample uniform gauss normalvariate expovariate
        betavariate triangular getrandbits getstate setstate Random
        """,
    "time": """
        time perf_counter perf_counter_ns process_time monotonic time_ns strftime localtime gmtime ctime asctime
        """,
    "timeit": "default_timer",
    "datetime": "date datetime time timedelta timezone",
    "calendar": "isleap monthrange month_name month_abbr day_name day_abbr",
    "itertools": "public",
    "functools": "partial reduce lru_cache cache cached_property total_ordering cmp_to_key wraps",
    "operator": "public -attrgetter -methodcaller",
    "collections": "namedtuple OrderedDict defaultdict Counter deque ChainMap",
    "collections.abc": """
        Callable Iterable Iterator Sequence Mapping Generator Collection Hashable Sized Container Set
        """,
    "contextlib": "contextmanager nullcontext suppress closing",
    "copy": "copy deepcopy",
    "dataclasses": "dataclass field asdict astuple replace fields is_dataclass",
    "typing": """
        Any Callable Dict List Tuple Set FrozenSet Optional Union Iterable Iterator Sequence Mapping Generator Type
        TypeVar NamedTuple Literal Final ClassVar Annotated NoReturn Self TypeAlias Collection Hashable DefaultDict
        Deque OrderedDict Counter TYPE_CHECKING cast overload no_type_check
        """,
    "types": "SimpleNamespace",
    "abc": "ABC abstractmethod",
    "numbers": "Number Complex Real Rational Integral",
    "fractions": "Fraction",
    "decimal": "Decimal getcontext localcontext ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN ROUND_UP",
    "statistics": "mean fmean median mode stdev pstdev variance pvariance quantiles",
    "string": """
        ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable whitespace
        """,
    "textwrap": "dedent indent fill wrap shorten",
    "re": """
        compile search match fullmatch split findall finditer sub subn escape I IGNORECASE M MULTILINE S DOTALL X
        VERBOSE A ASCII Pattern Match error
        """,
    "json": "dumps loads JSONDecodeError",
    "csv": "reader writer DictReader DictWriter",
    "io": "StringIO BytesIO",
    "graphviz": "Digraph Graph",
    "IPython": "get_ipython",
    "IPython.display": """
        display HTML Markdown Latex Math SVG Image clear_output set_matplotlib_formats set_matplotlib_close
        """,
    "heapq": "heappush heappop heapify heappushpop heapreplace nlargest nsmallest merge",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "pprint": "pprint pformat",
    "warnings": "warn filterwarnings simplefilter catch_warnings resetwarnings",
    "os": """
        path getcwd listdir makedirs mkdir remove rename rmdir unlink replace sep linesep curdir pardir
        """,
    "os.path": """
        join exists basename dirname splitext split isfile isdir abspath normpath getsize expanduser relpath isabs
        sep
        """,
    "shutil": "rmtree",
    "__future__": """
        annotations division print_function absolute_import generators nested_scopes unicode_literals with_statement
        """,
}

MODULES |= EXTRA_MODULES

# Modules of another room of this program that stand in for a library: every public name.
STAND_IN_PACKAGES = "matplotlib matplotlib_inline d2l mpl_toolkits seaborn tqdm"
