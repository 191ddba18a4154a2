import { beforeEach, expect, test, vi } from 'vitest'
import { type ViewingReport, viewingReport } from '#server/modules/analytics/viewing/viewing-schema'
import { Reports } from './reports.ts'

const makeVideo = () => {
  const playing = { currentTime: 0, playbackRate: 1, paused: true, seeking: false, videoHeight: 360, duration: 60 }
  return Object.assign(new EventTarget(), playing, { played: { length: 0, start: () => 0, end: () => 0 } })
}
let video: ReturnType<typeof makeVideo>
let page: EventTarget
vi.mock('./stage.ts', () => ({
  get video() {
    return video
  },
}))

let answers: (Response | undefined)[]
let sent: ViewingReport[]
beforeEach(() => {
  vi.useFakeTimers()
  video = makeVideo()
  page = new EventTarget()
  answers = []
  sent = []
  vi.stubGlobal('window', Object.assign(page, { parent: undefined, location: { host: '' } }))
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false, referrer: '' }))
  vi.stubGlobal('fetch', async (_address: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body))
    const answer = answers.shift()
    if (answer) return answer
    throw new TypeError('Failed to fetch')
  })
  new Reports('/beacon', () => {}).follow('https://video.example.com/cdn/hls/vid_a/permit/master.m3u8')
})
const done = () => new Response(null, { status: 204 })
const on = (name: string, to: EventTarget = video) => to.dispatchEvent(new Event(name))

/** Plays from the beginning to a second, of which the first report is received. */
async function play(second: number): Promise<void> {
  answers.push(done())
  video.paused = false
  on('play')
  on('playing')
  await vi.advanceTimersByTimeAsync(second * 1_000)
  video.currentTime = second
  on('timeupdate')
}
async function end(): Promise<void> {
  video.paused = true
  on('ended')
  await vi.advanceTimersByTimeAsync(0)
}

test.each([
  ['without a connection', undefined],
  ['while the service is down', new Response(null, { status: 503 })],
  ['while its network sends too many', new Response(null, { status: 429 })],
])('what was played to the end %s is sent later, though nothing plays then', async (_name, answer) => {
  await play(20)
  answers.push(answer, done())
  await end()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(sent).toHaveLength(3)
  // A report without `left` would take the place of the session again.
  expect(sent.at(-1)).toMatchObject({ spans: [[0, 20]], positionSec: 20, left: true })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sent).toHaveLength(3)
})

test('what could not be sent is sent as soon as the connection is back, and when the page is left', async () => {
  await play(20)
  await end()
  on('online', page)
  await vi.advanceTimersByTimeAsync(0)
  answers.push(done())
  on('pagehide', page)
  await vi.advanceTimersByTimeAsync(0)
  expect(sent.slice(1).map(({ spans }) => spans)).toEqual([[[0, 20]], [[0, 20]], [[0, 20]]])
})

test('an hour without the service loses nothing of what was played', async () => {
  await play(20)
  vi.stubGlobal('fetch', async (_address: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body))
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    return new Response(null, { status: 503 })
  })
  for (let second = 21; second <= 3_600; second++) {
    await vi.advanceTimersByTimeAsync(1_000)
    video.currentTime = second
    on('timeupdate')
  }
  await vi.advanceTimersByTimeAsync(30_000)
  expect(sent.at(-1)).toMatchObject({ spans: [[0, 3_600]], positionSec: 3_600 })
})

test('a play that begins hours after it was wanted, and a wait of hours, are reported as the longest that the service accepts', async () => {
  answers = Array.from({ length: 3 }, done)
  video.paused = false
  on('play')
  await vi.advanceTimersByTimeAsync(2 * 3_600_000)
  on('playing')
  on('waiting')
  await vi.advanceTimersByTimeAsync(2 * 3_600_000)
  on('playing')
  await end()
  for (const report of sent) expect(viewingReport.safeParse(report)).toMatchObject({ success: true })
  expect(sent.at(0)).toMatchObject({ startupMs: 3_600_000 })
  expect(sent.at(-1)).toMatchObject({ rebufferMs: 3_600_000 })
})

test('a wait for data is reported with its number and its time, also while it lasts and when the page is left', async () => {
  answers = Array.from({ length: 9 }, done)
  await play(20)
  on('waiting')
  await vi.advanceTimersByTimeAsync(20_000)
  // The service counts no wait without a time.
  expect(sent.at(-1)).toMatchObject({ rebuffers: 1, rebufferMs: 10_000 })
  on('playing')
  video.currentTime = 21
  on('timeupdate')
  on('waiting')
  await vi.advanceTimersByTimeAsync(4_000)
  on('pagehide', page)
  expect(sent.at(-1)).toMatchObject({ rebuffers: 1, rebufferMs: 14_000, left: true })
})
