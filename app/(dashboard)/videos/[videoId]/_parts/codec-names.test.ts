import { expect, it } from 'vitest'
import { codecNames } from './codec-names.ts'

it.each([
  ['avc1.64001f,mp4a.40.2', 'H.264 High 3.1, AAC'],
  ['avc1.4d401e', 'H.264 Main 3.0'],
  ['hvc1.1.6.L93.B0', 'HEVC'],
  ['new1.9', 'new1.9'],
])('names %s', (codecs, name) => expect(codecNames(codecs)).toBe(name))
