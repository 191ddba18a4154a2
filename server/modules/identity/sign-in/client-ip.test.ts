import { expect, it } from 'vitest'
import { clientInfo } from './client-ip.ts'

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['198.51.100.1:80, 203.0.113.9:51234', '203.0.113.9'],
  ['[2001:db8:1:2::7]:443', '2001:db8:1:2'],
  ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2:ffff::', '2001:db8:1:2'],
  ['2001:DB8:0001:2::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['evil, ', 'unknown'],
  ['what is this', 'what is this'],
  [undefined, 'unknown'],
])('%s counts as %s', (header, address) => {
  expect(clientInfo(header)).toMatchObject({ address })
})

it('clientInfo returns the complete address and the user agent for the security log', () => {
  expect(clientInfo('2001:db8:1:2:3:4:5:6', { userAgent: 'curl/8' })).toEqual({
    ...{ address: '2001:db8:1:2', remote: '2001:db8:1:2:3:4:5:6', userAgent: 'curl/8' },
  })
})
