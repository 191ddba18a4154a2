import { get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type Attack, ask } from './target.ts'

let position: string | undefined

/** Waits for events on many connections. */
export const eventWaits: Attack = {
  name: '300 waits for events',
  workers: 300,
  async once(target, _at, signal) {
    if (position === undefined) {
      const { status, body } = await ask(target, '/v1/event', {}, signal)
      if (status !== 200) return status
      position = (JSON.parse(body) as { pagination: { position: string } }).pagination.position
    }
    return (await ask(target, `/v1/event?wait=25&cursor=${position}`, {}, signal)).status
  },
}

const EXPORT = '/api/audit/csv'

/** Exports the audit log as often as it can. */
export const auditExports: Attack = {
  name: '30 exports of the audit log',
  workers: 30,
  once: async (target, _at, signal) => (await ask(target, EXPORT, {}, signal)).status,
}

/** Bytes of each step of a slow reader. */
const STEP_BYTES = 4_096
const STEP_MS = 250

/** Exports the audit log and reads it so slowly that whatever the service has ready stays in its memory. */
export const slowExports: Attack = {
  name: '75 slow readers of the audit log',
  workers: 75,
  once: ({ base, cookie }, _at, signal) =>
    new Promise((resolve) => {
      const headers = { cookie, origin: base, 'x-forwarded-for': '198.51.100.9' }
      const sent = get(base + EXPORT, { agent: false, signal, headers }, async (response) => {
        response.on('error', () => {})
        response.pause()
        while (!signal.aborted && !response.readableEnded && !response.destroyed) {
          response.read(STEP_BYTES)
          await wait(STEP_MS)
        }
        resolve(response.statusCode ?? 0)
      })
      sent.on('error', () => resolve(0))
    }),
}
