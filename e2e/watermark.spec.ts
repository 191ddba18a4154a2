import { type CDPSession, expect, type Page, test } from '@playwright/test'
import { faults } from './accessibility.ts'
import { controlPlayback, now, seek, video } from './long-session.ts'
import { type PublishedVideo, publishVideo } from './published-video.ts'

const HALF_SEC = 30
const LABEL = 'ada.lovelace@example.com'
const POLICY = { viewer: { id: 'student-42', label: LABEL }, watermark: 'visible' }

let published: PublishedVideo
test.beforeAll(async ({ baseURL }) => {
  published = await publishVideo(baseURL ?? '', { kind: 'white-black', seconds: 2 * HALF_SEC })
  const line = 'The harbour at dawn, and the boats that leave it\none after the other.'
  const text = `WEBVTT\n\n00:00.000 --> 00:50.000\n${line}\n\n00:05.000 --> 00:50.000 line:0\n${line}`
  await published.dashboard.mutate('video.putCaptions', { videoId: published.videoId, language: 'en', text, expected: null })
})

type Node = Awaited<ReturnType<typeof tree>>
const tree = async (tools: CDPSession) => (await tools.send('DOM.getDocument', { depth: -1, pierce: true })).root
const attribute = ({ attributes = [] }: Node, name: string) => attributes[attributes.indexOf(name) + 1]
function find(node: Node, is: (node: Node) => boolean): Node[] {
  const below = [...(node.children ?? []), ...(node.shadowRoots ?? [])].flatMap((one) => find(one, is))
  return is(node) ? [node, ...below] : below
}

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** Returns where the boxes of nodes are, as developer tools show them, which also see closed shadow roots. */
async function boxes(page: Page, is: (node: Node) => boolean): Promise<Box[]> {
  const tools = await page.context().newCDPSession(page)
  const found = find(await tree(tools), is)
  const models = await Promise.all(
    found.map(({ nodeId }) =>
      tools.send('DOM.getBoxModel', { nodeId }).then(
        ({ model }) => model.content,
        () => undefined,
      ),
    ),
  )
  await tools.detach()
  return models.flatMap((quad) => {
    if (!quad) return []
    const [xs, ys] = [0, 1].map((from) => quad.filter((_, at) => at % 2 === from)) as [number[], number[]]
    return [{ left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }]
  })
}

const isHost = (node: Node) => node.nodeName === 'DIV' && attribute(node, 'slot') === 'media'
const isLabel = (node: Node) => node.nodeName === 'DIV' && node.children?.[0]?.nodeValue === LABEL
const labels = (page: Page) => boxes(page, isLabel)
async function label(page: Page): Promise<Box> {
  const [box] = await labels(page)
  if (!box) throw new Error('There is no label.')
  return box
}
const captions = (page: Page) => boxes(page, (node) => attribute(node, 'pseudo') === '-webkit-media-text-track-display')
const meets = (one: Box, other: Box) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

async function open(page: Page, parameters = ''): Promise<void> {
  await page.goto(`${await published.playerUrl(POLICY)}&muted${parameters}`)
  await expect(page).toHaveTitle('Harbour')
}
async function play(page: Page): Promise<void> {
  await controlPlayback(page, 'play')
  await expect.poll(async () => (await labels(page)).length).toBe(1)
}
const stopped = (page: Page) => page.getByRole('alert').getByRole('heading', { name: 'The watermark was hidden' })

/** Expects that playback continues for longer than a label may be missing. */
async function playsOn(page: Page): Promise<void> {
  const from = await now(page)
  await expect.poll(() => now(page)).toBeGreaterThan(from + 1.5)
  await expect(stopped(page)).toHaveCount(0)
}

/** Returns the least and the greatest luminance (0 to 255) in a part of the page. */
async function luminances(page: Page, { left, top, right, bottom }: Box): Promise<[number, number]> {
  const clip = { x: left, y: top, width: right - left, height: bottom - top }
  const png = (await page.screenshot({ clip })).toString('base64')
  const reader = await page.context().newPage()
  const range = await reader.evaluate(async (data) => {
    const image = Object.assign(new Image(), { src: `data:image/png;base64,${data}` })
    await image.decode()
    const { width, height } = image
    const canvas = Object.assign(document.createElement('canvas'), { width, height })
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    context.drawImage(image, 0, 0)
    const all = [...context.getImageData(0, 0, width, height).data]
    const greens = all.filter((_, at) => at % 4 === 1)
    return [greens.reduce((least, one) => Math.min(least, one)), greens.reduce((most, one) => Math.max(most, one))] as [number, number]
  }, png)
  await reader.close()
  return range
}

test('the label is readable on white and on black, from the first play on, and in no address', async ({ page }, testInfo) => {
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  await open(page)
  expect(await labels(page)).toEqual([])
  await expect(page.locator('media-pip-button')).toHaveCount(0)
  const flags = (element: HTMLVideoElement) => [element.disablePictureInPicture, element.disableRemotePlayback]
  expect(await video(page).evaluate(flags)).toEqual([true, true])
  await play(page)
  await controlPlayback(page, 'pause')
  await page.screenshot({ path: testInfo.outputPath('white.png') })
  const [darkest, lightest] = await luminances(page, await label(page))
  expect(lightest).toBeGreaterThan(230)
  expect(darkest).toBeLessThan(150)
  await seek(page, HALF_SEC + 5)
  await page.screenshot({ path: testInfo.outputPath('black.png') })
  const [, most] = await luminances(page, await label(page))
  expect(most).toBeGreaterThan(110)
  expect(await faults(page)).toEqual([])
  await controlPlayback(page, 'play')
  await playsOn(page)
  expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(LABEL)
  for (const address of addresses) expect(decodeURIComponent(address)).not.toMatch(/lovelace|student-42/)
})

test('the label moves, and keeps off captions, title and controls', async ({ page }, testInfo) => {
  // The label jumps, so that each place is its final one.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.clock.install()
  // So small that a label anywhere would soon meet them.
  await page.setViewportSize({ width: 480, height: 270 })
  await open(page, '&captions=en')
  await play(page)
  const seen = new Set<string>()
  const parts = () =>
    boxes(
      page,
      (node) =>
        ['title', 'availability'].includes(attribute(node, 'id') ?? '') ||
        node.nodeName === 'MEDIA-CONTROL-BAR' ||
        node.nodeName === 'MEDIA-TIME-RANGE',
    )
  // The title, the seek bar and the bar of buttons.
  await expect.poll(async () => (await parts()).length).toBeGreaterThanOrEqual(3)
  for (const from of [0, 10]) {
    await seek(page, from)
    await expect.poll(async () => (await captions(page)).length).toBe(from === 0 ? 1 : 2)
    for (let time = 0; time < 6; time++) {
      const before = JSON.stringify(await label(page))
      // The next place is due after at most 13 seconds.
      await page.clock.fastForward(14_000)
      await expect.poll(async () => JSON.stringify(await label(page))).not.toBe(before)
      const place = await label(page)
      seen.add(`${Math.round(place.left / 10)} ${Math.round(place.top / 10)}`)
      for (const other of [...(await captions(page)), ...(await parts())])
        expect(meets(place, other), JSON.stringify([place, other])).toBe(false)
    }
    await page.screenshot({ path: testInfo.outputPath(`captions-${from}.png`) })
  }
  expect(seen.size).toBeGreaterThan(6)
})

test('the label drifts to its next place', async ({ page }) => {
  await page.clock.install()
  await open(page)
  const tools = await page.context().newCDPSession(page)
  let ways = 0
  // The captions and the controls move for a second at most.
  tools.on('Animation.animationStarted', ({ animation: { type, source } }) => {
    if (type === 'CSSTransition' && (source?.duration ?? 0) > 1_000) ways++
  })
  await tools.send('Animation.enable')
  await play(page)
  await page.clock.fastForward(14_000)
  await expect.poll(() => ways).toBeGreaterThan(0)
})

test('with reduced motion the label jumps', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.clock.install()
  await open(page)
  await play(page)
  const before = await label(page)
  await page.clock.fastForward(14_000)
  await expect.poll(() => label(page)).not.toEqual(before)
  const after = await label(page)
  await playsOn(page)
  // It would have drifted meanwhile.
  expect(await label(page)).toEqual(after)
})

test('it is in full screen too, and the video alone has none', async ({ page }) => {
  // Like a browser that animates the way out.
  await page.addInitScript(() => {
    const exit = Document.prototype.exitFullscreen
    Document.prototype.exitFullscreen = async function leave() {
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      return exit.call(this)
    }
  })
  await open(page)
  await play(page)
  const isFull = () => page.evaluate(() => document.fullscreenElement?.id)
  await page.keyboard.press('f')
  await expect.poll(isFull).toBe('player')
  await playsOn(page)
  expect(await labels(page)).toHaveLength(1)
  await page.keyboard.press('f')
  await expect.poll(isFull).toBeUndefined()
  await video(page).evaluate((element: HTMLVideoElement) => element.requestFullscreen())
  await expect.poll(isFull).toBeUndefined()
  await playsOn(page)
})

/** What a viewer without programs can do with developer tools. `$host` is the element of the label. */
const WAYS: [string, ($host: HTMLElement, $video: HTMLVideoElement) => unknown][] = [
  ['deletes it', ($host) => $host.remove()],
  ['moves it out of the player', ($host) => document.body.prepend($host)],
  ['does not display it', ($host) => $host.style.setProperty('display', 'none', 'important')],
  ['makes it transparent', ($host) => $host.style.setProperty('opacity', '0.01', 'important')],
  ['hides it', ($host) => $host.style.setProperty('visibility', 'hidden', 'important')],
  ['clips it', ($host) => $host.style.setProperty('clip-path', 'inset(0 0 100% 0)', 'important')],
  ['shrinks it', ($host) => $host.style.setProperty('transform', 'scale(0.01)', 'important')],
  ['moves it aside', ($host) => $host.style.setProperty('left', '-3000px', 'important')],
  ['blurs it', ($host) => $host.style.setProperty('filter', 'blur(30px)', 'important')],
  ['lifts the video over it', (_, $video) => Object.assign($video.style, { position: 'relative', zIndex: '9' })],
  ['takes the video out', (_, $video) => document.body.append($video)],
  [
    'covers it',
    () => {
      const cover = document.body.appendChild(document.createElement('div'))
      Object.assign(cover.style, { position: 'fixed', inset: '0', background: 'black', pointerEvents: 'none' })
    },
  ],
]

for (const [name, way] of WAYS) {
  test(`a viewer who ${name} stops playback`, async ({ page }) => {
    const reports: string[] = []
    page.on('request', (request) => request.url().endsWith('/beacon') && reports.push(request.postData() ?? ''))
    await open(page)
    await play(page)
    await playsOn(page)
    const tools = await page.context().newCDPSession(page)
    const [host] = find(await tree(tools), isHost)
    const { object } = await tools.send('DOM.resolveNode', { nodeId: host?.nodeId ?? 0 })
    await tools.send('Runtime.callFunctionOn', {
      objectId: object.objectId as string,
      functionDeclaration: `function () { (${way})(this, document.querySelector('video')) }`,
    })
    await expect(stopped(page)).toBeVisible()
    // The source is detached.
    expect(await video(page).evaluate(({ readyState }: HTMLVideoElement) => readyState)).toBe(0)
    await expect.poll(() => reports.some((report) => report.includes('"errorKind":"watermark"'))).toBe(true)
  })
}

test('nothing that a viewer may do stops playback', async ({ page }) => {
  await open(page)
  await play(page)
  await controlPlayback(page, 'pause')
  await controlPlayback(page, 'play')
  await playsOn(page)
  for (const size of [
    { width: 320, height: 180 },
    { width: 900, height: 1_200 },
    { width: 200, height: 150 },
    { width: 1_280, height: 720 },
  ]) {
    await page.setViewportSize(size)
    await playsOn(page)
    expect(await labels(page)).toHaveLength(1)
  }
  await page.emulateMedia({ forcedColors: 'active', contrast: 'more' })
  await playsOn(page)
  await page.emulateMedia({ forcedColors: null, contrast: null, media: 'print' })
  await playsOn(page)
  await page.emulateMedia({ media: null })
  // As programs that make pages dark, or larger, do.
  await page.evaluate(() => {
    document.documentElement.style.filter = 'invert(1) hue-rotate(180deg)'
    document.documentElement.style.zoom = '1.5'
    const layer = document.body.appendChild(document.createElement('div'))
    Object.assign(layer.style, { position: 'fixed', inset: '0', zIndex: '9', background: 'rgb(255 200 0 / 20%)', pointerEvents: 'none' })
  })
  await playsOn(page)
  await page.locator('#settings-button').click()
  await playsOn(page)
  await seek(page, 2)
  await playsOn(page)
})

test('a transcript beside the video or in its place does not stop playback', async ({ page }) => {
  await open(page, '&transcript=open')
  await play(page)
  const lines = page.getByRole('complementary', { name: 'Transcript' }).getByRole('listitem')
  await expect(lines).toHaveCount(2)
  await playsOn(page)
  await page.setViewportSize({ width: 390, height: 219 })
  await expect(lines.first()).toBeVisible()
  await expect(video(page)).toBeHidden()
  await playsOn(page)
  await page.getByRole('button', { name: 'Close the transcript' }).click()
  await expect(video(page)).toBeVisible()
  await playsOn(page)
})

test('an AirPlay receiver, which would show the video alone, gets nothing', async ({ page }) => {
  // As on an iPhone; Chromium has none.
  await page.addInitScript(() => {
    class ManagedMediaSource extends MediaSource {
      streaming = true
    }
    Object.assign(window, { ManagedMediaSource })
    Reflect.deleteProperty(window, 'MediaSource')
  })
  await open(page)
  await play(page)
  const sources = (element: HTMLVideoElement) => [...element.querySelectorAll('source')].map(({ src }) => src.split(':')[0])
  expect(await video(page).evaluate(sources)).toEqual(['blob'])
  expect(await video(page).evaluate(({ disableRemotePlayback }: HTMLVideoElement) => disableRemotePlayback)).toBe(true)
})

test('without the file that draws the label the video does not play', async ({ page }) => {
  await page.route('**/player/watermark-*', (route) => route.abort())
  await page.goto(await published.playerUrl(POLICY))
  await expect(page.getByRole('alert').getByRole('heading', { name: 'Could not load the video' })).toBeVisible()
  expect(await video(page).evaluate(({ readyState }: HTMLVideoElement) => readyState)).toBe(0)
})

test('other tokens load no file for it', async ({ page }) => {
  const files: string[] = []
  page.on('request', (request) => files.push(request.url()))
  await page.goto(await published.playerUrl({ viewer: POLICY.viewer }))
  await expect(page).toHaveTitle('Harbour')
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(0.5)
  expect(files.filter((file) => file.includes('watermark'))).toEqual([])
  expect(await labels(page)).toEqual([])
})

test('where only the bare video can be in full screen, the element fills the page', async ({ page, baseURL }) => {
  const { token } = await published.token(POLICY)
  await page.addInitScript(() => {
    for (const name of ['fullscreenEnabled', 'webkitFullscreenEnabled']) Object.defineProperty(Document.prototype, name, { value: false })
  })
  const element = `<reelgate-player token="${token}" muted autoplay style="width: 640px"></reelgate-player>`
  await page.route(`${baseURL}/other-page`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><title>Other page</title><script async src="/player/reelgate-player.js"></script><div style="transform: scale(1)">${element}</div>`,
    }),
  )
  await page.goto('/other-page')
  const player = page.frameLocator('reelgate-player iframe')
  const button = player.locator('media-fullscreen-button')
  const width = async () => (await page.locator('reelgate-player').boundingBox())?.width
  await expect(button).toBeVisible()
  expect(await width()).toBe(640)
  await button.click()
  await expect.poll(width).toBe(page.viewportSize()?.width)
  const clock = () => player.locator('video').evaluate((one: HTMLVideoElement) => one.currentTime)
  const from = await clock()
  await expect.poll(clock).toBeGreaterThan(from + 1.5)
  await expect(button).toHaveAttribute('aria-label', 'Exit full screen')
  await button.click()
  await expect.poll(width).toBe(640)
  await page.setContent(
    `<iframe title="Player" allow="autoplay; fullscreen" src="${(await published.token(POLICY)).playerUrl}" width="640" height="360"></iframe>`,
  )
  await expect(page.frameLocator('iframe').locator('media-mute-button')).toBeVisible()
  await expect(page.frameLocator('iframe').locator('media-fullscreen-button')).toHaveCount(0)
})
