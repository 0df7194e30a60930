"""A running forge-serve for the scripts beside this file."""
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "Tests/ForgeServingTests/Fixtures"
PROGRAM = HERE.parent / ".build/release/forge-serve"


def check(holds, what):
    if not holds:
        sys.exit(f"serving: {what}")


class Server:
    """A server on free ports; it ends with the block."""

    def __init__(self, repository, *options):
        self.arguments = [
            str(PROGRAM), str(repository), "--http-port", "0", "--grpc-port", "0",
            "--metrics-port", "0", *options]
        self.ports = {}
        self.log = []

    def __enter__(self):
        self.process = subprocess.Popen(self.arguments, stderr=subprocess.PIPE, text=True)
        return self.wait_for_ports()

    def wait_for_ports(self):
        while len(self.ports) < 3:
            line = self.process.stderr.readline()
            check(line, "it ended at the start: " + "".join(self.log))
            self.log.append(line)
            found = re.search(r"port=(\d+) protocol=(\w+)", line)
            if found:
                self.ports[found[2]] = int(found[1])
        self.http = f"127.0.0.1:{self.ports['HTTP']}"
        self.grpc = f"127.0.0.1:{self.ports['gRPC']}"
        self.metrics = f"127.0.0.1:{self.ports['metrics']}"
        # The rest of the log is read by nobody, but must not block the server.
        threading.Thread(target=self.drain, daemon=True).start()
        return self

    def drain(self):
        for line in self.process.stderr:
            self.log.append(line)

    def stop(self, seconds=60):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def resident(self):
        """The resident memory in bytes."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) * 1024

    def files(self):
        """The number of open files."""
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))


def wait_until(holds, what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return
        time.sleep(0.05)
    sys.exit(f"serving: {what} within {seconds} s")


EXPECTED = json.loads((FIXTURES / "expected.json").read_text())
BODY = json.dumps({"inputs": [
    {"name": "x", "shape": [1, 7], "datatype": "FP32", "data": [1, 2, 3, 4, 5, 6, 7]}]}).encode()


def ask(address, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer, data


def is_ready(server):
    return ask(server.http, "GET", "/v2/health/ready")[0].status == 200


def connected(address):
    host, port = address.split(":")
    return socket.create_connection((host, int(port)), timeout=10)


def request_bytes(path, body, *lines):
    head = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *lines, "", ""]
    return "\r\n".join(head).encode() + body


def until_closed(connection, seconds):
    """What arrives until the server closes the connection, which it must do in time."""
    connection.settimeout(seconds)
    received = b""
    try:
        while part := connection.recv(65536):
            received += part
    except ConnectionResetError:
        pass
    except TimeoutError:
        check(False, f"a connection is not closed within {seconds} s: {received[:200]}")
    return received


def slow_model(folder, name="slow", size=1024, layers=40):
    """A chain of products that takes some tens of milliseconds."""
    rng = np.random.default_rng(1)
    nodes, constants, last = [], [], "x"
    for index in range(layers):
        values = (rng.standard_normal((size, size)) / np.sqrt(size)).astype(np.float32)
        constants.append(numpy_helper.from_array(values, f"w{index}"))
        nodes.append(helper.make_node("MatMul", [last, f"w{index}"], [f"y{index}"]))
        last = f"y{index}"
    rows = 64
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, size])],
        [helper.make_tensor_value_info(last, TensorProto.FLOAT, [rows, size])], constants)
    path = pathlib.Path(folder) / f"{name}.onnx"
    onnx.save(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    body = np.zeros((rows, size), np.float32).tobytes()
    return path, body
