import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from '@playwright/test'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { watchAsViewers } from '../scripts/demo-viewers.ts'
import { insertUploads } from './given-uploads.ts'
import { insertHistory } from './history.ts'
import { operator } from './operator.ts'
import { newEmail, PASSWORD, pathOf } from './person.ts'
import { giveVideo } from './prepared-video.ts'
import { insertProcessingVideo } from './processing-video.ts'
import { setUpTotp } from './second-factor.ts'

/** The users who view the pages, and the content of the first one's account. */
export interface Fixtures {
  owner: Dashboard
  /** Has an empty account. */
  newcomer: Dashboard
  /** Support staff and operator. */
  staff: Dashboard
  /** Support staff without the required second factor. */
  trainee: Dashboard
  account: string
  key: string
  /** Their API key's value, as the header that carries it. */
  headers: { 'x-service-key': string }
  video: string
  failed: string
  /** Two workers encode it; it can be watched. */
  processing: string
  /** A call that was refused. */
  request: string
  endpoint: string
  /** A viewer who watches. */
  person: string
  /** The path of an open invitation, its secret after the #. */
  invitation: string
}

const CAPTIONS = `WEBVTT

00:00:00.500 --> 00:00:03.000
Good evening, and welcome.

00:00:03.000 --> 00:00:04.200
We have a great deal to talk about tonight,
and very little time.

00:00:06.000 --> 00:00:09.500
So let us begin.
`

const TITLES = ['Opening keynote', 'Interview with the director', 'Trailer']

/**
 * Creates a user with videos, keys, thirty days of traffic, credit, webhooks and a team; a user with an empty account; and a member of
 * staff.
 */
export async function createFixtures(base: string, emails = { owner: newEmail(), staff: newEmail() }): Promise<Fixtures> {
  const learning = newEmail()
  const [owner, newcomer, staff, trainee] = (await Promise.all(
    [emails.owner, newEmail(), emails.staff, learning].map((email) => Dashboard.signUp(base, email, PASSWORD)),
  )) as [Dashboard, Dashboard, Dashboard, Dashboard]
  await Promise.all([emails.staff, learning].map((email) => operator('grant-support', email, '--unverified')))
  await operator('grant-operator', emails.staff, '--unverified')
  await setUpTotp(staff)
  const { account } = await owner.query<{ account: { id: string } }>('account.me')

  const ids: string[] = []
  for (const title of TITLES) ids.push(await giveVideo(owner, title, { kind: 'clip', seconds: 12 }, { base }))
  const failed = await giveVideo(owner, 'Rushes, day 2', { kind: 'truncated', seconds: 12 }, { base })

  await owner.mutate('video.putCaptions', { videoId: ids[0], language: 'en', label: '', text: CAPTIONS, expected: null })
  const newKey = (name: string) => owner.mutate<{ value: string }>('key.create', { name, environment: 'LIVE', scopes: ['video:read'] })
  const headers = { 'x-service-key': (await newKey('Production backend')).value }
  await newKey('Staging')
  const keys = await owner.query<{ id: string; name: string }[]>('key.list')
  const key = keys.find(({ name }) => name === 'Production backend')?.id as string
  const call = (path: string, method = 'GET') => fetch(`${base}/v1/video/${path}`, { method, headers })
  const statusOf = async (id: string) => ((await (await call(id)).json()) as { data: { status: string } }).data.status
  const ends = [...ids.map((id) => [id, 'COMPLETED']), [failed, 'FAILED']] as [string, string][]
  for (const [id, end] of ends) expect(await statusOf(id)).toBe(end)

  await operator('set-tier', account.id, 'paid')
  await operator('credit', account.id, '50', '--reason', 'Welcome')
  await owner.mutate('billing.requestQuota', { keyId: key, requestedQuota: 250_000, reason: 'A festival with many viewers next month' })
  for (let index = 0; index < 40; index++) await call(`${ids[index % 3]}/playback-token`, 'POST')
  for (let viewer = 0; viewer < 3; viewer++) await openSession(base, await call(`${ids[0]}/playback-token`, 'POST'))
  await watchAsViewers({ baseUrl: base, apiKey: headers['x-service-key'], videoId: ids[0] as string, durationSec: 12 })
  const { reference: person } = await owner.query<{ reference: string }>('viewing.findPerson', { id: 'student-42' })
  const { error } = (await (await call('vid_thereisnone')).json()) as { error: { requestId: string } }
  await insertHistory(account.id, key)
  await insertUploads({ account: account.id, key, video: ids[0] as string })
  const processing = await insertProcessingVideo(account.id)
  const endpoint = await createEndpoints(owner)
  const { url } = await owner.mutate<{ url: string }>('team.invite', { email: 'grace@example.com', role: 'DEVELOPER' })
  const facts = {
    person,
    account: account.id,
    key,
    headers,
    video: ids[0] as string,
    failed,
    processing,
    request: error.requestId,
    endpoint,
  }
  return { owner, newcomer, staff, trainee, ...facts, invitation: pathOf(url) }
}

/** Begins a playback session with the issued token, as a player does. */
async function openSession(base: string, issued: Response): Promise<void> {
  const { data } = (await issued.json()) as { data: { token: string } }
  const manifest = await (await fetch(`${base}/v1/video/playback/manifest/${data.token}`)).json()
  expect((await fetch(manifest.data.masterPlaylistUrl)).status).toBe(200)
}

/** Creates an endpoint that accepts everything, and one without a server; each with deliveries. Returns the first one's id. */
async function createEndpoints(owner: Dashboard): Promise<string> {
  const receiver = createServer((_, response) => response.end()).listen(0, 'localhost')
  await new Promise((resolve) => receiver.once('listening', resolve))
  const { port } = receiver.address() as AddressInfo
  const events = ['video.processing.completed', 'video.processing.failed']
  const add = (url: string, description: string) =>
    owner.mutate<{ id: string }>('webhook.create', { url, description, events }).then(({ id }) => id)
  const endpoint = await add(`http://localhost:${port}/reelgate`, 'Production')
  const silent = await add('https://hooks.invalid/reelgate', 'Staging')
  for (const type of events) for (const endpointId of [endpoint, silent]) await owner.mutate('webhook.test', { endpointId, type })
  const delivered = async () =>
    JSON.stringify(await owner.query('webhook.deliveries', { endpointId: endpoint })).match(/DELIVERED/g)?.length
  await expect.poll(delivered).toBe(events.length)
  receiver.close()
  return endpoint
}
