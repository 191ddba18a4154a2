import { describe, expect, test } from 'vitest'
import { canonicalRange, networksOf, requireAllowedAddress } from './ip-ranges.ts'
import { addressRange } from './schema.ts'

const lets = (ranges: string[], address: string) => {
  try {
    requireAllowedAddress(networksOf(ranges), address)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'IP_NOT_ALLOWED' })
    return false
  }
}

test.each([
  ['10.0.0.0/8', '10.255.255.255', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['10.0.0.0/8', '9.255.255.255', false],
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['203.0.113.6/31', '203.0.113.7', true],
  ['203.0.113.6/31', '203.0.113.8', false],
  ['0.0.0.0/0', '198.51.100.1', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['::/0', '2001:db8::1', true],
  // IPv6 sockets report IPv4 clients as IPv4-mapped addresses, and ranges may be written so.
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['10.0.0.0/8', '::ffff:11.1.2.3', false],
  ['::ffff:10.0.0.0/104', '10.1.2.3', true],
  ['::ffff:10.0.0.0/104', '::ffff:11.1.2.3', false],
  ['::/0', '::ffff:10.1.2.3', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['2001:DB8:0:0::1', '2001:db8::1', true],
  ['fe80::/10', 'fe80::1%eth0', true],
  // Some proxies write the port of the connection.
  ['203.0.113.0/24', '203.0.113.9:51234', true],
  ['203.0.113.0/24', '198.51.100.1:51234', false],
  ['2001:db8::/32', '[2001:db8::7]:443', true],
  ['10.0.0.0/8', '[::ffff:10.1.2.3]:443', true],
  ['::1', '::1', true],
  ['::1', '127.0.0.1', false],
  ['10.0.0.0/8', '', false],
  ['10.0.0.0/8', 'unknown', false],
  ['10.0.0.0/8', '10.0.0.1, 192.0.2.1', false],
])('requireAllowedAddress with %s and a request from %s: %s', (range, address, expected) => {
  expect(lets([range], address)).toBe(expected)
  expect(lets([canonicalRange(range)], address)).toBe(expected)
  expect(lets(['192.0.2.99', range], address)).toBe(expected)
})

test.each([
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['10.1.2.3/32', '10.1.2.3'],
  ['2001:DB8:0:0:0:0:0:1/128', '2001:db8::1'],
  ['2001:db8:1:2:3::/48', '2001:db8:1::/48'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
])('canonicalRange of %s is %s', (written, kept) => {
  expect(canonicalRange(written)).toBe(kept)
  expect(canonicalRange(kept)).toBe(kept)
})

describe('addressRange refuses text that is neither address nor network, with a message', () => {
  test.each([
    '',
    'localhost',
    'example.com',
    '010.0.0.1',
    '10.0.0.1/33',
    '10.0.0/24',
    '10.1',
    '0x0a000001',
    '2001:db8::/129',
    'fe80::1%eth0',
    '*',
    '10.0.0.1-10.0.0.9',
    '::ffff:10.0.0.1/-1',
    '1.2.3.4/08',
  ])('%s', (text) => {
    expect(addressRange.safeParse(text).error?.issues[0]?.message).toMatch(/is not an IP address or network/)
  })
  test.each([' 10.0.0.1 ', '10.0.0.0/8', '::1', '2001:db8::/32', '::ffff:10.0.0.1', '::/0'])('addressRange accepts %s', (text) => {
    expect(() => canonicalRange(addressRange.parse(text))).not.toThrow()
  })
})
