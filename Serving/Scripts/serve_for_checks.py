"""A running forge-serve for the scripts beside this file."""
import json
import pathlib
import re
import signal
import subprocess
import sys
import time

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
        import threading
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


def wait_until(holds, what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return
        time.sleep(0.05)
    sys.exit(f"serving: {what} within {seconds} s")


EXPECTED = json.loads((FIXTURES / "expected.json").read_text())
