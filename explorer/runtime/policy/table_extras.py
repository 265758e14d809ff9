"""The policy, part four: libraries beside torch, numpy and pandas. `table` says what the words mean.

The book's `d2l` is always there. The others are what a host has installed: what computes on arrays and tensors is
allowed by name; what reads or writes files, downloads, unpickles, or takes code by its name is not.
"""

EXTRA_LIBRARIES = ("sklearn", "torchvision", "einops", "PIL")

_LINEAR = """
    ARDRegression BayesianRidge ElasticNet ElasticNetCV HuberRegressor Lars Lasso LassoCV LinearRegression
    LogisticRegression LogisticRegressionCV PassiveAggressiveClassifier Perceptron RANSACRegressor Ridge RidgeCV
    RidgeClassifier SGDClassifier SGDRegressor
"""
_RESIDUAL = """
    resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d wide_resnet50_2
"""
MODELS = f"""
    alexnet vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn {_RESIDUAL} squeezenet1_0 squeezenet1_1
    densenet121 densenet161 densenet169 densenet201 googlenet inception_v3 mobilenet_v2 mobilenet_v3_small
    mobilenet_v3_large shufflenet_v2_x0_5 shufflenet_v2_x1_0 mnasnet0_5 mnasnet1_0 efficientnet_b0 efficientnet_b1
    efficientnet_b2 efficientnet_v2_s convnext_tiny convnext_small regnet_y_400mf vit_b_16 vit_b_32 swin_t
"""
_FUNCTIONAL = """
    adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation adjust_sharpness affine autocontrast
    center_crop convert_image_dtype crop elastic_transform equalize erase five_crop gaussian_blur get_dimensions
    get_image_num_channels get_image_size hflip invert normalize pad perspective pil_to_tensor posterize resize
    resized_crop rgb_to_grayscale rotate solarize ten_crop to_grayscale to_pil_image to_tensor vflip InterpolationMode
"""
_TRANSFORMS = """
    AugMix AutoAugment AutoAugmentPolicy CenterCrop ColorJitter Compose ConvertImageDtype ElasticTransform FiveCrop
    GaussianBlur Grayscale InterpolationMode Lambda LinearTransformation Normalize PILToTensor Pad RandAugment
    RandomAdjustSharpness RandomAffine RandomApply RandomAutocontrast RandomChoice RandomCrop RandomEqualize
    RandomErasing RandomGrayscale RandomHorizontalFlip RandomInvert RandomOrder RandomPerspective RandomPosterize
    RandomResizedCrop RandomRotation RandomSolarize RandomVerticalFlip Resize TenCrop ToPILImage ToTensor
    TrivialAugmentWide
"""

EXTRA_MODULES = {
    "pandas.plotting": "scatter_matrix",
    "sklearn": "__version__",
    "sklearn.datasets": """
        make_biclusters make_blobs make_checkerboard make_circles make_classification make_friedman1 make_friedman2
        make_friedman3 make_gaussian_quantiles make_hastie_10_2 make_low_rank_matrix make_moons
        make_multilabel_classification make_regression make_s_curve make_sparse_uncorrelated make_spd_matrix
        make_swiss_roll load_breast_cancer load_diabetes load_digits load_iris load_linnerud load_wine
        """,
    "sklearn.model_selection": """
        train_test_split KFold StratifiedKFold RepeatedKFold RepeatedStratifiedKFold ShuffleSplit
        StratifiedShuffleSplit GroupKFold GroupShuffleSplit LeaveOneOut TimeSeriesSplit cross_val_score
        cross_val_predict cross_validate ParameterGrid
        """,
    "sklearn.preprocessing": """
        Binarizer KBinsDiscretizer LabelBinarizer LabelEncoder MaxAbsScaler MinMaxScaler MultiLabelBinarizer
        Normalizer OneHotEncoder OrdinalEncoder PolynomialFeatures PowerTransformer QuantileTransformer RobustScaler
        StandardScaler TargetEncoder binarize label_binarize maxabs_scale minmax_scale normalize
        robust_scale scale
        """,
    "sklearn.metrics": """
        accuracy_score adjusted_rand_score auc average_precision_score balanced_accuracy_score brier_score_loss
        classification_report cohen_kappa_score completeness_score confusion_matrix davies_bouldin_score
        explained_variance_score f1_score fbeta_score hamming_loss hinge_loss homogeneity_score jaccard_score log_loss
        matthews_corrcoef max_error mean_absolute_error mean_absolute_percentage_error mean_squared_error
        mean_squared_log_error median_absolute_error mutual_info_score normalized_mutual_info_score
        precision_recall_curve precision_recall_fscore_support precision_score r2_score recall_score
        root_mean_squared_error roc_auc_score roc_curve silhouette_samples silhouette_score top_k_accuracy_score
        v_measure_score zero_one_loss
        """,
    "sklearn.metrics.pairwise": """
        cosine_distances cosine_similarity euclidean_distances linear_kernel manhattan_distances polynomial_kernel
        rbf_kernel
        """,
    "sklearn.linear_model": _LINEAR,
    "sklearn.decomposition": "PCA FastICA IncrementalPCA KernelPCA NMF TruncatedSVD FactorAnalysis",
    "sklearn.manifold": "TSNE MDS Isomap LocallyLinearEmbedding SpectralEmbedding",
    "sklearn.cluster": """
        AgglomerativeClustering Birch DBSCAN KMeans MeanShift MiniBatchKMeans SpectralClustering k_means
        """,
    "sklearn.neighbors": """
        KNeighborsClassifier KNeighborsRegressor NearestCentroid NearestNeighbors KernelDensity
        """,
    "sklearn.svm": "LinearSVC LinearSVR SVC SVR",
    "sklearn.tree": "DecisionTreeClassifier DecisionTreeRegressor export_text",
    "sklearn.ensemble": """
        AdaBoostClassifier AdaBoostRegressor ExtraTreesClassifier ExtraTreesRegressor GradientBoostingClassifier
        GradientBoostingRegressor IsolationForest RandomForestClassifier RandomForestRegressor
        """,
    "sklearn.naive_bayes": "BernoulliNB GaussianNB MultinomialNB",
    "sklearn.mixture": "BayesianGaussianMixture GaussianMixture",
    "sklearn.neural_network": "MLPClassifier MLPRegressor",
    "sklearn.gaussian_process": "GaussianProcessClassifier GaussianProcessRegressor",
    "sklearn.gaussian_process.kernels": """
        ConstantKernel DotProduct ExpSineSquared Matern RBF RationalQuadratic WhiteKernel
        """,
    "sklearn.discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "sklearn.impute": "SimpleImputer KNNImputer",
    "sklearn.feature_selection": "SelectKBest VarianceThreshold f_classif f_regression mutual_info_classif",
    "sklearn.pipeline": "Pipeline make_pipeline",
    "sklearn.exceptions": "ConvergenceWarning NotFittedError",
    "sklearn.utils": "shuffle resample",
    "torchvision": "__version__",
    "torchvision.transforms": _TRANSFORMS,
    "torchvision.transforms.functional": _FUNCTIONAL,
    "torchvision.transforms.v2": f"""
        {_TRANSFORMS} ToDtype ToImage ToPureTensor RandomPhotometricDistort RandomZoomOut ScaleJitter CutMix MixUp
        GaussianNoise
        """,
    "torchvision.models": MODELS,
    "torchvision.datasets": "FakeData",
    "torchvision.utils": "make_grid",
    "torchvision.ops": """
        box_area box_convert box_iou clip_boxes_to_image complete_box_iou distance_box_iou generalized_box_iou
        masks_to_boxes nms batched_nms remove_small_boxes roi_align roi_pool sigmoid_focal_loss stochastic_depth
        Conv2dNormActivation FeaturePyramidNetwork FrozenBatchNorm2d MLP RoIAlign RoIPool SqueezeExcitation
        StochasticDepth
        """,
    "einops": "rearrange reduce repeat einsum pack unpack asnumpy parse_shape EinopsError __version__",
    "einops.layers": "",
    "einops.layers.torch": "Rearrange Reduce",
    "PIL": "__version__",
    "PIL.Image": """
        fromarray new blend composite merge linear_gradient radial_gradient Image Resampling Transpose NEAREST BILINEAR
        BICUBIC LANCZOS BOX HAMMING FLIP_LEFT_RIGHT FLIP_TOP_BOTTOM ROTATE_90 ROTATE_180 ROTATE_270
        """,
    "PIL.ImageOps": "autocontrast crop equalize expand fit flip grayscale invert mirror pad posterize solarize",
}

EXTRA_TYPES = {
    "d2l.torch.*": "public",
    "tqdm.*": "public",
    "pandas.DataFrame": "boxplot",
    "explorer.runtime.plotting.grids.Slot": "",
    "explorer.runtime.plotting.statistics.AxesGrid": "public",
    "explorer.runtime.book.drawing.Growing": "axes artists add",
    "sklearn.base.BaseEstimator": "public -set_params -get_metadata_routing -set_output",
    "sklearn.utils._bunch.Bunch": "public",
    "scipy.sparse._base._spbase": """
        T diagonal dot dtype getcol getrow max mean min multiply ndim nnz nonzero reshape shape sum toarray tocoo tocsc
        tocsr todense transpose
        """,
    "sklearn.gaussian_process.kernels.Kernel": "public -set_params",
    "sklearn.model_selection._split.BaseCrossValidator": "split get_n_splits",
    "sklearn.model_selection._split.BaseShuffleSplit": "split get_n_splits",
    "sklearn.model_selection._split._UnsupportedGroupCVMixin": "split get_n_splits",
    "sklearn.model_selection._split._RepeatedSplits": "split get_n_splits",
    "sklearn.model_selection._search.ParameterGrid": "",
    "torchvision.transforms.transforms.*": "public",
    "torchvision.transforms.functional.InterpolationMode": "public",
    "torchvision.transforms.autoaugment.AutoAugmentPolicy": "public",
    "torchvision.datasets.fakedata.FakeData": "size num_classes image_size",
    "PIL.Image.Image": """
        size width height mode info format alpha_composite convert copy crop entropy getbands getbbox getchannel
        getcolors getdata getextrema getpalette getpixel histogram paste point putalpha putpixel quantize reduce
        resize rotate split thumbnail transpose verify close show
        """,
    "PIL.Image.Resampling": "name value",
    "PIL.Image.Transpose": "name value",
}

EXTRA_WRITES = {"d2l.torch.*": "new", "torchvision.transforms.transforms.*": "transforms"}

# Arguments that scikit-learn hands on to a function by their names, unseen by the checks of a call.
EXTRA_KEYWORDS = frozenset(["kernel_params", "kw_args", "metric_params"])

EXTRA_BASES = frozenset(["d2l.torch.*"])

# What chapters of the book take from the network.
_BOOK = """
    download download_all download_extract load_data_fashion_mnist FashionMNIST load_data_time_machine
    load_corpus_time_machine read_time_machine TimeMachine SeqDataLoader load_data_nmt read_data_nmt MTFraEng
    load_data_voc read_voc_images VOCSegDataset load_data_bananas read_data_bananas BananasDataset
    load_data_imdb read_imdb load_data_snli read_snli SNLIDataset load_data_ptb read_ptb load_data_wiki
    TokenEmbedding get_data_ch11 read_csv_labels reorg_train_valid reorg_test load_cifar10 load_array_ml100k
    read_data_ml100k load_data_ml100k show_fashion_mnist copyfile build_colormap2label voc_label_indices
    voc_rand_crop VOC_COLORMAP VOC_CLASSES KaggleHouse
"""
_SETS = """
    MNIST FashionMNIST KMNIST EMNIST QMNIST CIFAR10 CIFAR100 SVHN ImageFolder DatasetFolder ImageNet CelebA STL10
    VOCDetection VOCSegmentation CocoDetection CocoCaptions Flowers102 Food101 OxfordIIITPet StanfordCars Caltech101
    Caltech256 LSUN Omniglot USPS GTSRB DTD EuroSAT Places365 Cityscapes
"""
_FETCHED = """
    fetch_openml fetch_california_housing fetch_20newsgroups fetch_20newsgroups_vectorized fetch_olivetti_faces
    fetch_lfw_people fetch_lfw_pairs fetch_covtype fetch_rcv1 fetch_kddcup99 fetch_species_distributions load_boston
"""
_TRAINED = """
    get_model get_weight get_model_weights segmentation detection AlexNet_Weights VGG11_Weights VGG13_Weights
    VGG16_Weights VGG16_BN_Weights VGG19_Weights VGG19_BN_Weights ResNet18_Weights ResNet34_Weights ResNet50_Weights
    ResNet101_Weights ResNet152_Weights ResNeXt50_32X4D_Weights Wide_ResNet50_2_Weights SqueezeNet1_0_Weights
    SqueezeNet1_1_Weights DenseNet121_Weights GoogLeNet_Weights Inception_V3_Weights MobileNet_V2_Weights
    MobileNet_V3_Small_Weights MobileNet_V3_Large_Weights EfficientNet_B0_Weights EfficientNet_B1_Weights
    EfficientNet_B2_Weights EfficientNet_V2_S_Weights ConvNeXt_Tiny_Weights ViT_B_16_Weights ViT_B_32_Weights
    Swin_T_Weights
"""

EXTRA_WHY = {
    "file": "PIL.Image.open Image.save torchvision.io torchvision.utils.save_image sklearn.datasets.load_files",
    "download": " ".join(
        [
            *(f"d2l.torch.{name}" for name in _BOOK.split()),
            "seaborn.load_dataset",
            *(f"torchvision.datasets.{name}" for name in _SETS.split()),
            *(f"sklearn.datasets.{name}" for name in _FETCHED.split()),
        ]
    ),
    "weights": " ".join(f"torchvision.models.{name}" for name in _TRAINED.split()),
}
