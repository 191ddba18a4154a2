import { billingChecks } from './checks/billing.mjs'
import { deliveryChecks } from './checks/delivery.mjs'
import { descriptionChecks } from './checks/description.mjs'
import { fixtureChecks } from './checks/fixtures.mjs'
import { keyChecks } from './checks/keys.mjs'
import { manifestChecks } from './checks/manifest.mjs'
import { surfaceChecks } from './checks/surface.mjs'
import { tokenChecks } from './checks/tokens.mjs'
import { videoChecks } from './checks/videos.mjs'
import { viewerChecks } from './checks/viewers.mjs'
import { wholeRunChecks } from './checks/whole-run.mjs'
import { writeChecks } from './checks/writes.mjs'
import { Seen } from './expect.mjs'
import { makeClient } from './http.mjs'
import { makeOwn } from './own-video.mjs'

const CHECKS = [
  ...surfaceChecks,
  ...keyChecks,
  ...videoChecks,
  ...tokenChecks,
  ...manifestChecks,
  ...billingChecks,
  ...deliveryChecks,
  ...fixtureChecks,
  ...viewerChecks,
  ...descriptionChecks,
  ...writeChecks,
  ...wholeRunChecks,
]

/** What the caller must supply for each need, for the line that explains a skipped check. */
const NEEDS = {
  key: 'a key with video:read (--key)',
  liveKey: 'a live key with video:read (--key)',
  bareKey: 'a key without video:read (--key-without-scope)',
  testKey: 'a test key with video:read (--test-key)',
  billingKey: 'a key with billing:read (--billing-key)',
  writeKey: 'a run --with writes, and a key with video:read and video:write (--write-key)',
  viewerKey: 'a key with video:read, viewer:read and viewer:write (--viewer-key)',
  noViewerKey: 'a key without viewer:read (--key without that scope)',
  noBillingKey: 'a key without billing:read (--key without that scope)',
  videos: 'a video in the account',
  video: 'a COMPLETED video in the account (--video selects one)',
  delivery: 'a run without --skip delivery',
  docs: 'a run without --skip docs',
}

/**
 * Tests the contract against a deployment. `inputs`: `{baseUrl, key, bareKey, testKey, billingKey, writeKey, viewerKey, video, foreignVideo,
 * skip, with, only}`.
 * Returns the report; `conforms` is false on any drift.
 */
export async function runConformance(inputs) {
  const began = Date.now()
  const client = makeClient(inputs.baseUrl)
  let own
  try {
    const ctx = await prepare(client, inputs)
    own = ctx.own
    const checks = []
    for (const check of CHECKS) {
      if (inputs.only && !check.id.startsWith(inputs.only)) continue
      if (check.id.startsWith('writes.') && !inputs.with?.includes('writes')) continue
      checks.push(await perform(check, ctx))
    }
    const count = (outcome) => checks.filter((check) => check.outcome === outcome).length
    const summary = { passed: count('passed'), drifted: count('drifted'), skipped: count('skipped'), requests: client.exchanges.length }
    const conforms = summary.drifted === 0 && summary.passed > 0
    return {
      kit: 1,
      contract: 'v1',
      baseUrl: inputs.baseUrl,
      startedAt: new Date(began).toISOString(),
      ms: Date.now() - began,
      conforms,
      summary,
      checks,
    }
  } finally {
    await own?.remove()
    client.close()
  }
}

async function prepare(client, { baseUrl, key, bareKey, testKey, billingKey, writeKey, viewerKey, video: named, foreignVideo, skip = [] }) {
  const { json } = key ? await client.request('/v1/video', { key }) : {}
  const videos = Array.isArray(json?.data) ? json.data : []
  const video = named ? videos.find(({ id }) => id === named) : videos.find(({ status }) => status === 'COMPLETED')
  const liveKey = key?.startsWith('ak_live_') ? key : undefined
  const on = (name) => (skip.includes(name) ? undefined : true)
  return {
    client,
    baseUrl,
    key,
    liveKey,
    bareKey,
    testKey,
    billingKey,
    noBillingKey: billingKey && key !== billingKey ? key : undefined,
    viewerKey,
    noViewerKey: viewerKey && key !== viewerKey ? key : undefined,
    foreignVideo,
    writeKey,
    own: writeKey && makeOwn(client, writeKey),
    videos: videos.length > 0 ? videos : undefined,
    video,
    delivery: on('delivery'),
    docs: on('docs'),
  }
}

async function perform({ id, section, title, needs, run }, ctx) {
  const missing = needs.filter((need) => ctx[need] === undefined)
  const about = { id, section, title }
  if (missing.length > 0) return { ...about, outcome: 'skipped', needs: missing.map((need) => NEEDS[need]) }
  const seen = new Seen()
  const from = ctx.client.exchanges.length
  try {
    await run(seen, { ...ctx, videos: ctx.videos ?? [] })
  } catch (error) {
    // A response that cannot be parsed further counts as drift.
    seen.drift('the check could not continue', 'a readable response', error.message)
  }
  const requests = ctx.client.exchanges.length - from
  return {
    ...about,
    outcome: seen.drifts.length === 0 ? 'passed' : 'drifted',
    requests,
    ...(seen.drifts.length > 0 && { drifts: seen.drifts }),
  }
}
