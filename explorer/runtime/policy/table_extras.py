"""The policy, part four: libraries beside torch, numpy and pandas. `table` says what the words mean.

The book's `d2l` is always there. scikit-learn, torchvision and Pillow are what a host has installed: what computes on
arrays and tensors is allowed by name; what reads or writes files, downloads or unpickles is not.
"""

EXTRA_MODULES: dict[str, str] = {}

EXTRA_TYPES = {
    "d2l.torch.*": "public",
    "explorer.runtime.book.drawing.Growing": "axes artists add",
}

EXTRA_WRITES = {"d2l.torch.*": "new"}

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

EXTRA_WHY = {"download": " ".join(f"d2l.torch.{name}" for name in _BOOK.split())}
