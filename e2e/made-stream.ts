import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import './container.ts'
import { ffmpeg } from '../server/platform/ffmpeg/ffmpeg.ts'
import { makeCaptioned } from '../server/testing/media/captioned-picture.ts'

/** Audio tracks outside the video stream. The first one is the default. */
export interface Tone {
  name: string
  language: string
  /** Hertz. */
  pitch: number
}

interface Recipe {
  seconds: number
  tones?: readonly Tone[]
  /** Frames per second. */
  rate?: number
  /** Text in the picture (CEA-608, channel CC1), shown within the first seconds. */
  caption?: string
}

interface Track {
  folder: string
  /** Names and seconds. */
  segments: { name: string; sec: number }[]
}

const SEGMENT_SEC = 2
const cache = join(import.meta.dirname, '../.cache/e2e/streams')

/**
 * A video whose video and audio streams are separate, as ffmpeg cuts them, with playlists in the form that the service serves. A test
 * decides what the session says and how many segments the playlists list.
 */
export class MadeStream {
  /** Segments that the playlists list; all of them end the playlists. */
  listed = Number.POSITIVE_INFINITY
  /** Whether the master playlist lists a second rendition, with the same segments. */
  hasSecond = false
  /** Fields of session.json that differ from a plain video's. */
  session: Record<string, unknown> = {}
  /** Fields of the token's exchange beside the master playlist. */
  manifest: Record<string, unknown> = {}
  /** Files of the session by name. */
  files: Record<string, string> = {}
  /** The addresses of all media requests. */
  readonly requests: string[] = []
  private readonly recipe: Recipe
  private readonly picture: Track
  private readonly sound: Track[]

  constructor(recipe: Recipe, picture: Track, sound: Track[]) {
    this.recipe = recipe
    this.picture = picture
    this.sound = sound
  }

  /** Answers the page's requests for the token's exchange and for media. Returns the address of the player. */
  async serve(page: Page): Promise<string> {
    await page.route('**/v1/video/playback/manifest/**', (route) =>
      route.fulfill({ json: { success: true, data: { masterPlaylistUrl: this.address(route.request().url()), ...this.manifest } } }),
    )
    await page.route('**/cdn/hls/vid_made/**', async (route) => {
      const url = new URL(route.request().url())
      this.requests.push(url.href)
      const name = url.pathname.split('/').slice(5).join('/')
      if (name === 'session.json') return route.fulfill({ json: this.sessionJson(url.href) })
      if (name.endsWith('.m3u8')) return route.fulfill({ body: this.playlist(name), contentType: 'application/vnd.apple.mpegurl' })
      if (this.files[name]) return route.fulfill({ body: this.files[name], contentType: 'text/vtt' })
      return route.fulfill({ body: await readFile(join(cache, name)), contentType: 'video/mp2t' })
    })
    return '/embed/vid_made?token=made&muted'
  }

  private address(base: string): string {
    return new URL('/cdn/hls/vid_made/permit/master.m3u8', base).href
  }

  private sessionJson(url: string) {
    const renewed = { masterPlaylistUrl: this.address(url), sessionExpiresAt: new Date(Date.now() + 3_600_000), lifetimeSec: 3_600 }
    const plain = { title: 'Harbour', durationSec: this.recipe.seconds, poster: null, storyboard: null, captions: [], renewed }
    return { ...plain, ...this.session }
  }

  private playlist(name: string): string {
    if (name === 'master.m3u8') return this.master()
    const track = /^(240|144)p\.m3u8$/.test(name) ? this.picture : this.sound[Number(/\d+/.exec(name)?.[0])]
    if (!track) throw new Error(`There is no ${name}.`)
    const segments = track.segments.slice(0, this.listed)
    const lines = segments.map(({ name: file, sec }) => `#EXTINF:${sec},\n${track.folder}/${file}\n`).join('')
    const end = segments.length === track.segments.length ? '#EXT-X-ENDLIST\n' : ''
    const head = `#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:${SEGMENT_SEC + 1}\n#EXT-X-MEDIA-SEQUENCE:0\n`
    // Without EXT-X-START, which would excuse a player that begins at the live edge.
    const kind = `#EXT-X-PLAYLIST-TYPE:${end ? 'VOD' : 'EVENT'}\n`
    return `${head}${kind}#EXT-X-INDEPENDENT-SEGMENTS\n${lines}${end}`
  }

  private master(): string {
    const tones = this.recipe.tones ?? []
    const media = tones.map(({ name, language }, at) => {
      const flags = `DEFAULT=${at === 0 ? 'YES' : 'NO'},AUTOSELECT=YES,CHANNELS="2"`
      return `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="${name}",LANGUAGE="${language}",${flags},URI="audio-${at}.m3u8"\n`
    })
    const sound = tones.length > 0
    const codecs = sound ? 'avc1.64001f,mp4a.40.2' : 'avc1.64001f'
    const closed = this.recipe.caption === undefined ? '' : ',CLOSED-CAPTIONS="cc"'
    if (closed) media.push('#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="Closed captions",INSTREAM-ID="CC1"\n')
    const picture = (bandwidth: number, size: string, file: string) =>
      `#EXT-X-STREAM-INF:BANDWIDTH=${bandwidth},RESOLUTION=${size},CODECS="${codecs}"${sound ? ',AUDIO="audio"' : ''}${closed}\n${file}\n`
    const streams = [
      picture(900_000, '426x240', '240p.m3u8'),
      ...(this.hasSecond ? [picture(500_000, '256x144', '144p.m3u8')] : []),
      ...(sound ? ['#EXT-X-STREAM-INF:BANDWIDTH=140000,CODECS="mp4a.40.2",AUDIO="audio"\naudio-0.m3u8\n'] : []),
    ]
    return `#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n${media.join('')}${streams.join('')}`
  }
}

/** Returns the stream of a recipe, which ffmpeg encodes on its first use. */
export async function makeStream(recipe: Recipe): Promise<MadeStream> {
  const { seconds, rate = 30, tones = [], caption } = recipe
  const drawn = ['-f', 'lavfi', '-i', `testsrc2=size=426x240:rate=${rate}:duration=${seconds}`]
  const picture = caption === undefined ? drawn : ['-i', await captioned(drawn, rate, caption)]
  const encoded = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', String(rate * SEGMENT_SEC), '-sc_threshold', '0', '-pix_fmt', 'yuv420p']
  return new MadeStream(
    recipe,
    await cut([...picture, ...encoded]),
    await Promise.all(
      tones.map(({ pitch }) =>
        cut(['-f', 'lavfi', '-i', `sine=frequency=${pitch}:duration=${seconds}`, '-c:a', 'aac', '-ac', '2', '-ar', '48000']),
      ),
    ),
  )
}

/** Returns a file of this picture with a caption in it. */
async function captioned(source: string[], rate: number, text: string): Promise<string> {
  const path = join(
    cache,
    `${createHash('sha256')
      .update(JSON.stringify([source, text]))
      .digest('hex')
      .slice(0, 16)}.mp4`,
  )
  if (existsSync(path)) return path
  await mkdir(cache, { recursive: true })
  const unfinished = join(cache, `${randomBytes(6).toString('hex')}.mp4`)
  await makeCaptioned(unfinished, { source, rate: String(rate), captions: [{ frame: 10, text }] })
  await rename(unfinished, path)
  return path
}

/** Cuts the output of these arguments into segments of MPEG-TS. */
async function cut(source: string[]): Promise<Track> {
  const folder = createHash('sha256').update(JSON.stringify(source)).digest('hex').slice(0, 16)
  const path = join(cache, folder)
  if (!existsSync(path)) {
    const unfinished = join(cache, randomBytes(6).toString('hex'))
    await mkdir(unfinished, { recursive: true })
    const hls = ['-output_ts_offset', '10', '-f', 'hls', '-hls_time', String(SEGMENT_SEC), '-hls_playlist_type', 'vod']
    await ffmpeg([...source, ...hls, '-hls_segment_filename', join(unfinished, '%05d.ts'), join(unfinished, 'index.m3u8')])
    // Another test may have made the same stream meanwhile.
    await rename(unfinished, path).catch(async (error: Error) => {
      if (!existsSync(path)) throw error
      await rm(unfinished, { recursive: true })
    })
  }
  const index = await readFile(join(path, 'index.m3u8'), 'utf8')
  const segments = [...index.matchAll(/#EXTINF:([\d.]+),\n(\S+)/g)].map(([, sec, name]) => ({ name: name as string, sec: Number(sec) }))
  return { folder, segments }
}
