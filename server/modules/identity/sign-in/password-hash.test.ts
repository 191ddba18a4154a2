import { describe, expect, it } from 'vitest'
import { provide, renew } from '../../../testing/settings.ts'
import { hashPassword, verifyPassword } from './password-hash.ts'

provide({ BASE_URL: 'http://localhost' })
renew('passwordCost')

describe('hashPassword and verifyPassword', () => {
  it('store salted argon2id in PHC format, and match it', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse battery'), hashPassword('correct horse battery')])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=32768,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(two)
    expect(await verifyPassword('correct horse battery', one)).toBe(true)
    expect(await verifyPassword('correct horse batterx', one)).toBe(false)
    expect(await verifyPassword('', one)).toBe(false)
  })

  it('normalize accented letters', async () => {
    expect(await verifyPassword('cafe\u0301 au lait!', await hashPassword('caf\u00e9 au lait!'))).toBe(true)
  })

  it("verifies the reference implementation's own vector (test.c, argon2id, v=19, 64 MiB, 2 passes)", async () => {
    const phc = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await verifyPassword('password', phc)).toBe(true)
    expect(await verifyPassword('differentpassword', phc)).toBe(false)
  })

  it.each(['', 'none', '$argon2i$v=19$m=1,t=1,p=1$AAAA$AAAA', '$2b$10$abcdefghijklmnopqrstuv', '$argon2id$v=19$m=8,t=1,p=1$$'])(
    'match nothing except an argon2id hash: %s',
    async (phc) => {
      expect(await verifyPassword('anything at all', phc)).toBe(false)
    },
  )
})
