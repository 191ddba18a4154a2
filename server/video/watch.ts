import { setTimeout as wait } from 'node:timers/promises'
import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import { changes } from '../infra/notify.ts'
import { processWide } from '../infra/process-wide.ts'
import { holdStream } from '../user/stream.ts'
import { DASHBOARD_COLUMNS, type DashboardVideo, dashboardVideo } from './dashboard-row.ts'

/**
 * `resync`: changes may have been missed (it is also the first event), read the lists anew.
 * `changed`: these rows are now so; ids in `gone` are no longer in the database.
 */
export type VideoEvent = { type: 'resync' } | { type: 'changed'; videos: DashboardVideo[]; gone: string[] }

/** Changes that come together are read together, so that an encoder's progress costs each watcher 4 reads a second at most. */
const GATHER_MS = 250

const ending = () => processWide('video-watches-ending', () => new AbortController())

/** Aborts when watches are to end; other rooms' watches ask it too. */
export const watchesEnding = () => ending().signal

/** Ends every watch, for a shutdown that should not wait for open pages. */
export const endWatches = () => ending().abort()

/**
 * Tells what happens to the account's videos until `signal` aborts. Errors: SERVICE_UNAVAILABLE when this process stops (a quiet end
 * would tell the page that there is nothing more to come, and it would not connect again), UNAUTHENTICATED when who watches is signed
 * out or no member any more, TOO_MANY_ATTEMPTS when the account has too many streams open.
 */
export async function* watchVideos(ctx: AccountCtx, signal: AbortSignal): AsyncGenerator<VideoEvent> {
  const hold = holdStream(ctx)
  const end = AbortSignal.any([signal, watchesEnding(), hold.signal])
  const touched = new Set<string>()
  let lost = true
  let wake: () => void = () => {}
  const mine = `${ctx.accountId}:`
  const stops = [
    changes().on('video', (subject) => {
      if (!subject.startsWith(mine)) return
      touched.add(subject.slice(mine.length))
      wake()
    }),
    changes().onLost(() => {
      lost = true
      wake()
    }),
  ]
  const onEnd = () => wake()
  end.addEventListener('abort', onEnd)
  try {
    while (!end.aborted) {
      if (lost && changes().live) {
        lost = false
        touched.clear()
        yield { type: 'resync' }
      } else if (!lost && touched.size > 0) {
        const ids = [...touched]
        touched.clear()
        yield await readChanged(ctx, ids)
      } else {
        // While notices are off nothing wakes us when they are back, so that is looked for once a second.
        const slept = new Promise<void>((resolve) => (wake = resolve))
        await (lost ? Promise.race([slept, wait(1_000)]) : slept)
      }
      if (!end.aborted) await wait(GATHER_MS, undefined, { signal: end }).catch(() => {})
    }
    if (!signal.aborted) throw new ServiceError(hold.signal.aborted ? 'UNAUTHENTICATED' : 'SERVICE_UNAVAILABLE')
  } finally {
    hold.release()
    end.removeEventListener('abort', onEnd)
    for (const stop of stops) stop()
  }
}

async function readChanged(ctx: AccountCtx, ids: string[]): Promise<VideoEvent> {
  const rows = await db().video.findMany({ where: { accountId: ctx.accountId, id: { in: ids } }, select: DASHBOARD_COLUMNS })
  const there = new Set(rows.map((row) => row.id))
  return { type: 'changed', videos: rows.map(dashboardVideo), gone: ids.filter((id) => !there.has(id)) }
}
