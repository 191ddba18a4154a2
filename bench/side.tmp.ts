// usage: node measure-hooks.ts  (cwd = tree); prints CPU µs per delivery of node and of postgres, and the rate
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
const root = process.cwd()
const load = (p: string) => import(`${root}/${p}`)
const { Dispatcher } = await load('server/modules/webhooks/dispatcher.ts')
const { EVENTS } = await load('server/events.ts')
const { provide } = await load('server/platform/config.ts')
const { db, pool } = await load('server/platform/database.ts')
const { notifications } = await load('server/platform/notifications.ts')
const { makeAccount } = await load('server/testing/make.ts')
const { makeEndpoint } = await load('server/testing/make-endpoint.ts')
const { startChild } = await load('bench/child.ts')
const { withDatabase } = await load('bench/database.ts')
const TABLE = readFileSync(`${root}/prisma/schema.prisma`, 'utf8').includes('webhook_queue') ? 'webhook_queue' : 'webhook_due'
const N = Number(process.env.N ?? 12000)
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const HZ = 100
function pgCpu(): number {
  // all postgres processes that are children of this process's postmaster
  let sum = 0
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const f = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (!stat.includes('(postgres')) continue
      let cmd = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const cwd = cwdOf(pid)
      if (!cwd.startsWith(root)) continue
      sum += Number(f[11]) + Number(f[12])
    } catch {}
  }
  return (sum / HZ) * 1e6
}
import { readlinkSync } from 'node:fs'
const cwdOf = (pid: string) => { try { return readlinkSync(`/proc/${pid}/cwd`) } catch { return '' } }
await withDatabase(async () => {
  provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
  await notifications().start()
  const ctx = await makeAccount()
  const { id, secret } = await makeEndpoint(ctx, 'https://hooks.example.com')
  const receiver = await startChild('receiver', { secret })
  await db().webhookEndpoint.update({ where: { id }, data: { url: `${receiver.url}/hooks` } })
  const data = JSON.stringify(EVENTS['video.processing.completed'].sample)
  const once = async () => {
    for (let left = N; left > 0; left -= 4000)
      await pool().query(
        `WITH events AS (INSERT INTO webhook_event (id, account_id, type, created_at, payload)
         SELECT made.id, $1, 'video.processing.completed', now(), '{"eventId":"' || made.id || '","eventType":"video.processing.completed","createdAt":"2026-11-21T09:00:00.000Z","data":' || $2::text || '}'
         FROM (SELECT new_event_id() AS id FROM generate_series(1, $3::int)) AS made RETURNING id),
       made AS (INSERT INTO webhook_delivery (account_id, endpoint_id, event_id) SELECT $1, $4, id FROM events RETURNING id, event_id)
       INSERT INTO ${TABLE} (delivery_id, account_id, endpoint_id, event_id, due_at) SELECT id, $1, $4, event_id, now() FROM made`,
        [ctx.accountId, data, Math.min(left, 4000), id])
    await pool().query(`ANALYZE webhook_event, webhook_delivery, ${TABLE}`)
    await pool().query('SELECT 1')
    await wait(1000)
    const done = async () => Number((await pool().query('SELECT (CASE WHEN is_called THEN last_value ELSE 0 END)::float8 AS n FROM webhook_attempt_id_seq')).rows[0].n)
    const before = await done()
    const d = new Dispatcher({ perEndpoint: 50 })
    const c0 = process.cpuUsage(), p0 = pgCpu(), t0 = performance.now()
    d.start()
    for (;;) { await wait(100); if ((await done()) >= before + N) break }
    const t1 = performance.now(), c = process.cpuUsage(c0), p1 = pgCpu()
    await d.stop()
    const r = { node: (c.user + c.system) / N, pg: (p1 - p0) / N, rate: N / ((t1 - t0) / 1000) }
    return r
  }
  await once()
  process.send!('ready')
  await new Promise<void>((stop) => process.on('message', (m) => m === 'stop' ? stop() : void once().then((r) => process.send!(r))))
  await notifications().stop()
  await receiver.stop()
})
process.exit(0)
