import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

/** How fast the viewers watch: a report may claim at most four seconds of media for each second since its session began. */
const RATE = 4

interface Viewer {
  id: string
  /** What they play, in shares of the video. */
  parts: [number, number][]
  /** Whether they keep watching. */
  stays?: true
}

/** A class: some watch everything, some skip, some stop. */
const VIEWERS: Viewer[] = [
  { id: 'teacher-7', parts: [[0, 1]] },
  { id: 'student-31', parts: [[0, 1]] },
  { id: 'student-32', parts: [[0, 0.95]] },
  { id: 'student-33', parts: [[0, 0.15]] },
  {
    id: 'student-34',
    parts: [
      [0, 0.3],
      [0.75, 1],
    ],
  },
  { id: 'student-35', parts: [[0.1, 0.45]] },
  { id: 'student-36', parts: [[0, 0.7]] },
  {
    id: 'student-37',
    parts: [
      [0, 0.25],
      [0.4, 0.55],
      [0.8, 0.9],
    ],
  },
  { id: 'student-38', parts: [[0, 1]] },
  { id: 'student-39', parts: [[0.6, 1]] },
  { id: 'student-40', parts: [[0, 0.4]], stays: true },
  { id: 'student-41', parts: [[0, 0.6]], stays: true },
  {
    id: 'student-42',
    parts: [
      [0, 0.2],
      [0.5, 0.65],
    ],
    stays: true,
  },
]

interface Service {
  baseUrl: string
  apiKey: string
  videoId: string
  durationSec: number
}

/** Plays a video as a dozen viewers with IDs, as a player reports it. One is refused a second session. */
export async function watchAsViewers(service: Service): Promise<void> {
  const sessions = await Promise.all(VIEWERS.map(async (viewer) => ({ viewer, permit: await open(service, viewer.id) })))
  await open(service, 'student-42')
  await wait((service.durationSec / RATE) * 1_000)
  await Promise.all(sessions.map(({ viewer, permit }) => permit && report(service, permit, viewer)))
}

/** Opens a session of a viewer, who may have one. Returns its permit; undefined if it was refused. */
async function open({ baseUrl, apiKey, videoId }: Service, viewerId: string): Promise<string | undefined> {
  const issued = await fetch(`${baseUrl}/v1/video/${videoId}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ viewer: { id: viewerId }, maxSessions: 1 }),
  })
  const { data } = (await issued.json()) as { data?: { token: string } }
  if (!data) return undefined
  const exchanged = await fetch(`${baseUrl}/v1/video/playback/manifest/${data.token}`)
  const manifest = (await exchanged.json()) as { data?: { masterPlaylistUrl: string } }
  return manifest.data && new URL(manifest.data.masterPlaylistUrl).pathname.split('/').at(-2)
}

async function report({ baseUrl, videoId, durationSec }: Service, permit: string, { parts, stays }: Viewer): Promise<void> {
  const spans = parts.map(([from, to]) => [from * durationSec, to * durationSec] as const)
  const watchedSec = spans.reduce((sum, [from, to]) => sum + to - from, 0)
  const positionSec = spans.at(-1)?.[1] ?? 0
  const reached = Array.from({ length: 20 }, (_, part) => part).filter((part) =>
    parts.some(([from, to]) => part >= from * 20 && part < to * 20),
  )
  const body = {
    ...{ permit, session: randomBytes(16).toString('hex'), left: !stays },
    ...{
      startupMs: 400,
      watchMs: Math.round(watchedSec * 1_000),
      rebufferMs: 0,
      rebuffers: 0,
      errors: 0,
      height: 720,
      page: 'courses.example.com',
    },
    ...{ spans, positionSec, reached },
  }
  await fetch(`${baseUrl}/embed/${videoId}/beacon`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
