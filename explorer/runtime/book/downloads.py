"""Functions of the book that download data: each exists, and explains that there is no network."""

import errno
import os

NAMES = """
    download download_all download_extract load_data_fashion_mnist FashionMNIST load_data_time_machine
    load_corpus_time_machine read_time_machine TimeMachine SeqDataLoader load_data_nmt read_data_nmt MTFraEng
    load_data_voc read_voc_images VOCSegDataset load_data_bananas read_data_bananas BananasDataset
    load_data_imdb read_imdb load_data_snli read_snli SNLIDataset load_data_ptb read_ptb load_data_wiki
    TokenEmbedding get_data_ch11 read_csv_labels reorg_train_valid reorg_test load_cifar10 load_array_ml100k
    read_data_ml100k load_data_ml100k show_fashion_mnist voc_rand_crop KaggleHouse
"""


def _download(name: str):
    def download(*arguments, **keywords):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    download.__name__ = name
    return download


DOWNLOADS = {name: _download(name) for name in NAMES.split()}
