import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '../../../platform/config/config.ts'
import { query } from '../../../platform/database/database.ts'
import { ffmpegProgram, ffprobeProgram, scorerProgram } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { missingProtection } from '../../../platform/ffmpeg/sandbox.ts'
import { lowestFreeBytes } from '../../../platform/files/disk-space.ts'
import { log } from '../../../platform/observe/log.ts'
import { chosenEncoder } from '../plan/encoder-choice.ts'

/** An attempt at a task, or a repair. */
interface WorkFolderOwner {
  mediaId: string
  kind: string
  position: number
  leaseId: string
}

const root = () => join(env().DATA_DIR, 'work')

/** Creates an empty folder for one attempt and removes those of earlier attempts at the task on this machine. */
export async function makeWorkFolder({ mediaId, kind, position, leaseId }: WorkFolderOwner): Promise<string> {
  const task = `${mediaId}.${kind}-${position}.`
  await mkdir(/* turbopackIgnore: true */ root(), { recursive: true })
  await removeFolders(task)
  const folder = join(root(), `${task}${leaseId}`)
  await mkdir(/* turbopackIgnore: true */ folder)
  return folder
}

/**
 * Creates an empty folder for work that is not a task attempt. `kind` starts its name. With `only`, the name of work that runs once at a
 * time, removes the folders that killed workers on this machine left for it.
 */
export async function makeTemporaryFolder(kind: string, only?: string): Promise<string> {
  await mkdir(/* turbopackIgnore: true */ root(), { recursive: true })
  if (only === undefined) return mkdtemp(/* turbopackIgnore: true */ join(root(), `${kind}.`))
  await removeFolders(`${kind}.${only}.`)
  return mkdtemp(/* turbopackIgnore: true */ join(root(), `${kind}.${only}.`))
}

async function removeFolders(beginning: string): Promise<void> {
  for (const name of await readdir(/* turbopackIgnore: true */ root()))
    if (name.startsWith(beginning)) await rm(/* turbopackIgnore: true */ join(root(), name), { recursive: true, force: true })
}

/** Removes an attempt's folder. A disk that fails to do so must not hide how the attempt ended; `sweepWorkFolders` tries again. */
export async function removeWorkFolder(folder: string | undefined): Promise<void> {
  if (!folder) return
  await rm(/* turbopackIgnore: true */ folder, { recursive: true, force: true }).catch((error: Error) =>
    log().warn({ err: error.message, folder }, 'could not remove a work folder'),
  )
}

/** Writes a small file to the disk of the work folders and removes it. Throws the system's error if that fails. */
export async function checkWritable(): Promise<void> {
  const path = join(root(), `.check-${randomUUID()}`)
  await mkdir(/* turbopackIgnore: true */ root(), { recursive: true })
  try {
    const file = await open(/* turbopackIgnore: true */ path, 'wx')
    try {
      await file.writeFile(Buffer.alloc(4_096, 1))
      await file.datasync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(/* turbopackIgnore: true */ path, { force: true })
  }
}

/** Upper bound of an attempt, which lasts at most a day (server/jobs.ts). */
const LONGEST_ATTEMPT_MS = 25 * 3_600_000

/** Removes folders that killed workers left on this machine: attempts whose lease ended, and other work older than any work lasts. */
export async function sweepWorkFolders(): Promise<void> {
  const names = await readdir(/* turbopackIgnore: true */ root()).catch(() => [])
  const leases = names.flatMap((name) => LEASE_OF_FOLDER.exec(name)?.[1] ?? [])
  const held = leases.length > 0 ? await query<{ leaseId: string }>('held-leases', HELD, [leases]) : []
  for (const name of names) {
    const folder = join(root(), name)
    const lease = LEASE_OF_FOLDER.exec(name)?.[1]
    if (lease ? !held.some(({ leaseId }) => leaseId === lease) : await isOld(folder))
      await rm(/* turbopackIgnore: true */ folder, { recursive: true, force: true })
  }
}

/** The lease in the name of an attempt's folder. Repairs are not tasks. */
const LEASE_OF_FOLDER = /\.(?!repair-)[a-z]+-\d+\.([0-9a-f-]{36})$/

/**
 * A folder is created after its lease, so one without a lease here is left over. An overdue lease counts: its worker may only have lost the
 * database for a while.
 */
const HELD = 'SELECT lease_id::text AS "leaseId" FROM transcode_task WHERE lease_id = ANY ($1::uuid[]) AND leased_until IS NOT NULL'

async function isOld(folder: string): Promise<boolean> {
  const found = await stat(/* turbopackIgnore: true */ folder).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > LONGEST_ATTEMPT_MS
}

/** Looks for programs, encoders and confinement, which each process does once, so that the first video does not wait for that. */
export async function prepareTranscoding(): Promise<void> {
  ffmpegProgram()
  ffprobeProgram()
  scorerProgram()
  missingProtection()
  await chosenEncoder()
}

const CHECK_MS = 1_000

/**
 * Aborts an attempt through `signal` when half of the reserve is used, because the rest is for the database. The reason is an ENOSPC error.
 */
export class SpaceGuard {
  private readonly aborter = new AbortController()
  private readonly least = env().STORAGE_RESERVE_BYTES / 2
  private readonly timer = setInterval(() => void this.check(), CHECK_MS)

  get signal(): AbortSignal {
    return this.aborter.signal
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private async check(): Promise<void> {
    // A volume that cannot be read does not count as full: the attempt will run into the fault itself.
    const free = await lowestFreeBytes().catch(() => Number.POSITIVE_INFINITY)
    if (free < this.least) this.aborter.abort(Object.assign(new Error('less free space than STORAGE_RESERVE_BYTES'), { code: 'ENOSPC' }))
  }
}
