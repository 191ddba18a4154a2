import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { HUGE_PAGE_SETTINGS, hugePages } from './allocator.ts'
import { env } from './config.ts'
import { services } from './container.ts'
import { encodeCores } from './encode-cores.ts'
import { environment } from './ffmpeg-programs.ts'
import { rootCommands } from './sandbox-root.ts'
import { IDLE_CLASS } from './time-slice.ts'

/** The files that a program may reach: what it reads, folders it writes to, and devices. Absolute; all must exist. */
export interface SandboxAccess {
  reads: readonly string[]
  writes: readonly string[]
  devices?: readonly string[]
}

/** System paths that programs need to start: libraries and their links. None holds data of this service. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/etc/alternatives', '/etc/ld.so.cache', '/nix/store']

/**
 * Mount points of the new root: any folder that every system has and that holds none of the paths. Only this process's view of it changes.
 */
const ROOTS = ['/mnt', '/media', '/srv', '/sys']

/** Stack of each thread. The usual 8 MB, of which next to nothing is used, would count as memory, a hundred times and more. */
const STACK_KB = 2_048

/** Set inside the namespace, as a change of user would undo it; without it ffmpeg keeps running after its worker is killed. */
const DIE_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL']
/** The same for the root of a user namespace, which also drops the rights that could lift the file restrictions. */
const DROP_RIGHTS = [...DIE_WITH_PARENT, '--no-new-privs', '--bounding-set', '-all', '--inh-caps', '-all']
/** Executes the command only while this process is its parent: one that was killed before `setpriv` ran sends no signal. */
const whileParentLives = () => ['sh', '-c', '[ "$PPID" = "$0" ] && exec "$@"', String(process.pid)]

interface Confinement {
  online: boolean
  /** Whether it takes the processor only where no other program needs it. */
  background?: boolean
  /** Address space that it may take. */
  megabytes?: number
  reach: SandboxAccess | undefined
}

/**
 * Returns the command prefix that confines a command: no network unless `online`, no files except `reach`, no further rights, an end
 * together with this process even when it is killed, bounded memory, disk access after all other programs, and in the `background` the
 * processor too, without the core that is left to requests. Omits what this system forbids (`missingProtection`).
 */
export function sandboxPrefix(
  program: string,
  { online, background = false, megabytes = env().TRANSCODE_MEMORY_MB, reach }: Confinement,
): string[] {
  const { files, network, leash, boundsOf, lowIo, idle, showsHugePages } = abilities()
  const bounds = boundsOf?.(megabytes) ?? []
  const cores = background ? encodeCores().command() : []
  const low = [...cores, ...(background && env().TRANSCODE_PRIORITY === 'idle' ? idle : []), ...lowIo]
  const folder = files && reach && rootFor(reach)
  if (folder && reach) {
    const access = background && showsHugePages && folder !== '/sys' ? withHugePages(reach) : reach
    const root = fileArguments({ makeRoot: files, program, online, reach: access, folder })
    return [...low, ...root, ...DROP_RIGHTS, ...whileParentLives(), ...bounds]
  }
  return [...low, ...(online ? network.online : network.offline), ...leash, ...bounds]
}

const withHugePages = (reach: SandboxAccess): SandboxAccess => ({ ...reach, reads: [...HUGE_PAGE_SETTINGS, ...reach.reads] })

/** Returns the environment of programs that process pictures or sound in the background. Short ones gain nothing by huge pages. */
export const backgroundEnvironment = () => ({ ...environment(), ...(abilities().showsHugePages && hugePages()) })

/** Returns the command prefix with which a program ends when this process is killed; empty where the system has none. Reads no settings. */
export const parentDeathPrefix = (): string[] =>
  first([[...DIE_WITH_PARENT, '--no-new-privs'], DIE_WITH_PARENT].map((prefix) => [...prefix, ...whileParentLives()]))

/** Returns the confinements that are missing on this system, in words for the operator; empty where none are. */
export function missingProtection(): string[] {
  const { files, network, leash, boundsOf } = abilities()
  return [
    ...(files ? [] : ['file access is not restricted']),
    ...(network.offline.length > 0 ? [] : ['network access is not blocked']),
    ...(leash.length > 0 ? [] : ['ffmpeg keeps running after its worker is killed']),
    ...(boundsOf ? [] : ['memory is not limited']),
  ]
}

interface Abilities {
  /** The command that makes a new root; undefined where the system permits none. */
  files: string[] | undefined
  network: { online: string[]; offline: string[] }
  leash: string[]
  /** Undefined where the system has no way to bound memory. */
  boundsOf: ((megabytes: number) => string[]) | undefined
  lowIo: string[]
  /** Empty where the system has no class of processes that every other one interrupts at once. */
  idle: string[]
  /** Whether programs in the background can see the settings of huge pages. */
  showsHugePages: boolean
}

declare module './container.ts' {
  interface Services {
    sandboxAbilities: Abilities
  }
}

const abilities = () => services().sandboxAbilities

/** Detects which features of util-linux work on this system. */
export function detectAbilities(): Abilities {
  const user = ['unshare', '--user', '--map-user=65534', '--map-group=65534']
  const nothing = { reads: [], writes: [] }
  const folder = rootFor(nothing)
  const canReach = (reach: SandboxAccess, makeRoot: string[]) =>
    folder !== undefined && runs([...fileArguments({ makeRoot, program: 'true', online: false, reach, folder }), ...DROP_RIGHTS])
  const files = rootCommands().find((makeRoot) => canReach(nothing, makeRoot))
  return {
    files,
    showsHugePages: HUGE_PAGE_SETTINGS.every((path) => existsSync(path)) && (!files || canReach(withHugePages(nothing), files)),
    network: {
      online: first([user]),
      offline: first([
        [...user, '--net'],
        ['unshare', '--net'],
      ]),
    },
    leash: parentDeathPrefix(),
    // Disk schedulers bound how long the idle class waits. Without ionice Linux derives the priority from the nice value.
    lowIo: first([
      ['ionice', '-c', '3'],
      ['ionice', '-c', '2', '-n', '7'],
    ]),
    idle: first(IDLE_CLASS),
    boundsOf: BOUNDS.find((boundsOf) => runs(boundsOf(env().TRANSCODE_MEMORY_MB))),
  }
}

const BOUNDS: ((megabytes: number) => string[])[] = [
  (megabytes) => ['prlimit', `--as=${megabytes * 1024 ** 2}`, `--stack=${STACK_KB * 1024}`, '--core=0'],
  (megabytes) => ['sh', '-c', `ulimit -v ${megabytes * 1024} && ulimit -s ${STACK_KB} && ulimit -c 0 && exec "$0" "$@"`],
]

const rootFor = ({ reads, writes }: SandboxAccess) =>
  ROOTS.find((root) => existsSync(root) && ![...reads, ...writes].some((path) => isWithin(path, root)))

function fileArguments({
  makeRoot,
  program,
  online,
  reach,
  folder,
}: {
  makeRoot: string[]
  program: string
  online: boolean
  reach: SandboxAccess
  folder: string
}): string[] {
  const system = SYSTEM.filter((path) => existsSync(/* turbopackIgnore: true */ path))
  const links = system.filter(leadsToSystem)
  const bindings = [
    ...[...system.filter((path) => !links.includes(path)), ...homeOf(program), ...env().FFMPEG_READS, ...reach.reads].flatMap((path) => [
      'r',
      path,
    ]),
    ...reach.writes.flatMap((path) => ['w', path]),
    ...['/dev/null', '/dev/urandom', ...(reach.devices ?? [])].flatMap((path) => ['d', path]),
  ]
  const namespaces = ['unshare', '--user', '--map-root-user', '--mount', ...(online ? [] : ['--net'])]
  return [...namespaces, ...makeRoot, folder, links.join(' '), ...bindings, '--']
}

/** Returns whether a system path is a link into another one, as /bin into /usr: the link is enough, and cheaper than a binding. */
const leadsToSystem = (path: string) =>
  lstatSync(/* turbopackIgnore: true */ path).isSymbolicLink() &&
  SYSTEM.some((other) => other !== path && isWithin(realpathSync(/* turbopackIgnore: true */ path), other))

/**
 * Returns the folder of a program outside the system's folders, with the libraries next to it; only the program where DATA_DIR is in that
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

const first = (candidates: string[][]): string[] => candidates.find(runs) ?? []

/** Returns whether a command can be run with this prefix. */
function runs([program = '', ...rest]: string[]): boolean {
  // Without the comment the build would include every file below the project, videos included.
  return spawnSync(/* turbopackIgnore: true */ program, [...rest, 'true'], { env: environment() }).status === 0
}
