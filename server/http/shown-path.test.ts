import { expect, test } from 'vitest'
import { shownPath } from './shown-path.ts'

const ID = 'usr_0123456789abcdefghijkl'

test.each([
  ['/v1/video/{videoId}', { videoId: 'vid_0123456789abcdefghijkl' }, '/v1/video/vid_0123456789abcdefghijkl'],
  ['/v1/viewer/{viewerId}', { viewerId: 'student-42' }, '/v1/viewer/{viewerId}'],
  ['/v1/viewer/{viewerId}', { viewerId: ID }, '/v1/viewer/{viewerId}'],
])('shows %s with %j as %s', (route, params, shown) => expect(shownPath({ route, params })).toBe(shown))
