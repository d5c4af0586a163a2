"""The page behind a real proxy: nginx speaks TLS and shows it under a prefix, by the recipe of docs/web.md."""

import contextlib
import http.client
import os
import shutil
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from printing import LIMIT
from web_pages import Page, PageProcess
from websockets.exceptions import InvalidStatus

from coopsim.testkit import Run

pytestmark = pytest.mark.integration
_NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
_RECIPE = Path(__file__).parents[3] / "docs/web.md"
_ORIGIN = "https://lab.example:8443"
_CONFIGURATION = """
daemon off; master_process off; pid {folder}/pid; error_log stderr warn;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{
        listen unix:{folder}/socket ssl;
        ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
        {recipe}
    }}
}}
"""

if _NGINX:

    @pytest.fixture(scope="module")
    def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
        folder = tmp_path_factory.mktemp("proxy")
        request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        names = ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:lab.example"]
        files = ["-keyout", "key.pem", "-out", "certificate.pem"]
        subprocess.run([*request, *names, *files], cwd=folder, check=True, capture_output=True, timeout=LIMIT)
        return folder

    @pytest.fixture(scope="module")
    def server() -> Iterator[PageProcess]:
        with (
            Run("formation", "--no-controllers", "--duration", "3600") as live,
            PageProcess(live.endpoint, "--origin", _ORIGIN) as process,
        ):
            process.wait_for("shows formation")
            yield process

    @pytest.fixture(scope="module", autouse=True)
    def _proxy(folder: Path, server: PageProcess) -> Iterator[None]:
        recipe = "location /class/" + _RECIPE.read_text().split("location /class/")[1].split("```")[0]
        assert "127.0.0.1:5580" in recipe
        recipe = recipe.replace("127.0.0.1:5580", f"127.0.0.1:{server.port}")
        configuration = folder / "nginx.conf"
        configuration.write_text(_CONFIGURATION.format(folder=folder, recipe=recipe))
        command = [str(_NGINX), "-p", str(folder), "-c", str(configuration)]
        subprocess.run([*command, "-t"], check=True, capture_output=True, timeout=LIMIT)
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while process.poll() is None:
                with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                    _connected(folder).close()
                    break
            assert process.poll() is None, "nginx ended at once"
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(LIMIT)

    def _trust(folder: Path) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(folder / "certificate.pem"))

    def _connected(folder: Path) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.settimeout(LIMIT)
            connection.connect(str(folder / "socket"))
        except OSError:
            connection.close()
            raise
        return connection

    def _page(folder: Path, token: str = "", origin: str = _ORIGIN) -> Page:
        more: dict[str, Any] = {"sock": _connected(folder), "ssl": _trust(folder), "origin": origin}
        return Page(f"{_ORIGIN}/class/#{token}", **more)

    @pytest.mark.parametrize("name", ["", "page.js", "pattern/wood"])
    def test_the_page_and_its_files_come_through_the_proxy(folder: Path, name: str) -> None:
        connection = http.client.HTTPConnection(urlsplit(_ORIGIN).netloc)
        connection.sock = _trust(folder).wrap_socket(_connected(folder), server_hostname="lab.example")
        with contextlib.closing(connection):
            connection.request("GET", f"/class/{name}")
            answer = connection.getresponse()
            assert (answer.status, len(answer.read()) > 100) == (200, True)

    def test_frames_and_rights_come_through_the_proxy(folder: Path, server: PageProcess) -> None:
        with _page(folder, server.link("edit").partition("#")[2]) as page:
            assert page.hello["role"] == "edit"
            assert page.frame()[0][4] > 0
            assert not page.call("/robot1/motors", "set_velocity", 0.1, 0.0).get("error")
        with _page(folder) as page:
            assert page.hello["role"] == "watch"
            assert page.call("/robot1/motors", "set_velocity", 0.1, 0.0)["error"]

    def test_pages_of_other_origins_are_refused_through_the_proxy(folder: Path) -> None:
        with pytest.raises(InvalidStatus, match="403"), _page(folder, origin="https://evil.example"):
            pass
