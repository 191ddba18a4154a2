import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseEnvFile } from './env-file.ts'
import { settings } from './settings.ts'

const KNOWN = Object.keys(settings)
const parse = (text: string | Uint8Array) => parseEnvFile(typeof text === 'string' ? Buffer.from(text) : text, KNOWN)

describe('the encoding', () => {
  it('a byte order mark does not hide the first setting', () => {
    expect(parse('\u{feff}SIGN_UP=off\nPORT=4000')).toEqual({ values: { SIGN_UP: 'off', PORT: '4000' }, warnings: [] })
  })

  it.each([
    ['UTF-16 of Notepad', Buffer.from('\u{feff}SIGN_UP=off', 'utf16le'), 'it is encoded as UTF-16. Save it as UTF-8.'],
    ['UTF-16, big-endian', Buffer.from('\u{feff}SIGN_UP=off', 'utf16le').swap16(), 'it is encoded as UTF-16. Save it as UTF-8.'],
    ['UTF-16 without a mark', Buffer.from('SIGN_UP=off', 'utf16le'), 'it is encoded as UTF-16. Save it as UTF-8.'],
    ['Windows-1252', Buffer.from('MAIL_FROM=Jürgen', 'latin1'), 'it is not encoded as UTF-8. Save it as UTF-8.'],
  ])('%s is refused', (_, bytes, words) => {
    expect(() => parse(bytes)).toThrow(words)
  })

  it('line ends may be those of Windows', () => {
    expect(parse('SIGN_UP=off\r\nPORT=4000\r\n').values).toEqual({ SIGN_UP: 'off', PORT: '4000' })
  })
})

describe('a value that would lose its end is refused, without being repeated', () => {
  it.each([
    ['SMTP_URL=smtp://me:secret#word@host', 'the value of SMTP_URL on line 1 would end before its #.'],
    ['\nSMTP_URL=#secret', 'the value of SMTP_URL on line 2 would end before its #.'],
    ['SMTP_URL="secret', 'the value of SMTP_URL on line 1 has no closing ".'],
    ['SMTP_URL="secret\nPORT=4000', 'the value of SMTP_URL on line 1 has no closing ".'],
    ['SMTP_URL="secret"word"', 'the value of SMTP_URL on line 1 would end at the second ".'],
    ['SMTP_URL="secret\\"word"', 'the value of SMTP_URL on line 1 would end at the second ".'],
    ["INVOICE_NOTE='it's secret'", "the value of INVOICE_NOTE on line 1 would end at the second '."],
    ['PORT=4000\nSIGN_UP: off', 'line 2 is not of the form NAME=value.'],
    ['SIGN_UP off', 'line 1 is not of the form NAME=value.'],
    ['=secret', 'line 1 is not of the form NAME=value.'],
    ['MY SIGN_UP=secret', 'line 1 is not of the form NAME=value.'],
    ['export\tSIGN_UP=secret', 'line 1 is not of the form NAME=value.'],
    ['\u00a0SIGN_UP=secret', 'line 1 contains an invisible character.'],
    ['PORT=4000\nSIGN_UP\u00a0=secret', 'line 2 contains an invisible character.'],
    ['SIGN_UP=secret\u200b', 'line 1 contains an invisible character.'],
    ['SIGN_UP=secret\u00a0# mail', 'line 1 contains an invisible character.'],
    ['\ufeff\ufeffSIGN_UP=secret', 'line 1 contains an invisible character.'],
    ['PORT=4000\fSIGN_UP=secret', 'line 1 contains an invisible character.'],
  ])('%j', (text, words) => {
    expect(() => parse(text)).toThrow(words)
    expect(() => parse(text)).not.toThrow('secret')
  })
})

it.each([
  'PORT=4000 # the port',
  'PORT= # none',
  'PORT=\t# none',
  'SMTP_URL="smtp://me:a#b@host" # mail',
  "SMTP_URL='smtp://me:a#b@host'",
  'INVOICE_ISSUER=`Acme\'s "best"`',
  'INVOICE_NOTE="two\nlines # and no comment"\nPORT=4000',
  '  export PORT = 4000 \n\n# SIGN_UP=off\n',
  "INVOICE_NOTE=it's a = b",
  'PORT=4000 # see a#b',
  'INVOICE_NOTE="100\u00a0%" # 100\u00a0%',
])('%j has the values that Node reads', (text) => {
  expect(parse(text)).toEqual({ values: parseEnv(text), warnings: [] })
})

describe('the names', () => {
  it.each([
    ['SIGNUP=off', 'SIGNUP, on line 1, is not a setting of Reelgate. Did you mean SIGN_UP?'],
    ['\nsign_up=off', 'sign_up, on line 2, is not a setting of Reelgate. Did you mean SIGN_UP?'],
    ['BASE-URL=https://a.example', 'BASE-URL, on line 1, is not a setting of Reelgate. Did you mean BASE_URL?'],
    ['CHOCOLATE=dark', 'CHOCOLATE, on line 1, is not a setting of Reelgate.'],
  ])('warns of %j', (text, warning) => {
    expect(parse(text).warnings).toEqual([warning])
  })

  it('warns once of a name with two values, and of none with one value twice', () => {
    expect(parse('PORT=1\nPORT="2"\nSIGN_UP=off\nSIGN_UP=off')).toEqual({
      values: { PORT: '2', SIGN_UP: 'off' },
      warnings: ['PORT is set on lines 1 and 2; the last one applies.'],
    })
  })

  it('does not warn of what other programs read, nor of .env.example and the files of compose and systemd', () => {
    expect(parse('AWS_ACCESS_KEY_ID=a\nOTEL_BSP_SCHEDULE_DELAY=1\nhttps_proxy=b\nTZ=UTC\nNODE_OPTIONS=c').warnings).toEqual([])
    const root = join(import.meta.dirname, '../../..')
    const uncommented = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/^# ([A-Z_0-9]+=)/gm, '$1')
    for (const file of ['.env.example', 'deploy/systemd/reelgate.env.example']) expect(parse(uncommented(file)).warnings).toEqual([])
    const compose = readFileSync(join(root, 'compose.yaml'), 'utf8')
    const read = [...compose.matchAll(/\$\{([A-Z0-9_]{2,})/g)].map(([, name]) => `${name}=1`)
    expect(read.length).toBeGreaterThan(2)
    expect(parse(read.join('\n')).warnings).toEqual([])
  })
})
