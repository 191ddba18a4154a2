import { closeAllHours } from '../../../server/modules/billing/close-hours.ts'
import { exportLedger } from '../../../server/modules/billing/export-ledger.ts'
import { TOKEN_PRICE } from '../../../server/modules/billing/price-schema.ts'
import { Verifier } from '../../../server/modules/billing/verify-ledger.ts'
import { signatureHeader } from '../../../server/modules/webhooks/delivery/signature.ts'
import { db, query } from '../../../server/platform/database/database.ts'
import { storage } from '../../../server/platform/storage/storage.ts'
import type { Received } from '../../../server/testing/services/receiver.ts'
import { sha256 } from '../../../server/testing/tus-client.ts'
import { CREDITS, type Customer, tokenClients } from './account.ts'
import type { Window } from './fault.ts'
import type { Kind, Outcome } from './outcomes.ts'
import type { TokenClient } from './token-client.ts'
import type { AcknowledgedUpload } from './uploader.ts'

const MICRO = 1_000_000n

/** A check of what the service recorded against what clients saw: a line for people, and what is wrong. */
export interface Verdict {
  line: string
  violations: string[]
}

/**
 * Checks each key's quota: every token that a client received is counted, at most the requests without a response are counted in addition,
 * no day exceeds the quota, and repeated requests with one Idempotency-Key took one unit.
 */
export async function checkQuota(customer: Customer): Promise<Verdict> {
  const violations: string[] = []
  const days = await db().keyDay.findMany({ where: { key: { accountId: customer.ctx.accountId } } })
  const counted = ({ key }: TokenClient) => days.filter(({ keyId }) => keyId === key.id).reduce((sum, { issued }) => sum + issued, 0)
  let unacknowledged = 0
  for (const client of tokenClients(customer)) {
    const { key, issued, unknown, refused, quota } = client
    const count = counted(client)
    const state = `${key.prefix}: clients received ${issued}, ${unknown} requests have no answer, the database counts ${count}`
    if (count < issued || count > issued + unknown) violations.push(`quota of ${state}`)
    if (days.some((day) => day.keyId === key.id && day.issued > quota)) violations.push(`quota ${quota} exceeded: ${state}`)
    if (refused > 0 && !days.some((day) => day.keyId === key.id && day.issued === quota))
      violations.push(`refused below the quota ${quota}: ${state}`)
    unacknowledged += count - issued
  }
  const issued = tokenClients(customer).reduce((sum, client) => sum + client.issued, 0)
  const reached = customer.limited.filter(({ refused }) => refused > 0).length
  const line = `quota: ${issued} tokens received, ${reached} quotas reached, ${unacknowledged} tokens counted whose response was lost`
  return { line, violations }
}

/** Checks that wallet, ledger and hourly charges are consistent and equal to the tokens counted. */
export async function checkLedger({ ctx }: Customer): Promise<Verdict> {
  const { accountId } = ctx
  await closeAllHours()
  const verifier = new Verifier()
  await exportLedger((record) => {
    if (record.accountId === accountId) verifier.take(record)
  })
  const { faults } = verifier.end()
  const [days, hours, wallet] = await Promise.all([
    db().keyDay.aggregate({ where: { key: { accountId } }, _sum: { issued: true } }),
    db().chargeHour.aggregate({ where: { accountId }, _sum: { tokens: true } }),
    db().wallet.findUniqueOrThrow({ where: { accountId } }),
  ])
  const [issued, charged] = [days._sum.issued ?? 0, hours._sum.tokens ?? 0]
  const spent = BigInt(CREDITS) * MICRO - wallet.balance
  const violations = faults.map(({ row, problem }) => `ledger: ${row}: ${problem}`)
  if (charged !== issued) violations.push(`ledger: ${charged} tokens charged, ${issued} counted`)
  if (spent !== BigInt(issued) * BigInt(TOKEN_PRICE)) violations.push(`ledger: the wallet paid ${spent} micro-credits for ${issued} tokens`)
  return { line: `ledger: ${charged} tokens charged; its hashes and balances have ${faults.length} faults`, violations }
}

/** A killed web process loses its last second's counters, and a write or a pause of the machine can delay them. */
const LOST_MS = 3_000

const OPERATIONS = { list: 'listVideos', video: 'getVideo', token: 'createPlaybackToken', exchange: 'getPlaybackManifest' } as const

/** Checks the counters of requests against those that clients sent; killed web processes may lose what they had not written. */
export async function checkCounters({ ctx }: Customer, outcomes: readonly Outcome[], windows: readonly Window[]): Promise<Verdict> {
  const violations: string[] = []
  const counted = await query<{ operation: string; requests: number }>(
    'soak-traffic',
    'SELECT operation, sum(requests)::int AS requests FROM traffic_day WHERE account_id = $1 AND status IN (200, 429) GROUP BY operation',
    [ctx.accountId],
  )
  const kills = windows.filter(({ fault }) => fault.losesCounters)
  let [seenInAll, lostInAll] = [0, 0]
  for (const [kind, operation] of Object.entries(OPERATIONS) as [Kind, string][]) {
    const own = outcomes.filter((one) => one.kind === kind)
    const answered = own.filter(({ status }) => status === 200 || status === 429)
    const unknown = own.length - answered.length
    const mayBeLost = answered.filter(({ endedAt }) => kills.some(({ beganAt, ranAt }) => endedAt > beganAt - LOST_MS && endedAt < ranAt))
    const count = counted.find((row) => row.operation === operation)?.requests ?? 0
    if (count < answered.length - mayBeLost.length || count > answered.length + unknown)
      violations.push(
        `counters: ${count} of ${operation}; clients saw ${answered.length}, ${unknown} without an answer, ${mayBeLost.length} may be lost`,
      )
    seenInAll += answered.length
    lostInAll += Math.max(0, answered.length - count)
  }
  return { line: `counters: ${seenInAll} responses seen, ${lostInAll} of them not counted after kills`, violations }
}

/** Checks that every acknowledged upload is COMPLETED and that its stored source has the hash of the file. */
export async function checkUploads(uploads: readonly AcknowledgedUpload[]): Promise<Verdict> {
  const violations: string[] = []
  for (const { videoId, sha256: expected } of uploads) {
    const media = await db().media.findFirst({ where: { playing: { id: videoId } } })
    if (media?.status !== 'COMPLETED') {
      violations.push(`upload ${videoId}: ${media?.status ?? 'no video'} ${media?.failureReason ?? ''}`)
      continue
    }
    const actual = await sha256(storage().read(media.sourceKey))
    if (actual !== expected) violations.push(`upload ${videoId}: its source has SHA-256 ${actual}, the file ${expected}`)
  }
  return {
    line: `uploads: ${uploads.length} acknowledged, ${uploads.length - violations.length} COMPLETED with the SHA-256 of the file`,
    violations,
  }
}

/**
 * Checks that each event that clients can expect exists once, and that every event arrived at the receiver at least once with a valid
 * signature.
 */
export async function checkEvents(customer: Customer, uploads: readonly AcknowledgedUpload[], log: readonly Received[]): Promise<Verdict> {
  const violations: string[] = []
  const events = await db().webhookEvent.findMany({
    where: { accountId: customer.ctx.accountId },
    select: { id: true, type: true, payload: true },
  })
  const data = events.map(({ type, payload }) => ({
    type,
    ...(JSON.parse(payload) as { data: { videoId?: string; keyId?: string } }).data,
  }))
  const expectOne = (type: string, subject: { videoId?: string; keyId?: string }) => {
    const found = data.filter((one) => one.type === type && one.videoId === subject.videoId && one.keyId === subject.keyId).length
    if (found !== 1) violations.push(`event ${type} of ${subject.videoId ?? subject.keyId} exists ${found} times`)
  }
  for (const { videoId } of uploads) expectOne('video.processing.completed', { videoId })
  for (const { key, refused } of customer.limited) if (refused > 0) expectOne('playback.token.exhausted', { keyId: key.id })

  const received = Map.groupBy(log, ({ eventId }) => eventId)
  for (const { id, type, payload } of events) {
    const [first] = received.get(id) ?? []
    if (!first) violations.push(`event ${id} (${type}) was not delivered`)
    else if (first.body !== payload) violations.push(`event ${id} (${type}) was delivered with another body`)
  }
  for (const { eventId, headers, body } of log) {
    const given = String(headers['x-service-signature'])
    const at = Number(/^t=(\d+)/.exec(given)?.[1])
    if (given !== signatureHeader([customer.webhookSecret], at, body)) violations.push(`event ${eventId} has a wrong signature`)
  }
  return {
    line: `events: ${events.length} emitted, ${received.size} delivered, ${log.length - received.size} deliveries repeated`,
    violations,
  }
}
