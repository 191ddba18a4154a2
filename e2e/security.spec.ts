import { type BrowserContext, expect, type Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { faults } from './accessibility.ts'
import { test } from './closing-test.ts'
import { live, newUser, PASSWORD, shownOnce, visit } from './person.ts'

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await visit(page, '/settings/security')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Returns the violations of the page's content policy. */
function watchPolicy(context: BrowserContext): string[] {
  const stopped: string[] = []
  context.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) stopped.push(message.text())
  })
  return stopped
}

const dialogOf = (page: Page) => page.getByRole('dialog')

test('a second factor is set up, required at the next sign-in, passed with a recovery code, and turned off', async ({ page, browser }) => {
  const stopped = watchPolicy(page.context())
  const { email } = await newUser(page)
  await visit(page, '/settings/security')
  await page.getByRole('button', { name: 'Set up' }).click()
  await dialogOf(page).getByLabel('Your password').fill(PASSWORD)
  await dialogOf(page).getByRole('button', { name: 'Continue' }).click()
  await expect(dialogOf(page).getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible()
  const secret = ((await dialogOf(page).getByTestId('totp-secret').textContent()) ?? '').replace(/\s/g, '')
  const app = new TOTP({ secret: Secret.fromBase32(secret) })
  // The codes of this half minute and of the next are both accepted; each is used once.
  await dialogOf(page).getByLabel('Code', { exact: true }).fill(app.generate())
  await dialogOf(page).getByRole('button', { name: 'Turn on' }).click()
  const codes = (await shownOnce(page)).split('\n')
  expect(codes).toHaveLength(10)
  expect(await faults(page)).toEqual([])
  await dialogOf(page).getByRole('button', { name: 'I saved the codes' }).click()
  await expect(page.getByText('10 recovery codes are left')).toBeVisible()

  const elsewhere = await browser.newContext()
  const other = await elsewhere.newPage()
  await signIn(other, email)
  await expect(other.getByRole('heading', { name: 'Two-factor sign-in' })).toBeVisible()
  await visit(other, '/videos')
  await expect(other.getByRole('heading', { name: 'Two-factor sign-in' })).toBeVisible()
  expect(await faults(other)).toEqual([])
  // Typed digit by digit: six boxes, each moving the focus to the next.
  await other
    .getByLabel('Digit of the code')
    .first()
    .pressSequentially(app.generate({ timestamp: Date.now() + 30_000 }))
  await expect(other.getByRole('heading', { name: 'Videos', exact: true })).toBeVisible()

  const third = await (await browser.newContext()).newPage()
  await signIn(third, email)
  await expect(third.getByRole('heading', { name: 'Two-factor sign-in' })).toBeVisible()
  await live(third)
  await third.getByRole('button', { name: 'Use a recovery code' }).click()
  await third.getByLabel('Recovery code').fill(codes[0] ?? '')
  await third.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(third.getByText('9 recovery codes are left').filter({ visible: true })).toBeVisible()
  await live(third)

  await third.getByRole('button', { name: 'Turn off' }).click()
  await dialogOf(third).getByLabel('Your password').fill(PASSWORD)
  await dialogOf(third)
    .getByLabel(/recovery code/)
    .fill(codes[1] ?? '')
  await dialogOf(third).getByRole('button', { name: 'Turn off' }).click()
  await expect(third.getByRole('button', { name: 'Set up' })).toBeVisible()
  expect(stopped).toEqual([])
})

test('a new password signs out the other browser, whose open page shows it without an action', { tag: '@deep' }, async ({
  page,
  browser,
}) => {
  const { email } = await newUser(page)
  const other = await (await browser.newContext()).newPage()
  await signIn(other, email)
  await expect(other.getByRole('heading', { name: 'Settings' })).toBeVisible()

  await page.goto('/settings/security')
  await expect(page.getByRole('button', { name: /^Sign out Chrome/ })).toBeVisible()
  await page.getByLabel('Current password').fill('not my password')
  await page.getByLabel('New password').fill(`${PASSWORD}, changed`)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Incorrect password.')).toBeVisible()
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('You are signed out on all other devices.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Sign out Chrome/ })).toHaveCount(0)

  // The test does not touch the other page: its event stream ends, and it redirects to the sign-in.
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
})

test('an account is deleted with its name and the password, and no sign-in to it succeeds afterwards', { tag: '@deep' }, async ({
  page,
}) => {
  const { email } = await newUser(page)
  await page.goto('/settings')
  const name = email.slice(0, email.indexOf('@'))
  await page.getByRole('textbox', { name: 'Account name' }).fill('Studio of the North')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByRole('button', { name: /Studio of the North/ })).toBeVisible()
  await page.getByRole('button', { name: 'Delete account…' }).click()
  await dialogOf(page)
    .getByLabel(/to confirm/)
    .fill(name)
  await dialogOf(page).getByRole('button', { name: 'Delete account' }).click()
  await expect(dialogOf(page).getByText(/exactly as shown above/)).toBeVisible()
  await dialogOf(page)
    .getByLabel(/to confirm/)
    .fill('Studio of the North')
  await dialogOf(page).getByLabel('Your password').fill(PASSWORD)
  await dialogOf(page).getByRole('button', { name: 'Delete account' }).click()
  await expect(page).toHaveURL(/\/sign-up$/)
  await signIn(page, email)
  await expect(page.getByRole('alert').filter({ hasText: 'Incorrect email or password' })).toBeVisible()
})

for (const colorScheme of ['light', 'dark'] as const)
  test(`pages and dialogs violate no policy, and an error of sign-in is accessible, ${colorScheme}`, {
    tag: colorScheme === 'dark' ? '@deep' : [],
  }, async ({ browser }) => {
    const context = await browser.newContext({ colorScheme })
    const stopped = watchPolicy(context)
    const page = await context.newPage()
    for (const path of ['/sign-in', '/sign-up', '/sign-in?error=connect-first', '/reset-password#x']) {
      await page.goto(path)
      // The other pages: sweep.spec.ts.
      if (path.includes('?')) expect([path, await faults(page)]).toEqual([path, []])
    }
    await newUser(page)
    for (const path of ['/settings', '/settings/security', '/videos', '/api-keys', '/docs/reference', '/docs']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
    }
    // A dialog locks the page's scrolling with its own style element.
    await visit(page, '/settings/security')
    await page.getByRole('button', { name: 'Set up' }).click()
    await expect(dialogOf(page).getByLabel('Your password')).toBeVisible()
    expect(await page.evaluate(() => getComputedStyle(document.body).overflow)).toBe('hidden')
    expect(stopped).toEqual([])
  })

test('every page has a policy with its own nonce, and bypassing the proxy gives no access', async ({ request }) => {
  const nonces = new Set<string>()
  for (const path of ['/sign-in', '/sign-in', '/docs', '/no-such-page']) {
    const policy = (await request.get(path)).headers()['content-security-policy'] ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
    nonces.add(/'nonce-([^']{20,})'/.exec(policy)?.[1] ?? '')
  }
  expect(nonces.size).toBe(4)
  const around = { 'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy', 'x-path': '/', 'x-nonce': 'mine' }
  for (const path of ['/', '/settings', '/settings/security', '/videos', '/api-keys']) {
    const answer = await request.get(path, { headers: around, maxRedirects: 0 })
    expect(answer.status()).toBe(307)
    expect(answer.headers().location).toMatch(/^\/sign-in/)
  }
  expect((await request.get('/api/trpc/account.me', { headers: around })).status()).toBe(401)
})
