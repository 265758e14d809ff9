"""Libraries that download, on a machine without a network: importing them is no attempt, calling them is told.

A file that was given under the last name of an address is taken in place of the download, and the run says so.
"""

import builtins
import io
import json

from explorer.runtime.policy.files.paths import checked, from_files, last_part

# Modules that need not be installed, and what programs take from them.
DOWNLOADING = {
    "urllib.request": "urlopen urlretrieve Request build_opener install_opener",
    "requests": "get post put head request Session",
    "gdown": "download download_folder cached_download",
    "wget": "download",
    "google.colab": "",
    "google.colab.drive": "mount flush_and_unmount",
    "google.colab.files": "upload download",
    "google": "",
    "kaggle": "",
    "kagglehub": "dataset_download model_download login",
    "opendatasets": "download",
    "torch.hub": "load load_state_dict_from_url download_url_to_file list help set_dir get_dir",
}
REASONS = {"torch.hub.load": "hub", "torch.hub.load_state_dict_from_url": "hub"}


def downloads(guards) -> dict[tuple[str, str], object]:
    """What stands in for downloads, by the module's name and the function's."""
    found = {
        (module, name): _refuser(guards, module, name) for module, row in DOWNLOADING.items() for name in row.split()
    }
    return found | {
        ("google.colab.drive", "mount"): lambda *arguments, **keywords: guards.skipped("drive.mount", "shell", ""),
        ("urllib.request", "urlretrieve"): _retrieve(guards, "urllib.request.urlretrieve"),
        ("urllib.request", "urlopen"): _opened(guards),
        ("requests", "get"): _answer(guards),
        ("wget", "download"): _retrieve(guards, "wget.download"),
        ("torch.hub", "download_url_to_file"): _retrieve(guards, "torch.hub.download_url_to_file"),
    }


def _refuser(guards, module: str, name: str):
    def refused(*arguments, **keywords):
        guards.refuse(f"{module}.{name}", REASONS.get(f"{module}.{name}", "network"))

    refused.__name__ = name
    return refused


def _taken(guards, what: str, url: object) -> bytes:
    address = url if isinstance(url, str) else ""
    found = from_files(guards, what, address)
    if found is None:
        guards.refuse(f"{what}({address!r:.100})" if address else what, "network")
    return found


def _retrieve(guards, what: str):
    def retrieve(url, filename=None, *arguments, **keywords):
        data = _taken(guards, what, url)
        target = checked(guards, what, keywords.get("out", filename) or last_part(url))
        with builtins.open(target, "wb") as file:
            file.write(data)
        return (target, {}) if what.startswith("urllib") else target

    return retrieve


def _opened(guards):
    def urlopen(url, *arguments, **keywords):
        return io.BytesIO(_taken(guards, "urllib.request.urlopen", url))

    return urlopen


class Response:
    """What `requests.get` gives. Attributes: those of requests that programs read."""

    def __init__(self, url: str, content: bytes) -> None:
        self.url, self.content, self.status_code, self.ok = url, content, 200, True
        self.text = content.decode("utf-8", "replace")

    def json(self):
        """The text, read as JSON."""
        return json.loads(self.text)

    def raise_for_status(self) -> None:
        """Nothing: the file is there."""

    def iter_content(self, chunk_size: int = 1):
        """The bytes in pieces."""
        return (self.content[at : at + chunk_size] for at in range(0, len(self.content), max(1, chunk_size)))


def _answer(guards):
    def get(url, *arguments, **keywords):
        return Response(url, _taken(guards, "requests.get", url))

    return get
