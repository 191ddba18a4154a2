import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type APIRequestContext, type Browser, expect, type Page, test } from '@playwright/test'
import superjson, { type SuperJSONResult } from 'superjson'
import { PAGES } from '../app/docs/_parts/pages.ts'
import { givePast } from './history.ts'
import { operator } from './operator.ts'
import { clip, generateKey, signUp, upload } from './person.ts'

const folder = join(import.meta.dirname, 'screens')
/** The ones the README shows. */
const shown = join(import.meta.dirname, '../docs/screens')
const SHOWN: Record<string, string> = {
  overview: 'light',
  requests: 'light',
  usage: 'dark',
  billing: 'light',
  'support-account': 'light',
}

const THEMES = ['light', 'dark'] as const
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

/** An address, or an address and what is done there before the picture. */
type Place = string | { address: string; open: (page: Page) => Promise<void> }

test('pictures of every page', async ({ browser, baseURL, request }) => {
  test.setTimeout(1_200_000)
  rmSync(folder, { recursive: true, force: true })
  for (const path of [folder, shown]) mkdirSync(path, { recursive: true })

  const context = await browser.newContext({ baseURL })
  const page = await context.newPage()
  const guides = Object.fromEntries(PAGES.map(({ href }) => [href.slice(1).replace('/', '-'), href]))
  await everywhere(browser, { 'sign-in': '/sign-in', 'sign-up': '/sign-up', 'forgot-password': '/forgot-password', ...guides })
  await signUp(page, 'studio@example.com')
  const nothing = { overview: '/', videos: '/videos', keys: '/api-keys', usage: '/usage', requests: '/requests', webhooks: '/webhooks' }
  const empty = Object.entries({ ...nothing, billing: '/billing' }).map(([name, address]) => [`${name}-none`, address])
  await everywhere(browser, Object.fromEntries(empty), page)

  const { account, key } = await furnish(page, request)
  const { data: videos } = await (await request.get('/v1/video', { headers: key.headers })).json()
  const [{ id: videoId }] = videos
  const failed = await (await request.get('/v1/video/vid_thereisnone', { headers: key.headers })).json()
  const requestId: string = failed.error.requestId
  const endpoint = await ask<{ id: string }>(page, 'webhook.create', {
    url: 'https://hooks.example.com/reelgate',
    description: 'Production',
    events: ['video.processing.completed', 'video.processing.failed'],
  })
  await ask(page, 'webhook.test', { endpointId: endpoint.id, type: 'video.processing.completed' })
  await ask(page, 'team.invite', { email: 'grace@example.com', role: 'DEVELOPER' })
  const month = new Date().toISOString().slice(0, 7)

  await everywhere(
    browser,
    {
      overview: '/',
      videos: '/videos',
      video: `/videos/${videoId}`,
      keys: '/api-keys',
      'keys-generate': { address: '/api-keys', open: (page) => page.getByRole('button', { name: 'Generate New Key' }).first().click() },
      key: `/api-keys/${key.id}`,
      usage: '/usage',
      requests: '/requests',
      request: `/requests/${requestId}`,
      webhooks: '/webhooks',
      webhook: `/webhooks/${endpoint.id}`,
      'webhook-events': '/webhooks/events',
      billing: '/billing',
      statement: `/billing/statements/${month}`,
      team: '/team',
      'audit-log': '/team/audit-log',
      settings: '/settings',
      security: '/settings/security',
      palette: { address: '/', open: (page) => page.keyboard.press('ControlOrMeta+k') },
      missing: '/nowhere',
    },
    page,
  )

  const staff = await (await browser.newContext({ baseURL })).newPage()
  await operator('grant-support', await signUp(staff, 'support@example.com'))
  const home = `/support/accounts/${account.id}`
  await everywhere(
    browser,
    {
      support: '/support',
      'support-found': '/support?q=studio',
      'support-quotas': '/support/quota-requests',
      'support-fleet': '/support/fleet',
      'support-account': home,
      'support-keys': `${home}/keys`,
      'support-videos': `${home}/videos`,
      'support-video': `${home}/videos/${videoId}`,
      'support-requests': `${home}/requests`,
      'support-request': `${home}/requests/${requestId}`,
      'support-webhooks': `${home}/webhooks`,
      'support-webhook': `${home}/webhooks/${endpoint.id}`,
      'support-billing': `${home}/billing`,
    },
    staff,
  )

  // Tokens last five minutes, and all these pictures longer.
  const { playerUrl } = (await (await request.post(`/v1/video/${videoId}/playback-token`, { headers: key.headers })).json()).data
  await player(page, playerUrl)
  await page.goto('/embed/vid_nobodysvideo?token=pt_nonsense')
  await expect(page.getByRole('heading').first()).toBeVisible()
  await page.screenshot({ path: join(folder, 'player-refused.png') })
})

/** Videos, keys, traffic with a past, and credit. */
async function furnish(page: Page, request: APIRequestContext) {
  for (const title of ['Opening keynote', 'Interview with the director', 'Trailer']) {
    await upload(page, await clip(12), title)
    await expect(page.getByRole('row', { name: title }).getByText('Completed')).toBeVisible({ timeout: 90_000 })
  }
  const value = await generateKey(page, 'Production backend')
  await generateKey(page, 'Staging')
  const { account } = await read<{ account: { id: string } }>(page, 'account.me')
  const keys = await read<{ id: string; name: string }[]>(page, 'key.list')
  const id = keys.find(({ name }) => name === 'Production backend')?.id as string
  await operator('set-tier', account.id, 'paid')
  await operator('credit', account.id, '50', '--reason', 'Welcome')
  await ask(page, 'billing.askQuota', { keyId: id, wanted: 250_000, reason: 'A festival with many viewers next month' })
  const headers = { 'x-service-key': value }
  const { data: videos } = await (await request.get('/v1/video', { headers })).json()
  for (let index = 0; index < 40; index++) await request.post(`/v1/video/${videos[index % 3].id}/playback-token`, { headers })
  for (const path of ['vid_gone', videos[1].id, videos[2].id]) await request.get(`/v1/video/${path}`, { headers })
  await givePast(account.id, id)
  return { account, key: { id, headers } }
}

const answerOf = async <Data>(response: { json(): Promise<unknown> }): Promise<Data> => {
  const { result, error } = (await response.json()) as { result?: { data: SuperJSONResult }; error?: unknown }
  if (!result) throw new Error(JSON.stringify(error))
  return superjson.deserialize(result.data)
}

/** A procedure of the dashboard, as the page's own person. */
const ask = async <Data>(page: Page, procedure: string, input: unknown) => {
  const origin = new URL(page.url()).origin
  return answerOf<Data>(await page.request.post(`/api/trpc/${procedure}`, { data: superjson.serialize(input), headers: { origin } }))
}
const read = async <Data>(page: Page, procedure: string) => answerOf<Data>(await page.request.get(`/api/trpc/${procedure}`))

/** Each place in both themes and at both widths, with the cookies of `as`. */
async function everywhere(browser: Browser, places: Record<string, Place>, as?: Page): Promise<void> {
  const storageState = await as?.context().storageState()
  for (const colorScheme of THEMES) {
    for (const viewport of SIZES) {
      const context = await browser.newContext({ colorScheme, viewport, storageState, baseURL: test.info().project.use.baseURL })
      const page = await context.newPage()
      for (const [name, place] of Object.entries(places)) await picture(page, name, place, colorScheme)
      await context.close()
    }
  }
}

async function picture(page: Page, name: string, place: Place, theme: string): Promise<void> {
  const size = page.viewportSize() as { width: number; height: number }
  await page.goto(typeof place === 'string' ? place : place.address, { waitUntil: 'load' })
  if (typeof place !== 'string') await place.open(page)
  await page.evaluate(() => document.fonts.ready)
  if (SHOWN[name] === theme && size.width === 1440) {
    await settled(page)
    await page.screenshot({ path: join(shown, `${name}.png`), animations: 'disabled' })
  }
  // As tall as the page: what stands fixed beside it would end at the window's height in a picture of the whole.
  if (typeof place === 'string') {
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    await page.setViewportSize({ ...size, height: Math.max(size.height, height) })
  }
  await settled(page)
  await page.screenshot({ path: join(folder, `${name}-${theme}-${size.width}.png`), animations: 'disabled' })
  await page.setViewportSize(size)
}

/** Charts come after the page; one that takes too long is seen in its picture. */
async function settled(page: Page): Promise<void> {
  const loading = page.locator('.mantine-Skeleton-root:visible, [data-loading=true]')
  await expect(loading)
    .toHaveCount(0, { timeout: 8_000 })
    .catch(() => test.info().annotations.push({ type: 'still loading', description: page.url() }))
}

async function player(page: Page, url: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(`${url}&autoplay=1&muted=1`)
  const video = page.locator('video')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime), { timeout: 30_000 }).toBeGreaterThan(2)
  await page.mouse.move(640, 400)
  await page.screenshot({ path: join(folder, 'player.png') })
  await page.screenshot({ path: join(shown, 'player.png') })
}
