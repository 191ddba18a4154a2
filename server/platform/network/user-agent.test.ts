import { describe, expect, it } from 'vitest'
import { deviceOf } from './user-agent.ts'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'

describe('deviceOf', () => {
  it.each([
    [`${WINDOWS} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Windows', 'computer'],
    [`${WINDOWS} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0`, 'Edge on Windows', 'computer'],
    [`${WINDOWS} ${WEBKIT} Chrome/100.0.0.0 Safari/537.36 OPR/86.0`, 'Opera on Windows', 'computer'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux', 'computer'],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on ChromeOS', 'computer'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/18.0 Safari/605.1', 'Safari on macOS', 'computer'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Safari/604.1', 'Safari on iPhone', 'phone'],
    ['Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605 CriOS/140.0 Mobile/15E148 Safari/604.1', 'Chrome on iPad', 'phone'],
    [`Mozilla/5.0 (Linux; Android 13; SM-S901B) ${WEBKIT} SamsungBrowser/23.0 Mobile`, 'Samsung Internet on Android', 'phone'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot', 'program'],
    ['curl/8.5.0', 'curl', 'program'],
    ['node', 'node', 'program'],
    ['', 'Unknown device', 'program'],
    ['<script>', 'Unknown device', 'program'],
  ])('%s is %s', (userAgent, device, kind) => {
    expect(deviceOf(userAgent)).toEqual({ device, kind })
  })
})
