import { type ChildProcess, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { environment } from './ffmpeg-programs.ts'

/**
 * The paths that a program can reach: what it reads, folders it writes to, code that it loads (programs and native modules), and devices.
 * Absolute; all must exist.
 */
export interface SandboxAccess {
  reads: readonly string[]
  writes: readonly string[]
  code?: readonly string[]
  devices?: readonly string[]
}

interface Confinement {
  /** Undefined: the program reaches everything this user can. */
  reach: SandboxAccess | undefined
  /** Its nice value. If set, it also uses the disk after all other programs. */
  nice?: number | undefined
  /** Address space it may use. */
  megabytes?: number
}

/** System paths that programs need to start: libraries and their links. None holds this service's data. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/etc/alternatives', '/etc/ld.so.cache', '/nix/store']
/** Shows glibc's allocator whether the system has huge pages. */
const HUGE_PAGES = '/sys/kernel/mm/transparent_hugepage'
/** What `WHILE_PARENT_LIVES` reads. */
const PARENT = `/proc/${process.pid}/statm`

/** Stack of each thread. The usual 8 MB is almost entirely unused, but would count as memory a hundred times over. */
const STACK_KB = 2_048

/** Ends a program together with this process, even if this process is killed. */
const DIE_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL']
/**
 * Succeeds while this process is alive. If it was killed before a program asked to end with it, no signal arrives. A dead process has no
 * memory.
 */
const WHILE_PARENT_LIVES = `read -r pages _ < ${PARENT} && [ "$pages" != 0 ]`
const start = (...conditions: string[]) => ['sh', '-c', [...conditions, 'exec "$0" "$@"'].join(' && ')]
const limits = (megabytes: number) => `ulimit -v ${megabytes * 1024} && ulimit -s ${STACK_KB} && ulimit -c 0`

/** Disk schedulers limit how long the idle class waits. */
const lowPriority = (nice: number) => ['nice', '-n', String(nice), 'ionice', '-c', '3']

/** What a confined program sees: programs and data read-only, folders it writes to, and devices. */
interface View {
  programs: readonly string[]
  reads: readonly string[]
  writes: readonly string[]
  devices: readonly string[]
}

/** Ways to confine a program, best first: no network, no other processes, no rights, and no files outside its view. */
export const WAYS = {
  bwrap: ({ programs, reads, writes, devices }: View) => [
    ...['bwrap', '--unshare-user-try', '--unshare-pid', '--unshare-ipc', '--unshare-net', '--die-with-parent', '--cap-drop', 'ALL'],
    ...[...programs, ...reads].flatMap((path) => ['--ro-bind', path, path]),
    ...['--ro-bind-try', HUGE_PAGES, HUGE_PAGES],
    ...writes.flatMap((path) => ['--bind', path, path]),
    ...devices.flatMap((path) => ['--dev-bind', path, path]),
    ...['--remount-ro', '/', '--chdir', '/'],
  ],
  // A namespace can add options to the system's mounts, but remove none.
  unshare: ({ programs, reads, writes, devices }: View) => [
    ...DIE_WITH_PARENT,
    ...['unshare', '--user', '--map-root-user', '--mount', '--pid', '--ipc', '--net', '--fork', '--kill-child', 'sh', '-c', NEW_ROOT, 'sh'],
    ...programs.flatMap((path) => ['ro,nosuid,nodev', path]),
    ...reads.flatMap((path) => ['ro,nosuid,nodev,noexec', path]),
    ...writes.flatMap((path) => ['nosuid,nodev,noexec', path]),
    ...devices.flatMap((path) => ['nosuid,noexec', path]),
    ...['--', 'setpriv', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'],
  ],
}

/** Builds a root in memory from pairs of mount options and a path. It is at /sys, which exists everywhere and holds no data. */
const NEW_ROOT = `set -e
trap 'exit 126' EXIT
mount -t tmpfs -o mode=755 tmpfs /sys
while [ "$1" != -- ]; do
  if [ -d "$2" ]; then folder=$2; else folder=\${2%/*}; fi
  [ -d "/sys$folder" ] || mkdir -p "/sys$folder"
  [ -e "/sys$2" ] || : > "/sys$2"
  mount --rbind -o "$1" "$2" "/sys$2"
  shift 2
done
shift
mount -o remount,bind,ro /sys
trap - EXIT
exec unshare --root=/sys "$@"`

/**
 * Returns the command prefix that confines a command to `reach`, without network, ends it together with this process, and limits its
 * memory. Leaves out what this system does not allow (`missingProtection`).
 */
export function sandboxPrefix(program: string, { reach, nice, megabytes = env().TRANSCODE_MEMORY_MB }: Confinement): string[] {
  const { way, leash, bounds, canYield } = sandbox()
  const low = nice !== undefined && canYield ? lowPriority(nice) : []
  const confined = way && reach ? WAYS[way](viewOf(program, reach)) : leash ? DIE_WITH_PARENT : []
  const conditions = [...(leash || confined.length > 0 ? [WHILE_PARENT_LIVES] : []), ...(bounds ? [limits(megabytes)] : [])]
  return [...low, ...confined, ...(conditions.length > 0 ? start(...conditions) : [])]
}

/** Returns the command prefix that ends a program when this process is killed. Empty if the system has none. Reads no settings. */
export function parentDeathPrefix(): string[] {
  const prefix = [...DIE_WITH_PARENT, ...start(WHILE_PARENT_LIVES)]
  return refusal(prefix) === undefined ? prefix : []
}

/** Kills a program. While being confined, it may already have a child that does not end with it yet. */
export function kill(child: ChildProcess): void {
  // Once stopped, it creates no more.
  if (!child.kill('SIGSTOP')) return
  try {
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').filter(Boolean)
    for (const pid of children) process.kill(Number(pid), 'SIGKILL')
  } catch {
    // They have ended, or this system does not list them.
  }
  child.kill('SIGKILL')
}

/**
 * glibc allocator tunables for programs that process frames: huge pages, in 64 MB areas that take buffers of up to 32 MB and are kept. They
 * save 3 to 8 % of an encode's processor time; without huge pages, the same areas would cost more than that.
 */
const TUNABLES = [
  'glibc.malloc.hugetlb=1',
  `glibc.malloc.top_pad=${64 * 1024 ** 2}`,
  `glibc.malloc.mmap_threshold=${32 * 1024 ** 2}`,
  `glibc.malloc.trim_threshold=${4 * 1024 ** 3}`,
].join(':')

/** Returns the environment for longer-running programs that process frames or audio. Short ones gain nothing from huge pages. */
export const backgroundEnvironment = () => ({ ...environment(), ...(sandbox().hugePages && { GLIBC_TUNABLES: TUNABLES }) })

/** Returns which protections this system lacks and why, in words for the operator. Undefined if it lacks none. */
export function missingProtection(): string | undefined {
  const { way, refusals, leash, bounds } = sandbox()
  const missing = [
    ...(way ? [] : ['it can reach this system’s files, network and processes']),
    ...(leash ? [] : ['it keeps running if its worker is killed']),
    ...(bounds ? [] : ['its memory is not limited']),
  ]
  const why = refusals.length > 0 ? ` (${refusals.join('; ')})` : ''
  if (missing.length > 0) return `is not fully confined on this system: ${missing.join('; ')}${why}`
  return way === 'bwrap' ? undefined : `is confined by ${way}${why}`
}

interface Sandbox {
  /** Undefined if the system allows none. */
  way: keyof typeof WAYS | undefined
  /** Why each better way is not used. */
  refusals: string[]
  /** Whether programs end when this process is killed. */
  leash: boolean
  /** Whether memory can be limited. */
  bounds: boolean
  /** Whether programs can run at a lower priority than this process. */
  canYield: boolean
  /** Whether programs that ask for huge pages get them. */
  hugePages: boolean
}

declare module '../container.ts' {
  interface Services {
    sandbox: Sandbox
  }
}

const sandbox = () => services().sandbox

/** Tries what works on this system. */
export function detectSandbox(): Sandbox {
  const refusals: string[] = []
  const isUsable = (way: keyof typeof WAYS) => {
    const reason = refusal([...WAYS[way](viewOf('true', { reads: [], writes: [] })), ...start(WHILE_PARENT_LIVES)])
    if (reason !== undefined) refusals.push(reason)
    return reason === undefined
  }
  const way = (Object.keys(WAYS) as (keyof typeof WAYS)[]).find(isUsable)
  const works = (...prefix: string[]) => refusal(prefix) === undefined
  return {
    way,
    refusals,
    leash: parentDeathPrefix().length > 0,
    bounds: works(...start(limits(env().TRANSCODE_MEMORY_MB))),
    canYield: works(...lowPriority(1)),
    hugePages: way !== 'unshare' && /\[(always|madvise)\]/.test(hugePageMode()),
  }
}

function hugePageMode(): string {
  try {
    return readFileSync(`${HUGE_PAGES}/enabled`, 'utf8')
  } catch {
    return ''
  }
}

const viewOf = (program: string, { reads, writes, code = [], devices = [] }: SandboxAccess): View => ({
  programs: [...SYSTEM.filter((path) => existsSync(/* turbopackIgnore: true */ path)), ...homeOf(program), ...env().FFMPEG_READS, ...code],
  reads: [PARENT, ...reads],
  writes,
  devices: ['/dev/null', '/dev/urandom', ...devices],
})

/**
 * Returns the folder of a program outside the system folders, with the libraries next to it; only the program itself if DATA_DIR is in that
 * folder.
 */
function homeOf(program: string): string[] {
  if (!program.startsWith('/')) return []
  const path = realpathSync(program)
  const folder = basename(dirname(path)) === 'bin' ? dirname(dirname(path)) : dirname(path)
  if (SYSTEM.some((one) => isWithin(path, one))) return []
  return [isWithin(env().DATA_DIR, folder) ? path : folder]
}

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

/** Returns why a command cannot run with this prefix. Undefined if it can. */
function refusal([program = '', ...rest]: string[]): string | undefined {
  // Without the comment the build would include every file below the project, videos included.
  const { error, status, stderr } = spawnSync(/* turbopackIgnore: true */ program, [...rest, 'true'], {
    env: environment(),
    encoding: 'utf8',
  })
  if (error) return `${program} is not installed`
  return status === 0 ? undefined : stderr.trim().split('\n')[0] || `${program} ended with ${status}`
}
