import { describe, expect, it } from 'vitest'
import { av1Arguments, ENCODERS, encoderArguments } from './encoders.ts'

const INPUT = { maxRates: [5_000_000, 800_000], threads: 3, keyFrames: 'expr:gte(t,n_forced*2)', reorder: true }

describe('encoderArguments', () => {
  it.each(ENCODERS)('caps the rate of each rendition, forces key frames and sets the profile with %s', (encoder) => {
    const text = encoderArguments(encoder, INPUT).output.join(' ')
    expect(text).toContain('-maxrate:v:0 5000000 -bufsize:v:0 10000000 -maxrate:v:1 800000 -bufsize:v:1 1600000')
    expect(text).toContain('-force_key_frames expr:gte(t,n_forced*2)')
    expect(text).toContain('-profile:v high')
    expect(text).toContain('-g 600')
  })

  it('gives x264 the options of the processor alone', () => {
    const { global, filters, output } = encoderArguments('x264', INPUT)
    expect([global, filters]).toEqual([[], ''])
    expect(output.slice(0, 10)).toEqual('-c:v libx264 -preset veryfast -crf 24 -threads 3 -sc_threshold 0'.split(' '))
    expect(output.slice(10, 12)).toEqual(['-x264-params', 'trellis=1:aq-mode=2:rc-lookahead=20'])
    expect(output).not.toContain('-bf')
    expect(encoderArguments('x264', { ...INPUT, reorder: false }).output.join(' ')).toContain('-bf 0')
  })

  it('leaves decisions and the look ahead to a slower preset of x264', () => {
    const { output } = encoderArguments('x264', { ...INPUT, preset: 'slow' })
    expect(output.slice(0, 4)).toEqual('-c:v libx264 -preset slow'.split(' '))
    expect(output.join(' ')).toContain('-x264-params aq-mode=2 ')
    expect(encoderArguments('nvenc', { ...INPUT, preset: 'slow' })).toEqual(encoderArguments('nvenc', INPUT))
  })

  it('makes forced key frames of hardware encoders IDR frames, and reorders no frames', () => {
    const text = (encoder: 'nvenc' | 'qsv' | 'vaapi') => encoderArguments(encoder, INPUT).output.join(' ')
    expect(text('nvenc')).toMatch(/-bf 0 .*-no-scenecut 1 -forced-idr 1/)
    expect(text('qsv')).toMatch(/-bf 0 .*-adaptive_i 0 -forced_idr 1/)
    expect(text('vaapi')).toContain('-bf 0')
  })

  it('uploads pictures to the device where the encoder reads them there', () => {
    expect(encoderArguments('vaapi', INPUT)).toMatchObject({
      global: ['-vaapi_device', '/dev/dri/renderD128'],
      filters: 'format=nv12,hwupload',
    })
    expect(encoderArguments('qsv', INPUT).filters).toBe('format=nv12')
    expect(encoderArguments('nvenc', INPUT).filters).toBe('')
  })

  it('gives an average rate where the encoder has no quality mode', () => {
    for (const encoder of ['qsv', 'vaapi'] as const)
      expect(encoderArguments(encoder, INPUT).output.join(' ')).toContain('-b:v:0 3500000 -b:v:1 560000')
    expect(encoderArguments('nvenc', INPUT).output.join(' ')).toContain('-cq 23 -b:v 0')
  })
})

it('gives SVT-AV1 the metadata of an HDR picture, and nothing of it for another', () => {
  const input = { threads: 2, group: 100, rateFactors: [24, 24] }
  const parameters = (light: { mastering?: string; contentLight?: string }) => av1Arguments({ ...input, light })
  const mastering = 'G(0.265,0.69)B(0.15,0.06)R(0.68,0.32)WP(0.3127,0.329)L(1000,0.005)'
  expect(parameters({ mastering, contentLight: '1000,400' })).toContain(`lp=2:scd=0:mastering-display=${mastering}:content-light=1000,400`)
  expect(parameters({})).toEqual(av1Arguments(input))
  expect(av1Arguments(input)).toContain('lp=2:scd=0')
})
