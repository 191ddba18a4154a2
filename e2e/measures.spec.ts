import { expect, type Page } from '@playwright/test'
import { soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { newUser, visit } from './person.ts'
import { newStaff } from './second-factor.ts'
import { giveTrailer, openedAccount } from './support-account.ts'

// A running server has its data elsewhere, where the test is no operator.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')

const confirm = async (page: Page, button: string, reason: string) => {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: button }).click()
  await expect(dialog.getByText(/Enter a reason/)).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason)
  await soundInBothThemes(page)
  await dialog.getByRole('button', { name: button }).click()
  await expect(dialog).toBeHidden()
}

test('support suspends an account and restores it; the owner reads why', async ({ browser, request }) => {
  const { owner, key, page } = await openedAccount(browser)
  const call = async () => (await request.get('/v1/video', { headers: { 'x-service-key': key } })).status()

  await page.getByRole('button', { name: 'Suspend account' }).click()
  await confirm(page, 'Suspend account', 'Spam, ticket 4711')
  await expect(page.getByText('Reason shown to members: Spam, ticket 4711')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Suspensions and takedowns' })).toContainText('Spam, ticket 4711')
  await soundInBothThemes(page)
  await expect.poll(call).toBe(403)
  await visit(owner, '/api-keys')
  const banner = owner.getByRole('region', { name: 'Account suspended' })
  await expect(banner).toContainText('Reason: Spam, ticket 4711')
  await expect(owner.getByRole('button', { name: 'Generate New Key' })).toHaveCount(0)
  await soundInBothThemes(owner)
  await page.getByRole('button', { name: 'Restore account' }).click()
  await confirm(page, 'Restore account', 'Settled with the owner')
  await expect.poll(call).toBe(200)
  await visit(owner, '/videos')
  await expect(banner).toHaveCount(0)
})

test('support takes a video down and restores it; the owner reads why', { tag: '@deep' }, async ({ browser }) => {
  const { owner, dashboard, page } = await openedAccount(browser)
  await giveTrailer(dashboard)
  await visit(owner, '/videos')
  await page.getByRole('navigation', { name: 'Account sections' }).getByRole('link', { name: 'Videos' }).click()
  await page.getByRole('link', { name: 'Trailer' }).click()
  await page.getByRole('button', { name: 'Take down' }).click()
  await confirm(page, 'Take down', 'A court order, case 7')
  await expect(page.getByText('Reason shown to the owner: A court order, case 7', { exact: false })).toBeVisible()
  await soundInBothThemes(page)
  await owner.getByRole('link', { name: 'Trailer' }).click()
  await expect(owner.getByRole('status').filter({ hasText: 'Reason: A court order, case 7' })).toBeVisible()
  await expect(owner.getByRole('button', { name: 'Edit' })).toHaveCount(0)
  await soundInBothThemes(owner)
  await page.getByRole('button', { name: 'Restore' }).click()
  await confirm(page, 'Restore', 'The order was lifted')
  await expect(page.getByRole('button', { name: 'Take down' })).toBeVisible()
})

test('support ends the sessions of a member, who has to sign in again', { tag: '@deep' }, async ({ browser }) => {
  const { owner, ownersEmail, page } = await openedAccount(browser)
  await visit(owner, '/videos')
  await page.getByRole('button', { name: `Actions for ${ownersEmail}` }).click()
  await page.getByRole('menuitem', { name: 'End sessions' }).click()
  await confirm(page, 'End sessions', 'A lost laptop')
  await owner.goto('/videos')
  await expect(owner.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('a large credit waits for the approval of other staff, and staff see their own account as members', { tag: '@deep' }, async ({
  browser,
}) => {
  const owner = await (await browser.newContext()).newPage()
  const { email: ownersEmail } = await newUser(owner)
  const staff = await Promise.all(
    [0, 1].map(async () => {
      const page = await (await browser.newContext()).newPage()
      return { page, email: await newStaff(page) }
    }),
  )
  const [first, second] = staff.map(({ page }) => page) as [Page, Page]
  await visit(first, `/support?q=${encodeURIComponent(ownersEmail)}`)
  await first.getByRole('table', { name: 'Results' }).getByRole('link').click()
  await first.getByRole('navigation', { name: 'Account sections' }).getByRole('link', { name: 'Billing' }).click()
  await first.getByRole('button', { name: 'Adjust balance' }).click()
  const dialog = first.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Credits' }).fill('5000')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(`A prepaid year of ${ownersEmail}`)
  await dialog.getByRole('button', { name: 'Add credit' }).click()
  await expect(first.getByText('Sent for approval')).toBeVisible()
  await expect(first.getByRole('link', { name: '1 pending approval' })).toBeVisible()
  await visit(first, '/support/approvals')
  const row = (page: Page) => page.getByRole('row', { name: new RegExp(ownersEmail) })
  await expect(row(first)).toContainText('Proposed by you')
  await visit(second, '/support/approvals')
  await expect(second.getByRole('navigation', { name: 'Support' }).getByRole('link', { name: /Approvals\W+\d+ pending/ })).toBeVisible()
  await expect(row(second)).toContainText('+5,000 credits (balance 0 → 5,000)')
  await soundInBothThemes(second)
  await row(second).getByRole('button', { name: 'Approve' }).click()
  const approve = second.getByRole('dialog').getByRole('button', { name: 'Approve' })
  await expect(approve).toBeVisible()
  await soundInBothThemes(second)
  await approve.click()
  await expect(second.getByText('New balance: 5,000 credits.', { exact: false })).toBeVisible()
  await expect(row(second)).toHaveCount(0)

  await visit(second, `/support?q=${encodeURIComponent((staff[1] as { email: string }).email)}`)
  await second.getByRole('table', { name: 'Results' }).getByRole('link').click()
  await expect(second.getByRole('heading', { name: 'You are a member of this account' })).toBeVisible()
})

test('support writes a note, which the owner does not see, and reads the timeline and the audit log', { tag: '@deep' }, async ({
  browser,
}) => {
  const { owner, page } = await openedAccount(browser)
  const parts = page.getByRole('navigation', { name: 'Account sections' })
  await parts.getByRole('link', { name: 'Notes' }).click()
  await page.getByRole('textbox', { name: 'New note' }).fill('Called about <b>invoices</b>')
  await page.getByRole('button', { name: 'Add note' }).click()
  await expect(page.getByText('Called about <b>invoices</b>')).toBeVisible()
  await page.getByRole('button', { name: 'Note actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Edit note' }).fill('Called twice')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('just now, edited')).toBeVisible()
  await soundInBothThemes(page)
  await parts.getByRole('link', { name: 'Timeline' }).click()
  for (const event of ['created a key', 'wrote a note', 'signed in', 'viewed the account'])
    await expect(page.getByRole('listitem').filter({ hasText: event }).first()).toBeVisible()
  await page.getByRole('button', { name: 'API keys' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'wrote a note' })).toHaveCount(0)
  await expect(page).toHaveURL(/kinds=keys$/)
  await soundInBothThemes(page)
  await parts.getByRole('link', { name: 'Audit log' }).click()
  await expect(page.getByRole('table', { name: 'Changes' })).toContainText('created a key')

  await owner.goto('/team/audit-log')
  await expect(owner.getByText('viewed the account').first()).toBeVisible()
  await expect(owner.getByText('Called twice')).toHaveCount(0)
})

test('support views the dashboard as its owner, who reads of it', { tag: '@deep' }, async ({ browser }) => {
  const { owner, ownersEmail, dashboard, page } = await openedAccount(browser)
  await giveTrailer(dashboard)
  await page.getByRole('button', { name: 'View as owner' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Cannot find a video, ticket 9')
  await dialog.getByRole('button', { name: 'View as owner' }).click()
  const banner = page.getByRole('region', { name: 'View as owner' })
  await expect(banner).toContainText(`as its owner, ${ownersEmail}`)
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await soundInBothThemes(page)
  for (const path of ['/videos', '/api-keys', '/billing', '/billing/limits', '/team', '/settings', '/settings/security']) {
    await visit(page, path)
    await expect(banner).toBeVisible()
    await expect(page.getByRole('button', { name: /Upload|Generate|Invite|Delete account|Add credit/ })).toHaveCount(0)
  }
  await expect(page.getByRole('heading', { name: 'Not shown in this view' })).toBeVisible()
  await soundInBothThemes(page)
  await visit(page, '/videos')
  await page.getByRole('link', { name: 'Trailer' }).first().click()
  await expect(page.getByText('Support staff cannot watch videos.')).toBeVisible()
  await expect(page.getByRole('button', { name: /Play|Customize embed|Download receipt/ })).toHaveCount(0)
  await expect(page.locator('main img, main iframe')).toHaveCount(0)
  await soundInBothThemes(page)
  // The server refuses what the page hides.
  const { status, reason } = await page.evaluate(async () => {
    const body = JSON.stringify({ json: { name: 'Mine', environment: 'LIVE', scopes: ['video:read'] } })
    const response = await fetch('/api/trpc/key.create', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    return { status: response.status, reason: JSON.stringify(await response.json()) }
  })
  expect([status, reason]).toEqual([403, expect.stringContaining('read-only')])
  await page.getByRole('button', { name: 'End view' }).click()
  await expect(page.getByRole('button', { name: 'View as owner' })).toBeVisible()
  await visit(page, '/')
  await expect(banner).toHaveCount(0)

  await owner.goto('/team/audit-log')
  for (const entry of [
    'Cannot find a video, ticket 9',
    'started to view the account as its owner',
    'stopped viewing the account as its owner',
  ])
    await expect(owner.getByText(entry).first()).toBeVisible()
})
