import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { testDatabase } from '../../testing/database.ts'
import { startHttpServer } from '../../testing/http-server.ts'
import { makeAccount } from '../../testing/make.ts'
import { players } from '../../testing/media/players.ts'
import { inputs } from '../../testing/media/rounds.ts'
import { type StoredSpec, storeVideo } from '../../testing/media/stored-video.ts'

await testDatabase()
const PLAYERS = players()
const SECONDS = 4
const RATE = 12
const english = { name: 'English', language: 'en', pitch: 440 }
const german = { name: 'Deutsch', language: 'de', pitch: 880 }

const VIDEOS: [kind: string, spec: Omit<StoredSpec, 'seconds' | 'rate'>][] = [
  ['with sound in its renditions', { muxed: true }],
  ['with sound apart', { tracks: [english] }],
  ['with two audio tracks and captions', { tracks: [english, german], captions: true }],
  ['without sound', {}],
  ['in AV1 as well', { tracks: [english], av1: 'SDR' }],
  ['in HDR as well', { tracks: [english], av1: 'HLG' }],
  ['with key frames apart and captions in its picture', { tracks: [english], iframes: true, captioned: true }],
  ['with one key for all streams', { tracks: [english], iframes: true, oneKey: true }],
]

/** The videos that the programs which save a video get, at over a second each: in every run those with the most parts. */
const SAVED = inputs([0, 2, 4, 6], [1, 3, 5]).map((at) => VIDEOS[at])

let ctx: AccountCtx
beforeAll(async () => {
  await startHttpServer()
  ctx = await makeAccount()
})

const absent = PLAYERS.filter(({ path }) => !path).map(({ name }) => name)
test('names the players that are not installed', () => {
  if (absent.length > 0) process.stdout.write(`Not installed, so not tested: ${absent.join(', ')}\n`)
  expect(absent.length).toBeLessThan(PLAYERS.length)
})

describe.each(VIDEOS)('a video %s', (kind, spec) => {
  let master: string
  beforeAll(async () => {
    master = (await storeVideo(ctx, { ...spec, seconds: SECONDS, rate: RATE })).master
  })

  const isSaved = SAVED.some((video) => video?.[0] === kind)
  const able = PLAYERS.filter(({ path, tracks, saves }) => path && (tracks !== 'muxed' || !spec.tracks) && (!saves || isSaved))
  test.each(able)('plays to its end in $name', async ({ play, tracks }) => {
    const played = await play(master)
    expect(played.complaints).toEqual([])
    const hasSound = spec.muxed === true || (spec.tracks ?? []).length > 0
    if ('pictureSec' in played) {
      expect(Math.abs(played.pictureSec - SECONDS)).toBeLessThan(0.5)
      expect(Math.abs(played.soundSec - (hasSound ? SECONDS : 0))).toBeLessThan(0.5)
      return
    }
    expect(played.frames).toBe(SECONDS * RATE)
    // Muxed sound is in each of the two renditions.
    const count = spec.muxed ? 2 : (spec.tracks?.length ?? 0)
    expect(played.sound).toHaveLength(tracks === 'all' ? count : Math.min(1, count))
    // AAC comes in frames of 21 ms, and mpv fills the time before the first picture with silence.
    for (const seconds of played.sound) expect(Math.abs(seconds - SECONDS)).toBeLessThan(0.15)
  })
})
