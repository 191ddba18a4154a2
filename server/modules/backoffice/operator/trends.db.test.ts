import { expect, test } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { operatorCommand } from './roles.ts'
import { installationTrends } from './trends.ts'

await testDatabase()
await stopClock('2026-11-21T09:10:00Z')

test('has every one of the last 30 days, with the sums of all accounts', async () => {
  const empty = await installationTrends(operatorCommand())
  expect(empty.map(({ at }) => at)).toEqual(
    Array.from({ length: 30 }, (_, at) => new Date(Date.UTC(2026, 9, 23 + at)).toISOString().slice(0, 10)),
  )
  const nothing = { requests: 0, clientErrors: 0, serverErrors: 0, failedTranscodes: 0, wait: null, stored: null }
  expect(empty.map(({ at: _, ...day }) => day)).toEqual(empty.map(() => nothing))

  for (const { accountId } of [await makeAccount(), await makeAccount()]) {
    const called = (day: string, status: number, requests: number) =>
      db().trafficDay.create({ data: { accountId, day: new Date(day), keyId: '', operation: 'getVideo', status, requests } })
    await called('2026-11-21', 200, 100)
    await called('2026-11-21', 404, 20)
    await called('2026-11-21', 503, 3)
    await called('2026-10-23', 200, 7)
    await called('2026-10-22', 200, 1_000)
    await db().accountStoredDay.create({
      data: {
        ...{ accountId, day: new Date('2026-11-20'), originalBytes: 5_000n, otherBytes: 10n },
        renditions: [
          { codec: 'h264', rendition: '720p', bytes: 300 },
          { codec: 'audio', rendition: 'audio', bytes: 20 },
        ],
      },
    })
  }
  const owner = await makeAccount()
  for (const [step, at] of [
    ['fail', '2026-11-21T00:00:00Z'],
    ['fail', '2026-11-20T23:59:59Z'],
    ['complete', '2026-11-21T01:00:00Z'],
  ] as const)
    await db().videoLog.create({ data: { videoId: await makeVideo(owner), step, message: 'It ended.', at } })
  for (const waited of [10, 20, 60]) {
    const { mediaId } = await db().video.findUniqueOrThrow({ where: { id: await makeVideo(owner) } })
    const startedAt = new Date('2026-11-20T12:00:00Z')
    const createdAt = new Date(startedAt.getTime() - waited * 1_000)
    await db().media.update({ where: { id: mediaId as string }, data: { createdAt, startedAt, attempts: 1 } })
  }
  const days = await installationTrends(operatorCommand())
  expect(days.slice(1, 28)).toEqual(empty.slice(1, 28))
  expect(days[0]).toEqual({ ...nothing, at: '2026-10-23', requests: 14 })
  expect(days[28]).toEqual({
    ...{ ...nothing, at: '2026-11-20', failedTranscodes: 1, wait: { p50: 20, p95: 56 } },
    stored: { originals: 10_000, renditions: 640, others: 20 },
  })
  expect(days[29]).toEqual({
    ...{ ...nothing, at: '2026-11-21', requests: 246, clientErrors: 40, serverErrors: 6, failedTranscodes: 1 },
  })
})
