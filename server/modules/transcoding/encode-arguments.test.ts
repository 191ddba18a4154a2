import { describe, expect, it } from 'vitest'
import type { AudioTrack } from './audio-tracks.ts'
import { chunkArguments } from './chunk-arguments.ts'
import { trackArguments } from './encode-audio.ts'
import { ladder } from './ladder.ts'
import { planTranscode } from './plan.ts'
import type { SourceFacts } from './probe.ts'

const track: AudioTrack = { stream: 2, language: null, name: 'Track 1', isDefault: true, mono: false, endsEarlySec: 0 }
const facts: SourceFacts = {
  durationSec: 60,
  container: 'mov,mp4,m4a,3gp,3g2,mj2',
  width: 1280,
  height: 720,
  frameRate: { text: '30000/1001', value: 29.97 },
  interlaced: false,
  hdr: undefined,
  colors: { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', rgb: false },
  videoStream: 0,
  audio: [track],
  pictureEndsEarlySec: 0,
}
const source = '/media/sources/vid_1'
const folder = '/scratch/vid_1.1'

/** Returns the arguments of a chunk: of the whole video, or of the second one, which begins at 8 s. */
function made(
  changes: Partial<SourceFacts> = {},
  { target = '480p', chunk = 'whole' }: { target?: string; chunk?: 'whole' | 'second' } = {},
) {
  const all = { ...facts, ...changes }
  const renditions = ladder({ ...all, frameRate: all.frameRate.value }, target)
  const times = [0, 8, 24, 40, 60]
  const groups = times.slice(0, -1).map((sec, at) => ({ sec, nextSec: times[at + 1] ?? Number.POSITIVE_INFINITY }))
  const keyFrames = chunk === 'whole' ? undefined : { keyFrames: groups, packets: 1_800, endSec: 60, seekable: true }
  const plan = planTranscode({ facts: all, renditions, ...(keyFrames && { keyFrames }) })
  const chosen = plan.chunks[chunk === 'whole' ? 0 : 1]
  if (!chosen) throw new Error('the plan has one chunk')
  return chunkArguments({ source, folder, plan, chunk: chosen, threads: 2, encoder: 'x264', exactTones: true })
}
const sound = (changes: Partial<AudioTrack> = {}) =>
  trackArguments({ source, folder, plan: planTranscode({ facts, renditions: [] }), track: { ...track, ...changes } })
const optionOf = (args: string[], name: string) => args[args.indexOf(name) + 1] ?? ''
const TAGS = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709'

describe.each([
  ['chunkArguments', () => made()],
  ['chunkArguments of a later chunk', () => made({}, { chunk: 'second' })],
  ['trackArguments', () => sound()],
] as const)('%s', (_name, list) => {
  it('opens only the source, as a local file of an accepted container', () => {
    const args = list()
    expect(args.indexOf('-protocol_whitelist')).toBeLessThan(args.indexOf('-i'))
    expect(args.indexOf('-format_whitelist')).toBeLessThan(args.indexOf('-i'))
    expect(args.indexOf('-max_pixels')).toBeLessThan(args.indexOf('-i'))
    expect(optionOf(args, '-protocol_whitelist')).toBe('file')
    expect(optionOf(args, '-format_whitelist')).not.toMatch(/hls|dash|concat|image/)
    expect(optionOf(args, '-i')).toBe('file:/media/sources/vid_1')
    expect(args.filter((arg) => arg === '-i')).toHaveLength(1)
  })

  it("contains neither encryption nor URLs, and drops the source's metadata", () => {
    const args = list()
    expect(args.join(' ')).not.toMatch(/key_info|hls_enc|http/)
    expect(optionOf(args, '-map_metadata')).toBe('-1')
    expect(args.at(-1)?.startsWith(`${folder}/`)).toBe(true)
  })

  it('adds the same constant to the times of pictures and sound', () => {
    expect(optionOf(list(), '-output_ts_offset')).toBe('10')
  })
})

describe('chunkArguments', () => {
  it('sets the frame rate first, then scales each rendition from the one above, with square pixels after every scale', () => {
    const graph = optionOf(made(), '-filter_complex').split(';')
    expect(graph).toEqual([
      `[0:0]fps=30000/1001:start_time=0,scale=854:480:flags=bicubic:out_range=tv,setsar=1,format=yuv420p,${TAGS},split=2[v0][c1]`,
      '[c1]scale=640:360:flags=bicubic,setsar=1,split=2[v1][c2]',
      '[c2]scale=426:240:flags=bicubic,setsar=1[v2]',
    ])
  })

  it('forces key frames at equal times in every rendition and none in between', () => {
    const args = made({ frameRate: { text: '30', value: 30 } })
    expect(optionOf(args, '-force_key_frames')).toBe('expr:gte(t+0.000001000,n_forced*2)')
    expect([optionOf(args, '-sc_threshold'), optionOf(args, '-g')]).toEqual(['0', '600'])
    expect(Number(optionOf(args, '-hls_time')) % 2).toBe(0)
  })

  it('decodes a later chunk from a key frame, keeps its frames alone and numbers its segments on', () => {
    const args = made({ frameRate: { text: '30', value: 30 } }, { chunk: 'second' })
    expect(args.indexOf('-ss')).toBeLessThan(args.indexOf('-i'))
    expect(Number(optionOf(args, '-ss'))).toBe(8.5)
    const [first] = optionOf(args, '-filter_complex').split(';')
    expect(first).toMatch(/fps=30,trim=start_pts=240:end_pts=\d+,scale=854:480/)
    expect(optionOf(args, '-start_number')).toBe('2')
    expect(made()).not.toContain('-ss')
  })

  it('maps each picture and no sound', () => {
    const args = made()
    expect(optionOf(args, '-var_stream_map')).toBe('v:0,name:480p v:1,name:360p v:2,name:240p')
    expect(args.flatMap((arg, at) => (arg === '-map' ? [args[at + 1]] : []))).toEqual(['[v0]', '[v1]', '[v2]'])
    expect(args.join(' ')).not.toMatch(/\[a\d?\]|aresample|-c:a|-b:a/)
    expect(made({ audio: [] })).toEqual(args)
  })

  it('deinterlaces before all other filters', () => {
    expect(optionOf(made({ interlaced: true }), '-filter_complex')).toMatch(/^\[0:0\]bwdif=mode=send_field:deint=interlaced,fps=/)
  })

  it('splits nothing with one rendition', () => {
    expect(optionOf(made({}, { target: '240p' }), '-filter_complex')).toBe(
      `[0:0]fps=30000/1001:start_time=0,scale=426:240:flags=bicubic:out_range=tv,setsar=1,format=yuv420p,${TAGS}[v0]`,
    )
  })

  it('writes a playlist and a folder for each rendition', () => {
    expect(made().at(-1)).toBe('/scratch/vid_1.1/%v.m3u8')
    expect(optionOf(made(), '-hls_segment_filename')).toBe('/scratch/vid_1.1/%v/%05d.ts')
  })
})

describe('trackArguments', () => {
  const graphOf = (args: string[]) => optionOf(args, '-filter_complex')

  it('fills gaps, converts to stereo and maps nothing else', () => {
    expect(graphOf(sound())).toBe('[0:2]aresample=48000:async=1:first_pts=0,aformat=channel_layouts=stereo[a]')
    expect(sound().filter((arg) => arg === '-map')).toHaveLength(1)
    expect(sound().join(' ')).not.toMatch(/-c:v|scale=|fps=/)
  })

  it('copies mono to both channels and extends sound that ends early', () => {
    expect(graphOf(sound({ mono: true }))).toContain(',pan=stereo|c0=c0|c1=c0[a]')
    expect(graphOf(sound({ endsEarlySec: 1.5 }))).toContain(',apad=pad_dur=1.500[a]')
  })

  it('cuts segments of the length of those of the picture', () => {
    expect(Number(optionOf(sound(), '-hls_time'))).toBe(Number(optionOf(made({ frameRate: { text: '30', value: 30 } }), '-hls_time')))
  })
})
