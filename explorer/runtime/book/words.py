"""The book's text: tokens, vocabularies, batches of sequences, and how good a translation is."""

import collections
import math
import random

import torch


def tokenize(lines, token: str = "word") -> list:
    """Lines as words or as characters."""
    if token not in ("word", "char"):
        print("ERROR: unknown token type: " + token)
        return None
    return [line.split() if token == "word" else list(line) for line in lines]


def count_corpus(tokens) -> collections.Counter:
    """How often each token occurs, in a list or in a list of lists."""
    if len(tokens) == 0 or isinstance(tokens[0], list):
        tokens = [token for line in tokens for token in line]
    return collections.Counter(tokens)


class Vocab:
    """Maps tokens to numbers, frequent ones first. Attributes: idx_to_token, token_to_idx, token_freqs."""

    def __init__(self, tokens=(), min_freq: int = 0, reserved_tokens=()) -> None:
        counter = count_corpus(list(tokens))
        self.token_freqs = sorted(counter.items(), key=lambda counted: counted[1], reverse=True)
        self.idx_to_token = ["<unk>", *(reserved_tokens or ())]
        known = set(self.idx_to_token)
        frequent = [token for token, freq in self.token_freqs if freq >= min_freq]
        self.idx_to_token += [token for token in frequent if token not in known]
        self.token_to_idx = {token: i for i, token in enumerate(self.idx_to_token)}

    def __len__(self) -> int:
        return len(self.idx_to_token)

    def __getitem__(self, tokens):
        if not isinstance(tokens, list | tuple):
            return self.token_to_idx.get(tokens, self.unk)
        return [self[token] for token in tokens]

    def to_tokens(self, indices):
        if hasattr(indices, "__len__") and len(indices) > 1:
            return [self.idx_to_token[int(index)] for index in indices]
        return self.idx_to_token[indices]

    @property
    def unk(self) -> int:
        return 0


def seq_data_iter_random(corpus, batch_size: int, num_steps: int):
    """Batches of subsequences in random order, each with its continuation by one step."""
    corpus = corpus[random.randint(0, num_steps - 1) :]
    count = (len(corpus) - 1) // num_steps
    starts = [i * num_steps for i in range(count)]
    random.shuffle(starts)
    for i in range(0, batch_size * (count // batch_size), batch_size):
        chosen = starts[i : i + batch_size]
        X = [corpus[at : at + num_steps] for at in chosen]
        Y = [corpus[at + 1 : at + 1 + num_steps] for at in chosen]
        yield torch.tensor(X), torch.tensor(Y)


def seq_data_iter_sequential(corpus, batch_size: int, num_steps: int):
    """Batches of subsequences that continue from batch to batch."""
    offset = random.randint(0, num_steps)
    count = ((len(corpus) - offset - 1) // batch_size) * batch_size
    Xs = torch.tensor(corpus[offset : offset + count]).reshape(batch_size, -1)
    Ys = torch.tensor(corpus[offset + 1 : offset + 1 + count]).reshape(batch_size, -1)
    for i in range(0, num_steps * (Xs.shape[1] // num_steps), num_steps):
        yield Xs[:, i : i + num_steps], Ys[:, i : i + num_steps]


def preprocess_nmt(text: str) -> str:
    """Lower-case a text, normalise blanks, and put a blank before punctuation."""
    text = text.replace("\u202f", " ").replace("\xa0", " ").lower()
    return "".join(" " + c if i > 0 and c in ",.!?" and text[i - 1] != " " else c for i, c in enumerate(text))


def tokenize_nmt(text: str, num_examples=None) -> tuple[list, list]:
    """Source and target sentences of a text with one pair per line."""
    source, target = [], []
    for i, line in enumerate(text.split("\n")):
        if num_examples and i > num_examples:
            break
        parts = line.split("\t")
        if len(parts) == 2:
            source.append(parts[0].split(" "))
            target.append(parts[1].split(" "))
    return source, target


def truncate_pad(line, num_steps: int, padding_token) -> list:
    """A line cut or padded to a length."""
    return line[:num_steps] if len(line) > num_steps else line + [padding_token] * (num_steps - len(line))


def build_array_nmt(lines, vocab, num_steps: int):
    """Sentences as numbers of one length, and their valid lengths."""
    lines = [[*vocab[line], vocab["<eos>"]] for line in lines]
    array = torch.tensor([truncate_pad(line, num_steps, vocab["<pad>"]) for line in lines])
    return array, (array != vocab["<pad>"]).type(torch.int32).sum(1)


def bleu(pred_seq: str, label_seq: str, k: int) -> float:
    """BLEU: the share of matching n-grams up to k, with a penalty for short predictions."""
    pred, label = pred_seq.split(" "), label_seq.split(" ")
    score = math.exp(min(0, 1 - len(label) / len(pred)))
    for n in range(1, min(k, len(pred)) + 1):
        wanted = collections.Counter(" ".join(label[i : i + n]) for i in range(len(label) - n + 1))
        found = collections.Counter(" ".join(pred[i : i + n]) for i in range(len(pred) - n + 1))
        matches = sum((wanted & found).values())
        score *= math.pow(matches / (len(pred) - n + 1), math.pow(0.5, n))
    return score


def subsample(sentences, vocab):
    """Drop unknown words and some of the frequent ones; also returns the counts before."""
    sentences = [[token for token in line if vocab[token] != vocab.unk] for line in sentences]
    counter = count_corpus(sentences)
    total = sum(counter.values())

    def kept(token) -> bool:
        return random.uniform(0, 1) < math.sqrt(1e-4 / counter[token] * total)

    return [[token for token in line if kept(token)] for line in sentences], counter


def get_centers_and_contexts(corpus, max_window_size: int) -> tuple[list, list]:
    """Every word with the words around it, in windows of random size."""
    centers, contexts = [], []
    for line in corpus:
        if len(line) < 2:
            continue
        centers += line
        for i in range(len(line)):
            size = random.randint(1, max_window_size)
            around = range(max(0, i - size), min(len(line), i + 1 + size))
            contexts.append([line[at] for at in around if at != i])
    return centers, contexts


class RandomGenerator:
    """Draws numbers from 1 on with given weights."""

    def __init__(self, sampling_weights) -> None:
        self.population = list(range(1, len(sampling_weights) + 1))
        self.sampling_weights = sampling_weights
        self.candidates, self.i = [], 0

    def draw(self) -> int:
        if self.i == len(self.candidates):
            self.candidates = random.choices(self.population, self.sampling_weights, k=10_000)
            self.i = 0
        self.i += 1
        return self.candidates[self.i - 1]


def get_negatives(all_contexts, vocab, counter, K: int) -> list:
    """K negative samples per context word, without the context words."""
    weights = [counter[vocab.to_tokens(i)] ** 0.75 for i in range(1, len(vocab))]
    generator, found = RandomGenerator(weights), []
    for contexts in all_contexts:
        negatives = []
        while len(negatives) < len(contexts) * K:
            drawn = generator.draw()
            if drawn not in contexts:
                negatives.append(drawn)
        found.append(negatives)
    return found


def batchify(data) -> tuple:
    """Centres, contexts with negatives, masks and labels of a batch, padded to one length."""
    longest = max(len(context) + len(negative) for _, context, negative in data)
    centers, both, masks, labels = [], [], [], []
    for center, context, negative in data:
        used = len(context) + len(negative)
        centers.append(center)
        both.append(context + negative + [0] * (longest - used))
        masks.append([1] * used + [0] * (longest - used))
        labels.append([1] * len(context) + [0] * (longest - len(context)))
    return torch.tensor(centers).reshape((-1, 1)), torch.tensor(both), torch.tensor(masks), torch.tensor(labels)


def get_tokens_and_segments(tokens_a, tokens_b=None) -> tuple[list, list]:
    """BERT's input for one or two texts: tokens with their marks, and the segment of each."""
    tokens = ["<cls>", *tokens_a, "<sep>"]
    segments = [0] * len(tokens)
    if tokens_b is not None:
        tokens += [*tokens_b, "<sep>"]
        segments += [1] * (len(tokens_b) + 1)
    return tokens, segments
