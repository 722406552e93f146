"""The processes of a measurement: each is started here, pinned, waited for and stopped by its id."""
import json
import os
import re
import resource
import signal
import socket
import subprocess
import time

CLIENT_KEY = "bench-client-key"
PATH = "/v1/chat/completions"
NGINX = """\
worker_processes 1; daemon off; master_process off; pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn; worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
  access_log off; keepalive_requests 1000000000; keepalive_timeout 300s; tcp_nodelay on;
  client_max_body_size 16m; client_body_buffer_size 1m;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  upstream origin {{ server 127.0.0.1:{upstream}; keepalive 1024; keepalive_requests 1000000000; }}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 300s;
    }}
  }}
}}
"""
GATEWAY = """\
config-version: 8
server: {{host: 127.0.0.1, port: 0, timeouts: {{drain: 0s}}}}
access: {{api-keys: [{key}]}}
oauth: {{auth-dir: {folder}/auth}}
requests: {{connections: {{per-origin: 8192, idle-per-origin: 1024}}}}
api-keys:
  openai-compatibility:
    - name: bench
      base-url: http://127.0.0.1:{upstream}/v1
      models:
        - {{name: bench-plain, alias: bench-plain}}
        - {{name: bench-stream, alias: bench-stream}}
        - {{name: bench-hold, alias: bench-hold}}
      keys:
{keys}
"""


class RigError(Exception):
    pass


def processors():
    """The processors for upstream and load, and for the proxy; None when there is one only."""
    usable = sorted(os.sched_getaffinity(0))
    return (usable[0], usable[1]) if len(usable) > 1 else (None, None)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def cpu_seconds(pid):
    """CPU time of all threads of a process."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def idle_percent(pid, seconds):
    """Percent of one processor that a process takes while nobody asks it anything."""
    before = cpu_seconds(pid)
    time.sleep(seconds)
    return 100 * (cpu_seconds(pid) - before) / seconds


class Rig:
    """Owns a scratch folder and every process started in it; a context manager that stops them."""

    def __init__(self, folder, programs, gateway):
        self.folder = folder
        self.programs = programs
        self.gateway_program = gateway
        self.load_cpu, self.proxy_cpu = processors()
        self.running = []
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 16384 if hard == resource.RLIM_INFINITY else min(16384, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        while self.running:
            self.stop(self.running[-1])

    def start(self, name, command, cpu):
        def pin():
            if cpu is not None:
                os.sched_setaffinity(0, {cpu})

        with open(os.path.join(self.folder, f"{name}.out"), "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, preexec_fn=pin)
        process.log = log.name
        self.running.append(process)
        return process

    def stop(self, process):
        self.running.remove(process)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def wait_for_port(self, process, pattern, seconds=30):
        """The port that the process reports in its output."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with open(process.log, encoding="utf-8", errors="replace") as file:
                text = file.read()
            found = re.search(pattern, text)
            if found:
                return int(found[1])
            if process.poll() is not None:
                break
            time.sleep(0.02)
        raise RigError(f"{process.args[0]} did not start:\n{text[-2000:]}")

    def upstream(self):
        process = self.start("upstream", [self.programs["upstream"], "0"], self.load_cpu)
        return self.wait_for_port(process, r"listening on (\d+)")

    def nginx(self, program, upstream):
        port = free_port()
        config = os.path.join(self.folder, "nginx.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(NGINX.format(folder=self.folder, upstream=upstream, port=port))
        process = self.start("nginx", [program, "-p", self.folder, "-c", config], self.proxy_cpu)
        end = time.monotonic() + 10
        while time.monotonic() < end and process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return process, port
            time.sleep(0.02)
        raise RigError("nginx did not start: see its log in " + self.folder)

    def gateway(self, upstream, credentials):
        config = os.path.join(self.folder, f"gateway-{credentials}.yaml")
        os.makedirs(os.path.join(self.folder, "auth"), exist_ok=True)
        keys = "\n".join(f"        - api-key: bench-key-{i}" for i in range(credentials))
        with open(config, "w", encoding="utf-8") as file:
            file.write(GATEWAY.format(folder=self.folder, upstream=upstream, keys=keys,
                                      key=CLIENT_KEY))
        os.chmod(config, 0o600)
        process = self.start(f"gateway-{credentials}",
                             [self.gateway_program, "serve", "--config", config], self.proxy_cpu)
        return process, self.wait_for_port(process, r"listening on http://[\d.]+:(\d+)")

    def load(self, shape, port, body, watch=None, **options):
        """One run of the load generator; its figures."""
        command = [self.programs["load"], shape, "--port", str(port), "--path", PATH,
                   "--body", body, "--header", f"Authorization: Bearer {CLIENT_KEY}"]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        if watch:
            command += ["--watch", str(watch.pid)]
        if self.load_cpu is not None:
            command = ["taskset", "-c", str(self.load_cpu)] + command
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise RigError(f"load generator: {done.stderr.strip()}")
        return json.loads(done.stdout)
