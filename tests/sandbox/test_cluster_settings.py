"""The environment's cluster settings, and what is refused before anything is sent."""

import shutil
import sys
from types import SimpleNamespace

import pytest

from explorer.cli.commands import programs
from explorer.cli.main import main
from explorer.extras import missing
from explorer.sandbox import BadScheduler, runner
from explorer.sandbox.cluster.settings import ClusterSettings, cluster_settings
from explorer.ui.frame.server import middleware
from explorer.ui.session import program_run
from tests.sandbox.machines import Certificates

needs_dask = pytest.mark.skipif(bool(missing("cluster")), reason="dask.distributed is not installed")


def kind(**environment: str) -> str:
    """Return why an environment is refused."""
    with pytest.raises(BadScheduler) as refused:
        cluster_settings({f"EXPLORER_{name}": value for name, value in environment.items()})
    return refused.value.kind


def test_without_a_scheduler_there_is_no_cluster():
    assert cluster_settings({}) is None and cluster_settings({"EXPLORER_SCHEDULER": " "}) is None


@needs_dask
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_a_local_cluster_needs_no_certificates(host):
    found = cluster_settings({"EXPLORER_SCHEDULER": f"tcp://{host}:8786"})
    assert found == ClusterSettings("tcp", host, 8786) and found.address == f"tcp://{host}:8786"


@needs_dask
@pytest.mark.parametrize("host", ["10.0.0.5", "scheduler.example", "127.0.0.1.example", "0.0.0.0", "[::]"])
def test_a_remote_cluster_needs_certificates(host):
    assert kind(SCHEDULER=f"tcp://{host}:8786") == "plain"
    assert kind(SCHEDULER=f"tls://{host}:8786") == "certificates"


@pytest.mark.parametrize(
    "address", ["scheduler", "8786", "tls://scheduler", "http://a:1", "tcp://a:0", "tls://a:70000", "tls://a b:1"]
)
def test_an_invalid_address_is_refused(address):
    assert kind(SCHEDULER=address) == "address"


@pytest.mark.thorough
def test_a_missing_dask_shows_the_install_command(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["worker", "tcp://localhost:8786"]) == 2
    assert '".[app,cluster]"' in capsys.readouterr().err


@needs_dask
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not there to make certificates")
def test_certificates_are_read_before_anything_is_sent(tmp_path):
    made = Certificates(tmp_path)
    names = ("SCHEDULER_CA", "SCHEDULER_CERT", "SCHEDULER_KEY")
    right = dict(zip(names, (made.authority, made.certificate, made.key), strict=True))
    there = {"SCHEDULER": "tls://scheduler.example:8786"}
    found = cluster_settings({f"EXPLORER_{name}": value for name, value in (there | right).items()})
    assert found.security().require_encryption and found.authority == made.authority
    for name in names:
        assert kind(**there, **{**right, name: ""}) == "certificates"
        assert kind(**there, **{**right, name: str(tmp_path / "nowhere.pem")}) == "unread"
        assert kind(**there, **{**right, name: str(tmp_path / "asked.pem")}) == "unread"  # only a certificate request


@pytest.mark.thorough
@needs_dask
@pytest.mark.parametrize("command", [["worker"], ["scheduler"], ["run", "program.py"]])
def test_every_command_reports_why_it_does_not_start(command, monkeypatch, capsys):
    monkeypatch.setenv("EXPLORER_SCHEDULER", "tcp://10.0.0.5:8786")
    # the shared runner has no cluster
    monkeypatch.setattr(programs, "default_runner", runner.default_runner.__wrapped__)
    for lang, word in (("en", "without certificates anyone"), ("zh", "没有证书")):
        assert main([*command, "--lang", lang]) == 2
        assert word in capsys.readouterr().err


@needs_dask
def test_the_app_reports_why_it_does_not_start(monkeypatch):
    monkeypatch.setenv("EXPLORER_SCHEDULER", "tcp://10.0.0.5:8786")
    with pytest.raises(SystemExit, match="without certificates anyone") as ended:
        middleware()
    assert "没有证书" in str(ended.value)


def test_linked_programs_wait_for_run_at_home_with_workers(monkeypatch):
    monkeypatch.setattr(program_run, "probe", lambda: SimpleNamespace(reaches=lambda level: True))
    monkeypatch.setattr(program_run, "framed", lambda: False)
    assert program_run.may_autorun()
    monkeypatch.setenv("EXPLORER_SCHEDULER", "tls://scheduler.example:8786")
    assert not program_run.may_autorun()
    monkeypatch.setenv("EXPLORER_HOSTED", "1")
    assert program_run.may_autorun()


def test_a_workers_number_of_turns_is_whole(capsys):
    for given in ("0", "-1", "two", "1001", "1.5", "²"):
        assert main(["worker", "tcp://localhost:8786", "--at-once", given]) == 2
        assert "must be a number from 1 to 1000" in capsys.readouterr().err
