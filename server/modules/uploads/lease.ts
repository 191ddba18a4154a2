import { setTimeout as sleep } from 'node:timers/promises'
import { ERRORS, type Lock, type Locker, type RequestRelease } from '@tus/server'
import { services } from '../../platform/container.ts'
import { newId } from '../../platform/crypto.ts'
import { query } from '../../platform/database.ts'
import { log } from '../../platform/log.ts'

/** Seconds without a renewal after which another request may write: a killed process blocks an upload for no longer. */
const LEASE_SEC = 6
const RENEW_MS = 2_000
/** How long a request waits for the one before it. */
const WAIT_MS = 30_000
/** Time between attempts of a waiting request. */
const POLL_MS = 200

declare module '../../platform/container.ts' {
  interface Services {
    uploadLeases: UploadLeases
  }
}

export const uploadLeases = () => services().uploadLeases

/**
 * Leases on uploads in the object store, one request at a time over all processes. A lease is in the upload's row and taken by one
 * statement, so that it works through any pooler. Its holder's token is part of every write (multipart-rows.ts): a request that lost its
 * lease, because its process was suspended or cut off from the database, changes nothing.
 */
export class UploadLeases implements Locker {
  private readonly held = new Map<string, UploadLease>()

  newLock(id: string): UploadLease {
    return new UploadLease(id, this.held)
  }

  /** Returns the token of the lease that this process holds on an upload. Throws when it holds none. */
  tokenOf(id: string): string {
    const lease = this.held.get(id)
    if (!lease) throw new Error('The upload is not leased.')
    return lease.token
  }
}

class UploadLease implements Lock {
  readonly token = newId('lse')
  private readonly id: string
  private readonly held: Map<string, UploadLease>
  private readonly released = new AbortController()
  private requestRelease: RequestRelease = () => {}
  private isCreating = false

  constructor(id: string, held: Map<string, UploadLease>) {
    this.id = id
    this.held = held
  }

  /**
   * Takes the lease; waits for its holder, which is asked to stop. An upload without a row is being created and has no other request.
   * Errors: ERR_LOCK_TIMEOUT after 30 s, and when `signal` aborts.
   */
  async lock(signal: AbortSignal, requestRelease: RequestRelease): Promise<void> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
    while (!(await this.take())) {
      await this.held.get(this.id)?.requestRelease()
      if (end.aborted) throw ERRORS.ERR_LOCK_TIMEOUT
      await sleep(POLL_MS, undefined, { signal: end }).catch(() => {})
    }
    this.requestRelease = requestRelease
    this.held.set(this.id, this)
    void this.renew()
  }

  /** Releases the lease. Without the database it ends after LEASE_SEC. */
  async unlock(): Promise<void> {
    this.released.abort()
    if (this.held.get(this.id) === this) this.held.delete(this.id)
    try {
      await query('release-upload', RELEASE, [this.id, this.token])
    } catch (error) {
      log().warn({ err: error, upload: this.id }, 'the lease of an upload could not be released')
    }
  }

  private async take(): Promise<boolean> {
    const [row] = await query<{ mine: boolean }>('take-upload', TAKE, [this.id, this.token, LEASE_SEC])
    this.isCreating = row === undefined
    return row?.mine ?? true
  }

  /** Extends the lease until it is released; asks the request to stop when another one waits, or when the lease is lost. */
  private async renew(): Promise<void> {
    const { signal } = this.released
    for (;;) {
      await sleep(RENEW_MS, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      try {
        const [row] = await query<{ wanted: boolean }>('renew-upload', RENEW, [this.id, this.token, LEASE_SEC])
        if (row?.wanted ?? !this.isCreating) await this.requestRelease()
      } catch (error) {
        log().warn({ err: error, upload: this.id }, 'the lease of an upload could not be renewed')
      }
    }
  }
}

const IS_HELD = 'held_until IS NOT NULL AND held_until > service_now()'
const TAKE = `
  UPDATE multipart_upload SET is_wanted = ${IS_HELD}, holder = CASE WHEN ${IS_HELD} THEN holder ELSE $2 END,
    held_until = CASE WHEN ${IS_HELD} THEN held_until ELSE service_now() + make_interval(secs => $3) END
  WHERE id = $1 RETURNING holder = $2 AS mine`
// Clears the holder: a renewal that arrives after it changes nothing.
const RELEASE = `UPDATE multipart_upload SET holder = '', held_until = NULL WHERE id = $1 AND holder = $2`
const RENEW = `
  UPDATE multipart_upload SET held_until = service_now() + make_interval(secs => $3)
  WHERE id = $1 AND holder = $2 RETURNING is_wanted AS wanted`
