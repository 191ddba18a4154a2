import { expect, it } from 'vitest'
import { keyUrlIn } from './key-url.ts'

const base = 'https://cdn.example.com/cdn/v/720p.m3u8?g=permit'
const playlist = (...uris: string[]) =>
  ['#EXTM3U', ...uris.map((uri) => `#EXT-X-KEY:METHOD=AES-128,URI="${uri}"`), '#EXTINF:4,', 'a.ts'].join('\n')

it('returns the key of the same path, whatever its signature', () => {
  const text = playlist('/cdn/key/one?s=1', '/cdn/key/two?s=2')
  expect(keyUrlIn(text, base, 'https://cdn.example.com/cdn/key/two?s=old')).toBe('https://cdn.example.com/cdn/key/two?s=2')
})

it('returns the first key where the path itself is signed', () => {
  expect(keyUrlIn(playlist('key/fresh'), base, 'https://cdn.example.com/cdn/v/key/old')).toBe('https://cdn.example.com/cdn/v/key/fresh')
})

it('returns none for a playlist that is not encrypted', () => {
  expect(keyUrlIn(playlist(), base, 'https://cdn.example.com/k')).toBeUndefined()
})
