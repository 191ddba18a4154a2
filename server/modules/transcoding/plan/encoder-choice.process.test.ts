import { afterEach, describe, expect, it, vi } from 'vitest'
import { log } from '../../../platform/observe/log.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { chooseEncoder, chosenEncoder, devicesOf, proveEncoder } from './encoder-choice.ts'

provide({ BASE_URL: 'http://localhost' })
afterEach(() => {
  vi.restoreAllMocks()
  provide({ TRANSCODE_ENCODER: 'x264' })
  renew('encoderChoice')
})

describe('chosenEncoder', () => {
  it('passes its test with x264', async () => {
    await proveEncoder('x264')
  })

  it('is x264 by default', async () => {
    expect(await chosenEncoder()).toBe('x264')
  })

  // Without the device ffmpeg fails as it does where a driver is missing.
  const absent = (['nvenc', 'qsv', 'vaapi'] as const).filter((encoder) => devicesOf(encoder).length === 0)
  it.each(absent)('falls back to x264 with a line in the log when %s fails', async (encoder) => {
    const warn = vi.spyOn(log(), 'warn')
    expect(await chooseEncoder('auto', () => [encoder])).toBe('x264')
    expect(await chooseEncoder(encoder)).toBe('x264')
    expect(warn.mock.calls.map(([about, text]) => [(about as { encoder: string }).encoder, text])).toEqual(
      [encoder, encoder].map((name) => [name, 'the hardware encoder failed its test; encoding in software']),
    )
  })

  it.skipIf(!absent.includes('nvenc'))('tests once a process', async () => {
    provide({ TRANSCODE_ENCODER: 'nvenc' })
    const warn = vi.spyOn(log(), 'warn')
    expect(await Promise.all([chosenEncoder(), chosenEncoder()])).toEqual(['x264', 'x264'])
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('tests nothing where auto finds no device', async () => {
    const warn = vi.spyOn(log(), 'warn')
    expect(await chooseEncoder('auto', () => [])).toBe('x264')
    expect(warn).not.toHaveBeenCalled()
  })
})
