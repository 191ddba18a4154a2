import { ERRORS, type Lock, type Locker, type RequestRelease } from '@tus/server'

/** How long a request waits for the previous one. */
const WAIT_MS = 30_000

/** A request that holds an upload, or waits for it. */
interface Turn {
  requestRelease: RequestRelease
  begin(): void
}

/**
 * Locks on uploads in this machine's folder: one request at a time, in order of arrival. A waiting request sleeps; tus's own MemoryLocker
 * asks again in every turn of the event loop, which keeps a core busy until the previous request ends.
 */
export class FolderLocker implements Locker {
  /** By upload. The first one holds it. */
  private readonly turns = new Map<string, Turn[]>()

  newLock(id: string): Lock {
    return new FolderLock(id, this.turns)
  }
}

class FolderLock implements Lock {
  private readonly id: string
  private readonly turns: Map<string, Turn[]>
  private own: Turn | undefined

  constructor(id: string, turns: Map<string, Turn[]>) {
    this.id = id
    this.turns = turns
  }

  /** Takes the lock, waiting for its holder, which is asked to stop. Errors: ERR_LOCK_TIMEOUT after 30 s, and if `signal` aborts. */
  async lock(signal: AbortSignal, requestRelease: RequestRelease): Promise<void> {
    const waiting = this.turns.get(this.id) ?? []
    this.turns.set(this.id, waiting)
    const begun = Promise.withResolvers<void>()
    const own = { requestRelease, begin: begun.resolve }
    waiting.push(own)
    this.own = own
    if (waiting[0] === own) return
    const end = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
    const refuse = () => begun.reject(ERRORS.ERR_LOCK_TIMEOUT)
    end.addEventListener('abort', refuse)
    if (end.aborted) refuse()
    void waiting[0]?.requestRelease()
    await begun.promise
      .finally(() => end.removeEventListener('abort', refuse))
      .catch(async (error) => {
        await this.unlock()
        throw error
      })
  }

  /** Gives the lock to the next request, which is asked to stop at once if another one waits for it. */
  async unlock(): Promise<void> {
    const waiting = this.turns.get(this.id) ?? []
    const at = this.own ? waiting.indexOf(this.own) : -1
    this.own = undefined
    if (at < 0) return
    waiting.splice(at, 1)
    if (waiting.length === 0) this.turns.delete(this.id)
    if (at > 0) return
    const [next, another] = waiting
    next?.begin()
    if (another) void next?.requestRelease()
  }
}
