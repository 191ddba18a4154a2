import { setTimeout as sleep } from 'node:timers/promises'
import { ERRORS, type Lock, type Locker, type RequestRelease } from '@tus/server'
import { services } from '../../../platform/container.ts'
import { query } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { leases, newLease, releaseLease, takeLease } from '../../../platform/leases.ts'
import { log } from '../../../platform/observe/log.ts'

/** An upload in the object store. The lease is in its row. */
const KIND = { table: 'multipart_upload', rows: 'id = $1' }
/** How long a request waits for the previous one. */
const WAIT_MS = 30_000
/** Time between a waiting request's attempts. */
const POLL_MS = 200

declare module '../../../platform/container.ts' {
  interface Services {
    uploadLeases: UploadLeases
  }
}

export const uploadLeases = () => services().uploadLeases

/**
 * Leases on uploads in the object store, one request at a time across all processes. Every write includes a lease (multipart-rows.ts), so a
 * request that lost it changes nothing.
 */
export class UploadLeases implements Locker {
  private readonly held = new Map<string, UploadLease>()

  constructor() {
    notifications().on('upload-wanted', (id) => void this.held.get(id)?.requestRelease())
  }

  newLock(id: string): UploadLease {
    return new UploadLease(id, this.held)
  }

  /** Returns this process's lease on an upload. Throws if it holds none. */
  leaseOf(id: string): string {
    const held = this.held.get(id)
    if (!held) throw new Error('The upload is not leased.')
    return held.lease
  }
}

class UploadLease implements Lock {
  readonly lease = newLease()
  requestRelease: RequestRelease = () => {}
  private readonly id: string
  private readonly held: Map<string, UploadLease>
  private drop: () => void = () => {}

  constructor(id: string, held: Map<string, UploadLease>) {
    this.id = id
    this.held = held
  }

  /**
   * Takes the lease, waiting for its holder, which is asked to stop. An upload without a row is being created and has no other request.
   * Errors: ERR_LOCK_TIMEOUT after 30 s, and if `signal` aborts.
   */
  async lock(signal: AbortSignal, requestRelease: RequestRelease): Promise<void> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
    let taken = await takeLease(KIND, this.lease, [this.id])
    while (taken === 'held') {
      await query('want-upload', "SELECT pg_notify('reelgate', 'upload-wanted:' || $1)", [this.id])
      if (end.aborted) throw ERRORS.ERR_LOCK_TIMEOUT
      await sleep(POLL_MS, undefined, { signal: end }).catch(() => {})
      taken = await takeLease(KIND, this.lease, [this.id])
    }
    this.requestRelease = requestRelease
    this.held.set(this.id, this)
    // An upload being created has no row at first.
    const onLost = taken === 'absent' ? undefined : () => void requestRelease()
    this.drop = leases().keep(KIND, this.lease, { onLost })
  }

  /** Releases the lease. Without the database, it ends when it is no longer renewed. */
  async unlock(): Promise<void> {
    this.drop()
    if (this.held.get(this.id) === this) this.held.delete(this.id)
    try {
      await releaseLease(KIND, this.lease)
    } catch (error) {
      log().warn({ err: error, upload: this.id }, 'could not release the lease of an upload')
    }
  }
}
