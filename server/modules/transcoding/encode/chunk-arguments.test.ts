import { describe, expect, it } from 'vitest'
import { sourceFacts } from '../../../testing/media/source-facts.ts'
import type { AudioTrack } from '../plan/audio-tracks.ts'
import { HDR_RATE_FACTORS } from '../plan/encoders.ts'
import { ladder } from '../plan/ladder.ts'
import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import { keptShape } from '../probe/picture-shape.ts'
import type { SourceFacts } from '../probe/probe.ts'
import { chunkArguments } from './chunk-arguments.ts'
import { trackArguments } from './encode-audio.ts'

const track: AudioTrack = { stream: 2, language: null, name: 'Track 1', isDefault: true, mono: false, endsEarlySec: 0 }
const facts = sourceFacts(60, '30000/1001', { container: 'matroska,webm', audio: [track] })
const CODING = { codec: 'h264', profile: 'High', level: 31, pixelFormat: 'yuv420p', progressive: true, squarePixels: true, rotated: false }
/** The second of three chunks, which begins 2.6 ms after the time of its segment. */
const middle: Chunk = {
  position: 1,
  startFrame: 1_079,
  frames: 720,
  expectedFrames: 720,
  firstSegment: 9,
  seek: { sec: 33.866667, keyFrameSec: 33.366667 },
}
const first: Chunk = { position: 0, startFrame: 0, frames: 1_079, expectedFrames: 1_079, firstSegment: 0, seek: null }

function made(chunk: Chunk, changes: Partial<SourceFacts> = {}, target = '480p', further: Partial<TranscodePlan> = {}): string[] {
  const all = { ...facts, ...changes }
  const renditions = ladder({ ...all, frameRate: all.frameRate.value }, target)
  const plan: TranscodePlan = { version: 1, facts: all, renditions, segmentSec: 4, chunks: [chunk], ...further }
  return chunkArguments({
    source: '/media/sources/vid_1',
    folder: '/scratch/1',
    plan,
    chunk,
    threads: 2,
    encoder: 'x264',
    exactTones: true,
  })
}
const kept = (width: number, height: number) => keptShape({ width, height }, facts)
const optionOf = (args: string[], name: string) => args[args.indexOf(name) + 1] ?? ''
const graphOf = (args: string[]) => optionOf(args, '-filter_complex').split(';')

describe('chunkArguments', () => {
  it('opens only the source, as a local file of an accepted container', () => {
    const args = made(middle)
    for (const guard of ['-protocol_whitelist', '-format_whitelist', '-max_pixels', '-ss'])
      expect(args.indexOf(guard)).toBeLessThan(args.indexOf('-i'))
    expect(optionOf(args, '-protocol_whitelist')).toBe('file')
    expect(optionOf(args, '-format_whitelist')).not.toMatch(/hls|dash|concat|image/)
    expect(optionOf(args, '-i')).toBe('file:/media/sources/vid_1')
    expect(args.filter((arg) => arg === '-i')).toHaveLength(1)
  })

  it('selects frames by their number in the video, and scales each rendition from the one above', () => {
    const tags = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709'
    expect(graphOf(made(middle))).toEqual([
      `[0:0]setpts='if(eq(N,0),min(PTS,floor(36.002633/TB)),PTS)',fps=30000/1001,trim=start_pts=1079:end_pts=1799,scale=${kept(854, 480)}:flags=bicubic:out_range=tv,setsar=1,format=yuv420p,pad=854:480:-1:-1:eval=frame,${tags},split=2[v0][c1]`,
      '[c1]scale=640:360:flags=bicubic,setsar=1,split=2[v1][c2]',
      '[c2]scale=426:240:flags=bicubic,setsar=1[v2]',
    ])
    expect(graphOf(made(first))[0]).toMatch(/^\[0:0\]fps=30000\/1001:start_time=0,trim=start_pts=0:end_pts=1079,scale/)
  })

  it('keeps the times of the source where it seeks, and only there', () => {
    const input = ['-copyts', '-start_at_zero', '-noaccurate_seek', '-ss', '33.866667']
    expect(made(middle).join(' ')).toContain(input.join(' '))
    expect(made(first).join(' ')).not.toMatch(/-copyts|-ss/)
  })

  it('shifts key frames and cuts by what the first frame is late in its segment', () => {
    expect([optionOf(made(middle), '-force_key_frames'), optionOf(made(middle), '-hls_time')]).toEqual([
      'expr:gte(t+0.002634333,n_forced*2)',
      '3.997317',
    ])
    expect([optionOf(made(first), '-force_key_frames'), optionOf(made(first), '-hls_time')]).toEqual([
      'expr:gte(t+0.000001000,n_forced*2)',
      '4.000000',
    ])
    expect(optionOf(made(middle), '-start_number')).toBe('9')
  })

  it('numbers AV1 segments like H.264 segments', () => {
    expect(optionOf(made(middle, {}, '360p', { codec: 'av1' }), '-start_number')).toBe('9')
  })

  it('keeps an HDR picture in ten bits with its colours and metadata, and tone-maps it for H.264 alone', () => {
    const colors = { primaries: 'bt2020', transfer: 'smpte2084', matrix: 'bt2020nc', rgb: false }
    const ofHdr = made(first, { hdr: 'pq' }, '360p', { codec: 'av1', hdr: { colors, contentLight: '1000,400' } })
    const tags = 'setparams=range=tv:color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc'
    expect(graphOf(ofHdr)).toEqual([
      `[0:0]fps=30000/1001:start_time=0,trim=start_pts=0:end_pts=1079,scale=${kept(640, 360)}:flags=bicubic:out_range=tv,setsar=1,format=yuv420p10le,pad=640:360:-1:-1:eval=frame,${tags},split=2[v0][c1]`,
      '[c1]scale=426:240:flags=bicubic,setsar=1[v1]',
    ])
    expect(optionOf(ofHdr, '-svtav1-params')).toBe('lp=2:scd=0:content-light=1000,400')
    expect(ofHdr.join(' ')).toContain(`-crf:v:0 ${HDR_RATE_FACTORS.pq} -crf:v:1 ${HDR_RATE_FACTORS.pq}`)
    const [shown] = graphOf(made(first, { hdr: 'pq' }))
    expect(shown).toMatch(/tonemap=.*,format=yuv420p,setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709/)
    const [rgb] = graphOf(made(first, { hdr: 'hlg' }, '360p', { codec: 'av1', hdr: { colors: { ...colors, rgb: true } } }))
    expect(rgb).toContain('out_range=tv:out_color_matrix=bt2020,setsar=1,format=yuv420p10le')
  })

  it('deinterlaces before all other filters, and shows the last frame until the sound ends', () => {
    const graph = graphOf(made({ ...middle, frames: null }, { interlaced: true, pictureEndsEarlySec: 2.5 }))[0]
    expect(graph).toMatch(/^\[0:0\]bwdif=mode=send_field:deint=interlaced,setpts=/)
    expect(graph).toContain(',fps=30000/1001,tpad=stop_mode=clone:stop_duration=2.500,trim=start_pts=1079,scale')
  })

  it('goes on when the size of the picture changes, unless ffmpeg turns it before the first filter', () => {
    const coding = { ...CODING, codedSize: { width: 720, height: 576 } }
    const graph = made(first, { interlaced: true, coding })
    expect(graph.slice(0, graph.indexOf('-i')).join(' ')).toContain('-reinit_filter 0')
    expect(graphOf(graph)[0]).toContain(',pad=720:576:-1:-1:eval=frame,bwdif=')
    for (const unknown of [{ coding: { ...coding, rotated: true } }, { coding: CODING, interlaced: true }, {}])
      expect(made(first, unknown)).not.toContain('-reinit_filter')
  })

  it('maps no sound, and reads it only where the start of the source depends on it', () => {
    expect(made(middle).join(' ')).not.toMatch(/-c:a|-b:a|0:2/)
    expect(made(first, { container: 'mpegts' }).slice(-7)).toEqual(['-map', '0:2', '-c', 'copy', '-f', 'null', '-'])
  })

  it("contains neither encryption nor URLs, and drops the source's metadata", () => {
    const args = made(middle)
    expect(args.join(' ')).not.toMatch(/key_info|hls_enc|http/)
    expect(optionOf(args, '-map_metadata')).toBe('-1')
    expect(args.at(-1)).toBe('/scratch/1/%v.m3u8')
  })

  it('forces key frames alone, and cuts at every second one', () => {
    const args = made(first)
    expect([optionOf(args, '-sc_threshold'), optionOf(args, '-g')]).toEqual(['0', '600'])
    expect(Number(optionOf(args, '-hls_time')) % 2).toBe(0)
  })

  it('maps each picture to a playlist and a folder of its own', () => {
    const args = made(first)
    expect(optionOf(args, '-var_stream_map')).toBe('v:0,name:480p v:1,name:360p v:2,name:240p')
    expect(args.flatMap((arg, at) => (arg === '-map' ? [args[at + 1]] : []))).toEqual(['[v0]', '[v1]', '[v2]'])
    expect(optionOf(args, '-hls_segment_filename')).toBe('/scratch/1/%v/%05d.ts')
  })

  it('splits nothing with one rendition', () => {
    expect(graphOf(made(first, {}, '240p'))).toEqual([expect.stringMatching(/colorspace=bt709\[v0\]$/)])
  })
})

describe('trackArguments', () => {
  const tracked = (changes: Partial<AudioTrack> = {}) => {
    const plan: TranscodePlan = { version: 1, facts, renditions: [], segmentSec: 4, chunks: [first] }
    return trackArguments({ source: '/media/sources/vid_1', folder: '/scratch/1', plan, track: { ...track, ...changes } })
  }

  it('opens only the source, as a local file of an accepted container', () => {
    const args = tracked()
    for (const guard of ['-protocol_whitelist', '-format_whitelist', '-max_pixels'])
      expect(args.indexOf(guard)).toBeLessThan(args.indexOf('-i'))
    expect(optionOf(args, '-i')).toBe('file:/media/sources/vid_1')
    expect(args.filter((arg) => arg === '-i')).toHaveLength(1)
  })

  it('fills gaps, converts to stereo and maps no picture', () => {
    expect(graphOf(tracked())).toEqual(['[0:2]aresample=48000:async=1:first_pts=0,aformat=channel_layouts=stereo[a]'])
    expect(tracked().filter((arg) => arg === '-map')).toHaveLength(1)
    expect(tracked().join(' ')).not.toMatch(/-c:v|scale=|fps=|key_info|hls_enc|http/)
    expect(optionOf(tracked(), '-map_metadata')).toBe('-1')
  })

  it('copies mono to both channels, and extends sound that ends early', () => {
    expect(graphOf(tracked({ mono: true }))[0]).toContain(',pan=stereo|c0=c0|c1=c0[a]')
    expect(graphOf(tracked({ endsEarlySec: 1.5 }))[0]).toContain(',apad=pad_dur=1.500[a]')
  })

  it('cuts segments and shifts times as those of the picture', () => {
    for (const option of ['-hls_time', '-output_ts_offset']) expect(optionOf(tracked(), option)).toBe(optionOf(made(first), option))
  })
})
