import { expect, it } from 'vitest'
import { safePath } from './session'

const here = 'https://videos.example.com'

it.each(['/videos', '/videos/vid_1?tab=log', '/'])('redirects to %s', (from) => {
  expect(safePath(from)).toBe(from)
})

it.each([
  undefined,
  null,
  '',
  'videos',
  'https://evil.example',
  'javascript:alert(1)',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/a/..//evil.example',
  '/./\\evil.example',
  '/..//evil.example/path',
  '/a/%2e%2e//evil.example',
  '///evil.example',
  '/@evil.example',
])('never redirects to another site for %j', (from) => {
  expect(new URL(safePath(from), here).origin).toBe(here)
})
