import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page, test } from '@playwright/test'
import { EVENTS_PROGRAM } from '../app/docs/player/_parts/events-program.ts'
import { newUser } from './person.ts'

/** What sites write that know no limit. */
const WITHOUT_LIMIT = `const player = document.querySelector('reelgate-player')
player.addEventListener('error', async () => player.setAttribute('token', await freshToken()))`

/** A site whose backend gets only expired tokens, and counts them. */
async function siteOf(base: string, key: string, script: string) {
  let tokens = 0
  const token = async () => {
    const headers = { 'x-service-key': key }
    const response = await fetch(`${base}/v1/video/vid_test_token_expired/playback-token`, { method: 'POST', headers })
    tokens++
    return ((await response.json()) as { data: { token: string } }).data.token
  }
  const server = createServer(async (request, response) => {
    if (request.url === '/token') return void response.end(await token())
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><script src="${base}/player/reelgate-player.js"></script>
<reelgate-player token="${await token()}"></reelgate-player>
<script>
let asked = 0
const freshToken = async () => ++asked && (await fetch('/token', { method: 'POST' })).text()
const seen = []
document.querySelector('reelgate-player').addEventListener('error', ({ detail }) => seen.push(detail.code))
${script}
</script>`)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    tokens: () => tokens,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

declare const seen: string[]
declare const asked: number

async function testKey(page: Page): Promise<string> {
  const { dashboard } = await newUser(page)
  const input = { name: 'Site', environment: 'TEST', scopes: ['video:read'] }
  return (await dashboard.mutate<{ value: string }>('key.create', input)).value
}

test('a page with the program of the guide requests one more token for one that is expired', async ({ page, baseURL }) => {
  const site = await siteOf(baseURL ?? '', await testKey(page), EVENTS_PROGRAM)
  await page.goto(site.url)
  await expect.poll(() => page.evaluate(() => seen)).toEqual(['PLAYBACK_TOKEN_EXPIRED', 'PLAYBACK_TOKEN_EXPIRED'])
  expect(await page.evaluate(() => asked)).toBe(1)
  site.close()
})

test('a page that responds to each error with another token waits longer for each', async ({ page, baseURL }) => {
  const site = await siteOf(baseURL ?? '', await testKey(page), WITHOUT_LIMIT)
  // Time passes when the test says so.
  await page.clock.install({ time: 0 })
  await page.clock.pauseAt(1_000)
  await page.goto(site.url)
  const state = () =>
    page.evaluate(() => {
      const player = document.querySelector('reelgate-player')
      const token = player?.getAttribute('token') ?? ''
      return { errors: seen.length, shows: player?.shadowRoot?.querySelector('iframe')?.src.includes(token) }
    })
  await expect.poll(state).toEqual({ errors: 2, shows: false })
  let errors = 2
  for (const waitMs of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    await page.clock.runFor(waitMs - 1)
    expect(await state()).toEqual({ errors, shows: false })
    await page.clock.runFor(1)
    errors++
    await expect.poll(state).toEqual({ errors, shows: false })
  }
  expect(site.tokens()).toBe(errors + 1)
  site.close()
})
