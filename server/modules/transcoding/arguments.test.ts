import { describe, expect, it } from 'vitest'
import { encodeArguments } from './arguments.ts'
import { ladder } from './ladder.ts'
import type { SourceFacts } from './probe.ts'

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
  audioStream: 2,
  mono: false,
  audio: [{ stream: 2, language: null, name: 'Track 1', isDefault: true, mono: false, endsEarlySec: 0 }],
  pictureEndsEarlySec: 0,
  soundEndsEarlySec: 0,
}
const made = (changes: Partial<SourceFacts> = {}, target = '480p') => {
  const all = { ...facts, ...changes }
  const renditions = ladder({ ...all, frameRate: all.frameRate.value }, target)
  return encodeArguments({
    source: '/media/sources/vid_1',
    folder: '/scratch/vid_1.1',
    facts: all,
    renditions,
    threads: 2,
    exactTones: true,
  })
}
const optionOf = (args: string[], name: string) => args[args.indexOf(name) + 1] ?? ''

describe('encodeArguments', () => {
  it('opens only the source, as a local file of an accepted container', () => {
    const args = made()
    expect(args.indexOf('-protocol_whitelist')).toBeLessThan(args.indexOf('-i'))
    expect(args.indexOf('-format_whitelist')).toBeLessThan(args.indexOf('-i'))
    expect(args.indexOf('-max_pixels')).toBeLessThan(args.indexOf('-i'))
    expect(optionOf(args, '-protocol_whitelist')).toBe('file')
    expect(optionOf(args, '-format_whitelist')).not.toMatch(/hls|dash|concat|image/)
    expect(optionOf(args, '-i')).toBe('file:/media/sources/vid_1')
    expect(args.filter((arg) => arg === '-i')).toHaveLength(1)
  })

  it('sets the frame rate first, then scales each rendition from the one above, with square pixels after every scale', () => {
    const graph = optionOf(made(), '-filter_complex').split(';')
    expect(graph).toEqual([
      '[0:0]fps=30000/1001:start_time=0,scale=854:480:flags=bicubic:out_range=tv,setsar=1,format=yuv420p,split=2[v0][c1]',
      '[c1]scale=640:360:flags=bicubic,setsar=1,split=2[v1][c2]',
      '[c2]scale=426:240:flags=bicubic,setsar=1[v2]',
      '[0:2]aresample=48000:async=1:first_pts=0,aformat=channel_layouts=stereo,asplit=3[a0][a1][a2]',
    ])
  })

  it('forces key frames at equal times in every rendition and none in between', () => {
    const args = made()
    expect(optionOf(args, '-force_key_frames')).toBe('expr:gte(t,n_forced*2)')
    expect([optionOf(args, '-sc_threshold'), optionOf(args, '-g')]).toEqual(['0', '600'])
    expect(Number(optionOf(args, '-hls_time')) % 2).toBe(0)
  })

  it('pairs each picture with its sound', () => {
    expect(optionOf(made(), '-var_stream_map')).toBe('v:0,a:0,name:480p v:1,a:1,name:360p v:2,a:2,name:240p')
    expect(made().filter((arg) => arg === '-map')).toHaveLength(6)
  })

  it('maps no sound for a silent source', () => {
    const args = made({ audioStream: undefined })
    expect(optionOf(args, '-var_stream_map')).toBe('v:0,name:480p v:1,name:360p v:2,name:240p')
    expect(args.join(' ')).not.toMatch(/\[a\d\]|aresample|-c:a|-b:a/)
  })

  it('deinterlaces before all other filters', () => {
    expect(optionOf(made({ interlaced: true }), '-filter_complex')).toMatch(/^\[0:0\]bwdif=mode=send_field:deint=interlaced,fps=/)
  })

  it('splits nothing with one rendition', () => {
    expect(optionOf(made({}, '240p'), '-filter_complex')).toContain('scale=426:240:flags=bicubic:out_range=tv,setsar=1,format=yuv420p[v0];')
  })

  it("contains neither encryption nor URLs, and drops the source's metadata", () => {
    const args = made()
    expect(args.join(' ')).not.toMatch(/key_info|hls_enc|http/)
    expect(optionOf(args, '-map_metadata')).toBe('-1')
    expect(args.at(-1)).toBe('/scratch/vid_1.1/%v.m3u8')
  })
})
