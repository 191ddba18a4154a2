import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type GivenSettings, loadEnvFile, readSettings } from './config.ts'

/** Vitest sets BASE_URL to its own '/'. */
const read = (given: GivenSettings) => readSettings({ BASE_URL: '', ...given })

describe('the public URLs', () => {
  it.each([
    ['https://video.example.com', 'https://video.example.com'],
    ['https://video.example.com/', 'https://video.example.com'],
    ['https://video.example.com//', 'https://video.example.com'],
    ['HTTPS://Video.Example.com:443', 'https://video.example.com'],
    ['http://192.168.1.20:3000/', 'http://192.168.1.20:3000'],
    ['http://[2001:db8::7]:3000', 'http://[2001:db8::7]:3000'],
    ['https://übung.example', 'https://xn--bung-zra.example'],
  ])('BASE_URL=%s is %s', (given, origin) => {
    expect(read({ BASE_URL: given, SDK_URL: given })).toMatchObject({ BASE_URL: origin, SDK_URL: origin })
  })

  it.each(['BASE_URL', 'SDK_URL'] as const)('%s has no path, since pages are served at the root of a host', (name) => {
    for (const path of ['/video', '/video/', '/index.html', '/%20'])
      expect(() => read({ [name]: `https://example.com${path}` })).toThrow(
        `${name}: Remove the path. Reelgate needs its own host or port, such as https://video.example.com.`,
      )
  })

  it.each([
    ['https://example.com?a=1', 'Remove the query and the fragment: everything from ? or #.'],
    ['https://example.com/?', 'Remove the query and the fragment: everything from ? or #.'],
    ['https://example.com/#top', 'Remove the query and the fragment: everything from ? or #.'],
    ['https://anna:secret-word@example.com', 'Remove the user name and the password.'],
    ['https://anna@example.com', 'Remove the user name and the password.'],
    ['ftp://example.com', 'Enter a URL that starts with https:// or http://.'],
    ['example.com', 'Enter a URL that starts with https:// or http://.'],
    ['localhost:3000', 'Enter a URL that starts with https:// or http://.'],
    ['https:example.com', 'Enter a URL that starts with https:// or http://.'],
    ['https://', 'Enter a URL that starts with https:// or http://.'],
  ])('%s is refused in words, without its secrets', (given, words) => {
    for (const name of ['BASE_URL', 'SDK_URL', 'CDN_URL', 'OIDC_ISSUER', 'GITHUB_URL'] as const) {
      expect(() => read({ [name]: given })).toThrow(`${name}: ${words}`)
      expect(() => read({ [name]: given })).not.toThrow('secret-word')
    }
  })

  it('those of buckets, CDNs and providers may have a path', () => {
    const given = 'https://s3.example.com/media'
    expect(read({ CDN_URL: `${given}/`, OIDC_ISSUER: given })).toMatchObject({ CDN_URL: given, OIDC_ISSUER: given })
  })

  it('the URL that purges a CDN may have a query', () => {
    const given = 'https://api.bunny.net/purge?async=true'
    expect(read({ CDN_PURGE_URL: given }).CDN_PURGE_URL).toBe(given)
    expect(() => read({ CDN_PURGE_URL: 'https://key@api.bunny.net/purge' })).toThrow('CDN_PURGE_URL: Remove the user name')
  })
})

describe('the hosts that may be reached', () => {
  it('have the form in which requests name them', () => {
    const given = ' Receiver.Internal.:8080 ,10.0.0.5, [2001:DB8::7]:443,2001:db8:0::8,b\u00fccher.example,, '
    const hosts = ['receiver.internal:8080', '10.0.0.5', '2001:db8::7:443', '2001:db8::8', 'xn--bcher-kva.example']
    expect(read({ WEBHOOK_ALLOWED_HOSTS: given }).WEBHOOK_ALLOWED_HOSTS).toEqual(hosts)
    expect(read({}).IMPORT_ALLOWED_HOSTS).toEqual([])
  })

  it.each(['http://receiver', 'receiver/hooks', 'me@receiver', 'receiver:http', 'one two', '10.0.0.0/8', ':8080'])(
    '%s is refused',
    (given) => {
      expect(() => read({ SPEECH_ALLOWED_HOSTS: `10.0.0.5,${given}` })).toThrow('SPEECH_ALLOWED_HOSTS: Enter hosts, or hosts with a port')
    },
  )
})

describe('paths', () => {
  it.each(['~/reelgate', '~', '~anna/reelgate', '$HOME/reelgate', '$(pwd)/reelgate', '"/srv/reelgate"', "'/srv/reelgate'"])(
    '%s would be a folder of that name, and is refused',
    (given) => {
      for (const name of ['DATA_DIR', 'FFMPEG_PATH'] as const)
        expect(() => read({ [name]: given })).toThrow(
          `${name}: Enter the complete path. ~, $ and quotes at its beginning are replaced by a shell only.`,
        )
      for (const name of ['STORAGE_URL', 'BACKUP_URL', 'FFMPEG_READS'] as const) expect(() => read({ [name]: given })).toThrow(name)
    },
  )

  it('one that contains such a character further on is used as it is', () => {
    expect(read({ DATA_DIR: 'media~1/a$b' }).DATA_DIR).toBe(resolve('media~1/a$b'))
  })
})

describe('PORT and ADMIN_PORT', () => {
  it.each([
    ['4000', undefined, 4000],
    ['127.0.0.1:4000', '127.0.0.1', 4000],
    ['[::1]:4000', '::1', 4000],
    ['web-1.internal:4000', 'web-1.internal', 4000],
  ])('%s', (given, host, port) => {
    expect(read({ PORT: given })).toMatchObject({ HOST: host, PORT: port, BASE_URL: `http://localhost:${port}` })
    expect(read({ ADMIN_PORT: given })).toMatchObject({ ADMIN_HOST: host ?? '127.0.0.1', ADMIN_PORT: port })
  })

  it.each(['0', '70000', 'http', ':4000', '127.0.0.1', '::1:4000', '1.2.3.4:'])('%s is refused', (given) => {
    expect(() => read({ PORT: given })).toThrow('PORT: Enter a port, or an address and a port such as 127.0.0.1:3000.')
  })

  it('must differ', () => {
    expect(() => read({ PORT: '4000', ADMIN_PORT: '0.0.0.0:4000' })).toThrow('ADMIN_PORT: must differ from PORT')
  })
})

describe('WORKER_ACCOUNTS', () => {
  it('names tiers, or accounts', () => {
    expect(read({}).WORKER_ACCOUNTS).toEqual(['paid', 'free'])
    expect(read({ WORKER_ACCOUNTS: 'acc_1, acc_2' }).WORKER_ACCOUNTS).toEqual(['acc_1', 'acc_2'])
    expect(() => read({ WORKER_ACCOUNTS: 'paid,acc_1' })).toThrow('Enter paid, free, both, or ids of accounts.')
  })
})

describe('CREDIT_PRICE', () => {
  it('is an amount and a currency', () => {
    expect(read({})).toMatchObject({ CREDIT_PRICE: 100, CREDIT_CURRENCY: 'usd' })
    expect(read({ CREDIT_PRICE: '90 eur' })).toMatchObject({ CREDIT_PRICE: 90, CREDIT_CURRENCY: 'eur' })
    expect(() => read({ CREDIT_PRICE: '90' })).toThrow('Enter an amount and a currency, such as 100 usd.')
  })
})

describe('the file .env', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-env-'))
  const file = join(folder, '.env')
  afterEach(() => vi.unstubAllEnvs())

  it('sets what the environment does not, and returns warnings', () => {
    for (const name of ['SIGN_UP', 'SIGNUP', 'PORT']) vi.stubEnv(name, undefined)
    vi.stubEnv('PORT', '4000')
    writeFileSync(file, '\u{feff}SIGN_UP=off\nPORT=5000\nSIGNUP=on\n')
    expect(loadEnvFile(file)).toEqual(['SIGNUP, on line 3, is not a setting of Reelgate. Did you mean SIGN_UP?'])
    expect(read({})).toMatchObject({ SIGN_UP: 'off', PORT: 4000 })
  })

  it('sets nothing when it is refused, and names the file', () => {
    vi.stubEnv('SIGN_UP', undefined)
    writeFileSync(file, 'SIGN_UP=off\nSMTP_URL=smtp://me:pass#word@host\n')
    expect(() => loadEnvFile(file)).toThrow(`The file ${file} cannot be read: the value of SMTP_URL on line 2 would end before its #.`)
    expect(read({}).SIGN_UP).toBe('open')
  })

  it('may be absent, but not a folder', () => {
    expect(loadEnvFile(join(folder, 'absent'))).toEqual([])
    mkdirSync(join(folder, 'made'))
    expect(() => loadEnvFile(join(folder, 'made'))).toThrow('cannot be read: EISDIR')
  })
})

describe('hours after which a watched video is encoded again', () => {
  it.each([
    [undefined, 20],
    ['0', 0],
    ['12.5', 12.5],
    ['', null],
    [' ', null],
  ])('AV1_AFTER_HOURS=%j is %j', (given, hours) => {
    vi.stubEnv('AV1_AFTER_HOURS', undefined)
    expect(read(given === undefined ? {} : { AV1_AFTER_HOURS: given }).AV1_AFTER_HOURS).toBe(hours)
    vi.unstubAllEnvs()
  })

  it.each(['-1', 'never'])('refuses %j', (given) => expect(() => read({ AV1_AFTER_HOURS: given })).toThrow('AV1_AFTER_HOURS'))
})
