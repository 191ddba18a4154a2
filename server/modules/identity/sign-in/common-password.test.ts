import { describe, expect, it } from 'vitest'
import { provide } from '../../../testing/settings.ts'
import { refuseCommonPassword } from './common-password.ts'

provide({ BASE_URL: 'https://video.example-films.com' })
const asked = (password: string, words?: string[]) =>
  refuseCommonPassword(password, 'ada.kowalewska@engines.example', words).then(
    () => 'taken',
    (error) => [error.code, error.extras.details[0].path, error.message.split('.')[0]],
  )

describe('refuseCommonPassword refuses a password', () => {
  it.each([
    '1234567890',
    'password123',
    'Password123!',
    'PASSWORD1234',
    '!!qwertyuiop',
    'qwertyuiop12',
    'ｐａｓｓｗｏｒｄ１２３',
    'iloveyou1234',
    'aaaaaaaaaaaaaaa',
    'abababababab',
    '112112112112',
    'abcdefghijklm',
    '09876543210',
    '12345678987654321',
  ])('among the first that attackers test: %s', async (password) => {
    expect(await asked(password)).toEqual(['INVALID_REQUEST', 'password', 'This password is too common'])
  })

  it.each([
    'ada.kowalewska@engines.example',
    'kowalewska2026',
    'Kowalewska-Engines!',
    'reelgate2026',
    'Reelgate!Reelgate',
    'example-films1',
  ])('composed of names that others know: %s', async (password) => {
    const said = 'This password is too close to your email address or to a well-known name'
    expect(await asked(password)).toEqual(['INVALID_REQUEST', 'password', said])
  })

  it('composed of the account’s name, where it is known', async () => {
    expect(await asked('Kestrelworks99')).toBe('taken')
    expect(await asked('Kestrelworks99', ['Kestrelworks Studios'])).toMatchObject(['INVALID_REQUEST', 'password', expect.any(String)])
  })
})

it.each([
  'correct horse battery',
  'wrong horse battery',
  'a long password',
  'x7$kq!m2Zp',
  'kowalewska writes programs at night',
  'xkcd-passwords-are-fine',
  'mon mot de passe préféré',
  '秘密の言葉はとても長いです',
  'aaaZx9!correct',
])('accepts an uncommon password: %s', async (password) => {
  expect(await asked(password)).toBe('taken')
})

it('checks a password of 200 characters in time linear in its length', async () => {
  expect(await asked('!a'.repeat(100))).not.toBe('taken')
  expect(await asked(Array.from({ length: 200 }, (_, at) => String.fromCharCode(33 + ((at * 37) % 90))).join(''))).toBe('taken')
})
