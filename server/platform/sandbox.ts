import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { env } from './config.ts'
import { environment } from './ffmpeg-programs.ts'
import { processWide } from './process-wide.ts'

/** The files that a program may reach: what it reads, and folders it writes to. Absolute; all must exist. */
export interface Reach {
  reads: readonly string[]
  writes: readonly string[]
}

/** What of the system programs need to start: libraries and their links. Nothing of it is ours. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/etc/alternatives', '/etc/ld.so.cache', '/nix/store']

/**
 * Makes an empty file system in memory, binds into it what the arguments name (`r` read-only, `w` to be written, `d` a device), makes it the
 * root, lets go of the old one, and becomes the command after `--`. Runs as root of a user namespace, with which the bindings end. Ends with
 * 126 where it cannot: that says nothing about the file.
 */
const SCRIPT = `set -eu
trap 'exit 126' EXIT
root=$1; shift
mount -t tmpfs -o size=256k,mode=755 tmpfs "$root"
while [ "$1" != -- ]; do
  if [ -d "$2" ]; then mkdir -p "$root$2"; elif [ ! -e "$root$2" ]; then mkdir -p "$root$(dirname "$2")"; : > "$root$2"; fi
  mount --rbind "$2" "$root$2"
  case $1 in
    r) mount -o remount,bind,ro,nosuid,nodev "$root$2" ;;
    w) mount -o remount,bind,nosuid,nodev,noexec "$root$2" ;;
  esac
  shift 2
done
shift
mkdir "$root/.old" "$root/proc"
mount --rbind /proc "$root/proc"
cd "$root"
pivot_root . .old
umount -l /.old
umount -l /proc
rmdir /.old /proc
mount -o remount,bind,ro /
trap - EXIT
exec "$@"`

/** Where the new root is mounted: any folder that every system has and none of the paths is in. Only this process's view of it changes. */
const ROOTS = ['/mnt', '/media', '/srv', '/sys']

/** Of each thread. The usual 8 MB, of which next to nothing is used, would count as memory, a hundred times and more. */
const STACK_KB = 2_048

/** Inside, as a change of user would undo it; without it a killed worker leaves its ffmpeg running. */
const LEASH = ['setpriv', '--pdeathsig', 'KILL']
/** The same for the root of a user namespace, who gives up the rights that bound the files. */
const LET_GO = [...LEASH, '--no-new-privs', '--bounding-set', '-all', '--inh-caps', '-all']

/**
 * The words before a command that confine it: no network unless `online`, no file but those of `reach`, no rights beyond them, an end
 * together with ours even when we are killed, bounded memory. Leaves out what this system forbids (`missingProtection`).
 */
export function confined(program: string, { online, reach }: { online: boolean; reach: Reach | undefined }): string[] {
  const { files, network, leash, bounds } = abilities()
  const folder = files && reach && rootFor(reach)
  if (folder && reach) return [...fileWords({ program, online, reach, folder }), ...LET_GO, ...bounds]
  return [...(online ? network.online : network.offline), ...leash, ...bounds]
}

/** What confines no program here, in words for the operator; empty where everything does. */
export function missingProtection(): string[] {
  const { files, network, leash, bounds } = abilities()
  return [
    ...(files ? [] : ['access to files is not confined']),
    ...(network.offline.length > 0 ? [] : ['the network is not cut off']),
    ...(leash.length > 0 ? [] : ['a killed worker leaves its ffmpeg running']),
    ...(bounds.length > 0 ? [] : ['memory is not bounded']),
  ]
}

interface Abilities {
  files: boolean
  network: { online: string[]; offline: string[] }
  leash: string[]
  bounds: string[]
}

/** What of util-linux works on this system, tried once. */
const abilities = (): Abilities =>
  processWide('cage', () => {
    const kilobytes = env().TRANSCODE_MEMORY_MB * 1024
    const user = ['unshare', '--user', '--map-user=65534', '--map-group=65534']
    const nothing = { reads: [], writes: [] }
    const folder = rootFor(nothing)
    return {
      files: folder !== undefined && runs([...fileWords({ program: 'true', online: false, reach: nothing, folder }), ...LET_GO]),
      network: {
        online: first([user]),
        offline: first([
          [...user, '--net'],
          ['unshare', '--net'],
        ]),
      },
      leash: first([[...LEASH, '--no-new-privs'], LEASH]),
      bounds: first([
        ['prlimit', `--as=${kilobytes * 1024}`, `--stack=${STACK_KB * 1024}`, '--core=0'],
        ['sh', '-c', `ulimit -v ${kilobytes} && ulimit -s ${STACK_KB} && ulimit -c 0 && exec "$0" "$@"`],
      ]),
    }
  })

const rootFor = ({ reads, writes }: Reach) =>
  ROOTS.find((root) => existsSync(root) && ![...reads, ...writes].some((path) => isWithin(path, root)))

function fileWords({ program, online, reach, folder }: { program: string; online: boolean; reach: Reach; folder: string }): string[] {
  const bindings = [
    ...[...SYSTEM.filter((path) => existsSync(path)), ...homeOf(program), ...env().FFMPEG_READS, ...reach.reads].flatMap((path) => [
      'r',
      path,
    ]),
    ...reach.writes.flatMap((path) => ['w', path]),
    ...['/dev/null', '/dev/urandom'].flatMap((path) => ['d', path]),
  ]
  const namespaces = ['unshare', '--user', '--map-root-user', '--mount', ...(online ? [] : ['--net'])]
  return [...namespaces, 'sh', '-c', SCRIPT, 'sh', folder, ...bindings, '--']
}

/** The folder of a program that is not the system's own, with the libraries next to it; the program alone where our data is in that folder. */
function homeOf(program: string): string[] {
  if (!program.startsWith('/')) return []
  const path = realpathSync(program)
  const folder = basename(dirname(path)) === 'bin' ? dirname(dirname(path)) : dirname(path)
  if (SYSTEM.some((one) => isWithin(path, one))) return []
  return [isWithin(env().DATA_DIR, folder) ? path : folder]
}

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

const first = (candidates: string[][]): string[] => candidates.find(runs) ?? []

/** Whether a command can be run with these words before it. */
function runs([program = '', ...rest]: string[]): boolean {
  // The build would take every file below the project for what this may run, films included.
  return spawnSync(/* turbopackIgnore: true */ program, [...rest, 'true'], { env: environment() }).status === 0
}
