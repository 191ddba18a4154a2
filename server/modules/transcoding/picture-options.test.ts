import { expect, it } from 'vitest'
import { encoderArguments } from './encoders.ts'
import { optionsOfPicture } from './picture-options.ts'

const { output } = encoderArguments('x264', { maxRates: [5_000, 900], threads: 2, keyFrames: 'expr:1', reorder: true })
const args = ['-i', 'source', '-map', '[v0]', ...output, '-f', 'hls', 'out']

it('keeps the options of one rendition, without key frames of the chunk', () => {
  const [top, low] = [optionsOfPicture(args, 0), optionsOfPicture(args, 1)]
  expect(top.join(' ')).toMatch(/^-c:v libx264 -preset veryfast .* -maxrate 5000 -bufsize 10000 -profile:v high -g 600$/)
  expect(low.join(' ')).toContain('-maxrate 900 -bufsize 1800')
  expect(low).toHaveLength(top.length)
})
