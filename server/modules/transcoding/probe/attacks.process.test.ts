import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ffmpeg, ffprobe, guardedInput, ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import { encodeFile } from '../../../testing/media/encoded-file.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { referring } from '../../../testing/media/mov-reference.ts'
import { inputs, rounds } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import { encodeAudio } from '../encode/encode-audio.ts'
import { planOf } from '../plan/plan-video.ts'
import { probe } from './probe.ts'
import { isSourceRejected } from './source-fault.ts'

provide({ BASE_URL: 'http://localhost', MAX_VIDEO_HOURS: '1' })
const never = new AbortController().signal
let scratch: string
let secret: string
let server: Server
let site: string
let connections = 0

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-attack-'))
  // Another account's video, stored next to the attacker's upload.
  secret = join(scratch, 'secret.ts')
  await ffmpeg(['-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=5:duration=1', '-c:v', 'mpeg2video', secret])
  server = createServer((_req, res) => res.writeHead(404).end()).on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  await rm(scratch, { recursive: true, force: true })
})

const LONG_AGO = new Date('2020-01-01')
/** Returns whether the other account's video was read since the previous call. */
async function wasRead(): Promise<boolean> {
  const { atimeMs } = await stat(secret)
  await utimes(secret, LONG_AGO, new Date())
  return atimeMs > LONG_AGO.getTime() + 1_000
}

const hls = (body: string) => `#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:5\n#EXT-X-MEDIA-SEQUENCE:0\n${body}\n#EXT-X-ENDLIST\n`
const dash = (media: string, base = '') => `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" type="static" mediaPresentationDuration="PT5S" minBufferTime="PT1S">
${base}<Period duration="PT5S"><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1000" codecs="avc1.42c01e" width="64" height="64">
<SegmentList timescale="1" duration="5"><Initialization sourceURL="${media}"/><SegmentURL media="${media}"/></SegmentList></Representation></AdaptationSet></Period></MPD>`
/** An MP4 whose first box is valid and contains the text: its first bytes match a video container. */
const wrapped = (text: string) => {
  const box = (type: string, body: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(body.length + 8)
    return Buffer.concat([size, Buffer.from(type), body])
  }
  return Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isom')), box('free', Buffer.from(text)), Buffer.from(`\n${text}`)])
}

/**
 * Known attacks by uploaded files, as `content(secret, site)`. Each is stored under several names: some demuxers use the extension.
 */
const ATTACKS = inputs<[name: string, content: (secret: string, site: string) => string | Buffer]>(
  [
    ['an HLS playlist of a file', (file) => hls(`#EXTINF:5,\n${file}`)],
    ['an HLS playlist of a site', (_, at) => hls(`#EXTINF:5,\n${at}/a.ts`)],
    [
      'an HLS master playlist',
      (file, at) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${at}/v.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\n${file}\n`,
    ],
    [
      'an HLS playlist through other protocols',
      (file) => hls(`#EXTINF:5,\nconcat:${file}|${file}\n#EXTINF:5,\nsubfile,,start,0,end,999,,:${file}\n#EXTINF:5,\ncrypto:${file}`),
    ],
    ['a joined list of a neighbour', () => 'ffconcat version 1.0\nfile secret.ts\n'],
    ['a joined list of a site', (_, at) => `ffconcat version 1.0\nfile '${at}/a.ts'\n`],
    ['a DASH manifest of a site', (_, at) => dash(`${at}/a.mp4`)],
    ['a DASH manifest of a file', (file) => dash(`file://${file}`)],
    ['a DASH manifest inside an MP4', (_, at) => wrapped(dash(`${at}/a.mp4`))],
    ['an HLS playlist inside an MP4', (file, at) => wrapped(hls(`#EXTINF:5,\n${at}/a.ts\n#EXTINF:5,\n${file}`))],
    [
      'a session description',
      () => 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n',
    ],
    ['a reference file', (_, at) => `[Reference]\nRef1=${at}/a.asf\nRef2=${at}/b.asf\n`],
    ['a redirection of Real', (_, at) => `${at}/a.rm\n${at}/b.rm\n`],
    ['a list of pictures', () => 'secret%d.jpg\n'],
    ['a subtitle next to a video', () => '{1}{1}25\n{DEFAULT}{}\n{1}{50}secret.ts\n'],
    ['a text that is shown', (file) => `TTY\n${file}\n`],
    ['an EDL', (file) => `# mpv EDL v0\n${file},0,5\n`],
    ['an AviSynth script', (file) => `DirectShowSource("${file}")\n`],
    ['a VapourSynth script', (file) => `import vapoursynth\nopen('${file}').read()\n`],
  ],
  // Other addresses for the demuxers above.
  [
    ['an HLS playlist of a file by address', (file) => hls(`#EXTINF:5,\nfile://${file}`)],
    ['an HLS playlist of a neighbour', () => hls('#EXTINF:5,\nsecret.ts')],
    ['an HLS playlist with a key elsewhere', (file, at) => hls(`#EXT-X-KEY:METHOD=AES-128,URI="${at}/key"\n#EXTINF:5,\n${file}`)],
    ['an HLS playlist with a first part elsewhere', (file, at) => hls(`#EXT-X-MAP:URI="${at}/init.mp4"\n#EXTINF:5,\n${file}`)],
    ['a joined list of a file', (file) => `ffconcat version 1.0\nfile '${file}'\n`],
    ['a joined list with options', (file) => `ffconcat version 1.0\nfile '${file}'\noption protocol_whitelist file,http,tcp\n`],
    ['a DASH manifest with a site as its base', (_, at) => dash('a.mp4', `<BaseURL>${at}/</BaseURL>`)],
  ],
)
const NAMES = ['upload', 'upload.mp4', 'upload.ts', 'upload.m3u8', 'upload.mpd', 'upload.ffconcat', 'upload.avs']
/** The names of an attack in this run: the stored one and, by turns, some of the others. */
const namesOf = (attack: number, others: number) =>
  NAMES.filter((_, index) => index === 0 || (index - 1 + attack) % (NAMES.length - 1) < others)
/** Other names that ffprobe reads. */
const PROBED = rounds(1, NAMES.length)
/** Other names that ffmpeg reads as well. Both programs detect formats by the same library. */
const DECODED = rounds(0, NAMES.length)

it('detects reads of the secret file and connections to the site', async () => {
  await wasRead()
  const playlist = join(scratch, 'control.m3u8')
  await writeFile(playlist, hls(`#EXTINF:5,\n${secret}`))
  await ffmpeg(['-i', playlist, '-f', 'null', '-'])
  expect(await wasRead()).toBe(true)
  const before = connections
  await writeFile(playlist, hls(`#EXTINF:5,\n${site}/a.ts`))
  await ffmpeg(['-protocol_whitelist', 'file,http,tcp', '-i', playlist, '-f', 'null', '-']).catch(() => {})
  expect(connections).toBeGreaterThan(before)
})

describe('probe and encode of an upload that is really', () => {
  it.each(ATTACKS.map(([name, content], index) => [name, content, namesOf(index, PROBED), namesOf(index, DECODED)] as const))(
    '%s read no file and connect to no site',
    async (name, content, probed, decoded) => {
      const folder = join(scratch, name.replaceAll(/\W/g, '-'))
      await mkdir(folder)
      await wasRead()
      const before = connections
      for (const file of probed) {
        // In the folder of the other video, so that relative references can name it.
        const path = join(dirname(secret), `${name.replaceAll(/\W/g, '-')}-${file}`)
        await writeFile(path, content(secret, site))
        // Unconfined: where namespaces are unavailable, the lists of formats and protocols alone must prevent access.
        // A text with a G at the right offsets is detected as an empty transport stream.
        const seen = await ffprobe(path, { only: undefined }).catch((error: Error) => error)
        if (!(seen instanceof ProgramFailed)) expect(seen).toMatchObject({ found: { streams: [] } })
        if (decoded.includes(file)) await expect(ffmpeg([...guardedInput(path), '-f', 'null', '-'])).rejects.toBeInstanceOf(ProgramFailed)
      }
      const path = join(dirname(secret), `${name.replaceAll(/\W/g, '-')}-upload`)
      expect(isSourceRejected(await probe(path, never).catch((error) => error))).toBe(true)
      expect(await wasRead()).toBe(false)
      expect(connections).toBe(before)
    },
  )
})

it.each([
  ['by its address', (file: string) => file],
  ['next to it', () => 'secret.ts'],
])('probe of a QuickTime video whose media is in another file, named %s, reads no file', async (how, name) => {
  const own = await readFile(
    await makeMediaFile('own.mov', ['-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=5:duration=1', '-c:v', 'mpeg4']),
  )
  const path = join(dirname(secret), `reference-${how.replaceAll(' ', '-')}.mov`)
  await writeFile(path, referring(own, name(secret)))
  await wasRead()
  // A reader that follows references reads the file, which shows that the test can fail.
  const follow = ['-enable_drefs', '1', '-use_absolute_path', how === 'next to it' ? '0' : '1']
  await ffmpeg([...follow, '-i', path, '-f', 'null', '-']).catch(() => {})
  expect(await wasRead()).toBe(true)
  const made = await encodeFile(path, { targetQuality: '240p', scratch }).catch((error) => error)
  expect(made).toBeInstanceOf(Error)
  expect(await wasRead()).toBe(false)
})

it('programs that read uploads cannot reach the network, even unconfined', async () => {
  const before = connections
  await expect(ffmpeg([...guardedInput('').with(-1, `${site}/a.ts`), '-f', 'null', '-'])).rejects.toBeInstanceOf(ProgramFailed)
  expect(connections).toBe(before)
})

describe('limits', () => {
  const color = (size: string, rate: number, seconds: number) => [
    '-f',
    'lavfi',
    '-i',
    `color=size=${size}:rate=${rate}:duration=${seconds}`,
  ]
  const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
  // Noise in ten bits, which the encoder can neither skip nor merge.
  const LARGEST = [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=1024x544:rate=25:duration=0.4'],
    ...['-vf', 'noise=alls=60:allf=t,scale=4096:2176:flags=neighbor,format=yuv420p10le'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '30'],
    ...['-x264-params', 'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc'],
  ]
  const tracks = (count: number) => [
    '-f',
    'lavfi',
    '-i',
    'anullsrc=sample_rate=8000:duration=1',
    ...Array.from({ length: count }, () => ['-map', '1']).flat(),
  ]

  async function transcoded(file: string, args: string[], targetQuality: string, patienceMs?: number) {
    const path = await makeMediaFile(file, args)
    const { renditions, tracks } = await encodeFile(path, { targetQuality, scratch, patienceMs })
    return { qualities: renditions.map(({ spec }) => spec.quality), tracks: tracks.length }
  }

  const HOUR = [...color('32x32', 1, 3_599), ...x264]

  it('of duration plan a file just below', async () => {
    const { facts, renditions } = await planOf(await makeMediaFile('hour.mp4', HOUR), '240p', never)
    expect([facts.durationSec, renditions.map(({ quality }) => quality)]).toEqual([3_599, ['32p']])
  })

  const accepted = inputs<[string, string, string[], string, string, number]>(
    [
      ['pixels', 'large-few.mp4', [...color('4096x2176', 5, 0.4), ...x264], '2160p', '2160p', 0],
      ['tracks', 'tracks-64.mkv', [...color('64x64', 5, 1), ...tracks(63), '-map', '0', ...x264, '-c:a', 'pcm_s16le'], '240p', '64p', 8],
      ['frames a second', 'fast.mp4', [...color('64x64', 300, 1), ...x264], '240p', '64p', 0],
    ],
    [
      ['pixels, in HDR and so many that every buffer is full', 'large.mp4', LARGEST, '2160p', '2160p', 0],
      ['duration', 'hour.mp4', HOUR, '240p', '32p', 0],
    ],
  )
  it.each(accepted)(
    'of %s accept a file just below',
    async (_name, file, args, target, quality, sounds) => {
      const { qualities, tracks } = await transcoded(file, args, target)
      expect([qualities[0], tracks]).toEqual([quality, sounds])
    },
    180_000,
  )

  it.each<[string, string, string[], RegExp]>([
    ['pixels', 'larger.mp4', [...color('4098x2176', 5, 0.4), ...x264], /resolution \(4098×2176\)/],
    ['pixels by far', 'bomb.mkv', [...color('12000x12000', 1, 1), '-c:v', 'png', '-frames:v', '2'], /resolution \(12000×12000\)/],
    ['duration', 'hours.mp4', [...color('32x32', 1, 3_700), ...x264], /longer than the maximum of 1 hour/],
    ['tracks', 'tracks-65.mkv', [...color('64x64', 5, 1), ...tracks(64), '-map', '0', ...x264, '-c:a', 'pcm_s16le'], /65 tracks/],
    ['frames a second', 'faster.mp4', [...color('64x64', 400, 1), ...x264], /400 frames per second/],
  ])('of %s refuse a file above, with a reason', async (_name, file, args, words) => {
    const refusal = await transcoded(file, args, '240p').catch((error) => error)
    expect(isSourceRejected(refusal)).toBe(true)
    expect(refusal.message).toMatch(words)
  })

  it('of time accept an encoding that ends in time', async () => {
    const clip = [...color('64x64', 25, 2), ...x264]
    // Longer than the test itself may take.
    expect(await transcoded('timed.mp4', clip, '240p', 3_600_000)).toEqual({ qualities: ['64p'], tracks: 0 })
  })

  it('of time stop an encoding that does not end', async () => {
    const refusal = await transcoded('hour.mp4', HOUR, '240p', 20).catch((error) => error)
    expect(isSourceRejected(refusal)).toBe(true)
    expect(refusal.message).toMatch(/takes longer/)
  })
  it('of time stop an encoding of sound that does not end', async () => {
    const tone = ['-f', 'lavfi', '-i', 'sine=sample_rate=8000:duration=599', '-c:a', 'pcm_s16le']
    const path = await makeMediaFile('long-sound.mkv', [...color('32x32', 1, 599), ...tone, ...x264])
    const plan = await planOf(path, '240p', never)
    const [track] = plan.facts.audio
    if (!track) throw new Error('no track was found')
    const folder = await mkdtemp(join(scratch, 'out-'))
    const input = { source: path, folder, plan, track, signal: never, onProgress: () => {}, patienceMs: 20 }
    const refusal = await encodeAudio(input).catch((error) => error)
    expect(isSourceRejected(refusal)).toBe(true)
    expect(refusal.message).toMatch(/takes longer/)
  })
})
