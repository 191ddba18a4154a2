import { expect, it } from 'vitest'
import { dynamicRangeOf } from './presenter.ts'

it.each([
  ['av01.0.08M.10.0.110.09.16.09.0', 'PQ'],
  ['av01.0.13M.10.0.112.09.18.09.0', 'HLG'],
  ['av01.0.08M.10.0.110.09.14.09.0', 'SDR'],
  ['av01.0.08M.08', 'SDR'],
  ['avc1.640028,mp4a.40.2', 'SDR'],
])('states %s as %s', (codecs, range) => expect(dynamicRangeOf(codecs)).toBe(range))
