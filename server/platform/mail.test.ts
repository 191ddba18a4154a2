import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ReceivedMail, startSmtpServer } from '../testing/services/smtp-server.ts'
import { provide } from '../testing/settings.ts'
import { isMailConfigured, sendMail } from './mail.ts'
import { log } from './observe/log.ts'

let letters: ReceivedMail[]
let server: Awaited<ReturnType<typeof startSmtpServer>>
let refuse: Error | undefined

beforeEach(async () => {
  letters = []
  refuse = undefined
  server = await startSmtpServer({
    login: { username: 'postman', password: 'sesame' },
    onMail(mail) {
      if (refuse) throw refuse
      letters.push(mail)
    },
  })
  provide({ BASE_URL: 'https://video.example.com', SMTP_URL: `smtp://postman:sesame@127.0.0.1:${server.port}`, MAIL_FROM: '' })
})
afterEach(async () => {
  await server.stop()
  provide({ SMTP_URL: '', MAIL_FROM: '' })
  vi.restoreAllMocks()
})

const letter = { to: 'ada@example.com', subject: 'You are invited', text: 'Follow https://video.example.com/invite/secret' }

it('delivers the e-mail to the mail server', async () => {
  expect(isMailConfigured()).toBe(true)
  expect(await sendMail(letter)).toBe(true)
  expect(letters).toMatchObject([{ from: 'no-reply@video.example.com', to: ['ada@example.com'] }])
  expect(letters[0]?.raw).toContain('Subject: You are invited')
  expect(letters[0]?.raw).toContain('https://video.example.com/invite/secret')
})

it('uses the configured settings, and sends the text as HTML as well', async () => {
  provide({ MAIL_FROM: 'Videos <videos@example.org>' })
  expect(await sendMail(letter)).toBe(true)
  expect(letters[0]).toMatchObject({ from: 'videos@example.org' })
  expect(letters[0]?.raw).toMatch(/From: Videos <videos@example\.org>[\s\S]*multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html/)
})

it.each([
  ['a second recipient', { to: 'ada@example.com, eve@example.com' }],
  ['a second recipient in a line', { to: 'ada@example.com\r\nRCPT TO:<eve@example.com>' }],
  ['a header in the subject', { subject: 'Hello\r\nBcc: eve@example.com' }],
])('refuses %s', async (_, changed) => {
  vi.spyOn(log(), 'warn').mockReturnValue()
  await sendMail({ ...letter, ...changed })
  for (const { to, raw } of letters) {
    expect(to).not.toContain('eve@example.com')
    expect(raw).not.toMatch(/^Bcc:/m)
  }
})

it.each<[string, () => Promise<void> | void]>([
  ['no server listens', () => provide({ SMTP_URL: 'smtp://postman:sesame@127.0.0.1:1' })],
  ['the password is wrong', () => provide({ SMTP_URL: `smtp://postman:tellnobody@127.0.0.1:${server.port}` })],
  [
    'the server refuses the e-mail',
    () => {
      refuse = new Error('550 not this: https://video.example.com/invite/secret')
    },
  ],
  [
    'the server closes the connection',
    async () => {
      const rude = createServer((socket) => socket.destroy())
      rude.listen(0, '127.0.0.1')
      await once(rude, 'listening')
      rude.unref()
      provide({ SMTP_URL: `smtp://postman:sesame@127.0.0.1:${(rude.address() as AddressInfo).port}` })
    },
  ],
])('returns false and does not throw when %s', async (_, spoil) => {
  const warned = vi.spyOn(log(), 'warn').mockReturnValue()
  await spoil()
  expect(await sendMail(letter)).toBe(false)
  expect(warned).toHaveBeenCalledOnce()
  expect(JSON.stringify(warned.mock.calls)).not.toMatch(/sesame|tellnobody|secret|ada@/)
})

it('sends nothing where no mail server is configured', async () => {
  provide({ SMTP_URL: '' })
  expect(isMailConfigured()).toBe(false)
  expect(await sendMail(letter)).toBe(false)
  expect(letters).toEqual([])
})
