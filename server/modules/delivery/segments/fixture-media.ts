import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from '../../../platform/config/config.ts'
import { derivedKey } from '../../../platform/config/secrets.ts'
import { services } from '../../../platform/container.ts'
import { streamKey } from '../../transcoding/encode/content-key.ts'
import { encryptSegment } from '../../transcoding/encode/segment-store.ts'
import type { VideoStreams } from '../playlists/media-streams.ts'
import { segmentList } from './segment-list.ts'

/** The fixture whose tokens play. */
const PLAYS = 'vid_test_completed'

/** Properties of the files in fixture-media/: 10 frames per second, and each segment's seconds. Main profile; AAC-LC. */
const RENDITIONS = [
  { quality: '720p', width: 1280, height: 720, codecs: 'avc1.4d401f' },
  { quality: '480p', width: 854, height: 480, codecs: 'avc1.4d401e' },
  { quality: '360p', width: 640, height: 360, codecs: 'avc1.4d401e' },
  { quality: '240p', width: 426, height: 240, codecs: 'avc1.4d4015' },
] as const
const PICTURE_SEC = [4, 4, 4, 4, 4]
const SOUND_SEC = [4.010667, 3.989333, 4.010667, 3.989333, 4.010667]

interface FixtureMedia {
  streams: VideoStreams
  /** Encrypted, by name. */
  segments: ReadonlyMap<string, Buffer>
}

declare module '../../../platform/container.ts' {
  interface Services {
    /** Reads the media at the first call. */
    fixtureMedia: () => FixtureMedia
  }
}

export function makeFixtureMedia(): () => FixtureMedia {
  let media: FixtureMedia | undefined
  return () => (media ??= read())
}

/** Returns the streams of a fixture that plays. Undefined for other IDs. */
export const fixtureStreams = (videoId: string): VideoStreams | undefined =>
  videoId === PLAYS ? services().fixtureMedia().streams : undefined

/** Returns a fixture's segment by its name, encrypted. Undefined if there is none. */
export const fixtureSegment = (videoId: string, name: string): Buffer | undefined =>
  videoId === PLAYS ? services().fixtureMedia().segments.get(name) : undefined

/**
 * Reads and encrypts the segments. The key derives from the root secret, so all processes of an installation have the same segments, and no
 * storage is needed.
 */
function read(): FixtureMedia {
  const contentKey = derivedKey('fixture-media')
  const segments = new Map<string, Buffer>()
  const folder = join(import.meta.dirname, 'fixture-media')
  const base = `${env().PLAYLIST_URL}/cdn/segments/${PLAYS}/`
  const listed = (file: string, durations: number[]) => {
    const bodies = durations.map((seconds, at) => {
      const plain = readFileSync(/* turbopackIgnore: true */ join(folder, `${file}-${at}.mpegts`))
      const { name, body } = encryptSegment(plain, streamKey(contentKey, file === 'audio' ? 'audio-0' : file), at)
      segments.set(name, body)
      return { name, seconds, bits: body.byteLength * 8 }
    })
    const bits = bodies.reduce((sum, one) => sum + one.bits, 0)
    const rates = {
      bandwidth: Math.ceil(Math.max(...bodies.map((one) => one.bits / one.seconds))),
      averageBandwidth: Math.ceil(bits / durations.reduce((sum, one) => sum + one, 0)),
    }
    const names = bodies.map(({ name, seconds }) => [name, seconds] as const)
    return { ...rates, ...segmentList(names, base) }
  }
  const sound = { position: 0, language: null, name: 'Sound', isDefault: true, channels: 1, codecs: 'mp4a.40.2' }
  const streams: VideoStreams = {
    ...{ mediaId: PLAYS, suffix: '', former: [] },
    renditions: RENDITIONS.map((one) => ({ ...one, codec: 'h264' as const, frameRate: 10, ...listed(one.quality, PICTURE_SEC) })),
    audio: [{ ...sound, ...listed('audio', SOUND_SEC) }],
    ...{ iframes: [], closedCaptions: [], captions: [], isWhole: true, playedEarly: false, contentKey, durationSec: 20 },
    ...{ poster: null, posterCandidates: [], posterUploaded: null, storyboard: null },
  }
  return { streams, segments }
}
