import { writeFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { newUser, upload, visit } from './person.ts'
import { newStaff } from './second-factor.ts'
import { sourceFile } from './source-file.ts'

test('support lowers a limit and raises it again; the owner reads why an upload is refused, resumes it, and sees the usage', async ({
  browser,
}) => {
  // A running server has its data elsewhere, where the test is no operator.
  test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')
  const owner = await (await browser.newContext()).newPage()
  const { email: ownersEmail } = await newUser(owner)
  const page = await (await browser.newContext()).newPage()
  await newStaff(page)
  await visit(page, '/support')
  await page.getByRole('textbox', { name: 'Search accounts' }).fill(ownersEmail)
  await page.keyboard.press('Enter')
  await page.getByRole('table', { name: 'Results' }).getByRole('link').first().click()
  const row = page.getByRole('table', { name: 'Limits' }).getByRole('row', { name: /Originals, renditions and unfinished uploads/ })
  await expect(row).toBeVisible()
  await soundInBothThemes(page)
  const dialog = page.getByRole('dialog')
  const setLimit = async (gigabytes: string, reason: string) => {
    await row.getByRole('button', { name: 'Change limit: Storage' }).click()
    await dialog.getByRole('textbox', { name: 'Limit in GB' }).fill(gigabytes)
    await dialog.getByRole('button', { name: 'Change limit' }).click()
    await expect(dialog.getByText(/Enter a reason/)).toBeVisible()
    await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason)
    await soundInBothThemes(page)
    await dialog.getByRole('button', { name: 'Change limit' }).click()
    await expect(dialog).toHaveCount(0)
  }
  await setLimit('0.000001', 'Asked to stop uploads, ticket 12')
  await expect(row).toContainText('1.0 kB')
  await expect(row).toContainText('set by support')

  await upload(owner, await sourceFile({ kind: 'clip', seconds: 2, height: 240 }), 'Over the limit')
  const tray = owner.getByRole('region', { name: 'Uploads' })
  await expect(tray.getByText(/^With this file, the account would store .*, and its limit is 1 kB\./)).toBeVisible()
  await setLimit('0.5', 'Raised by agreement, ticket 13')
  await tray.getByRole('button', { name: 'Resume' }).click()
  await expect(owner.getByRole('row', { name: 'Over the limit' })).toBeVisible()

  await visit(owner, '/usage')
  const stored = owner.getByRole('meter', { name: 'Stored' })
  await stored.scrollIntoViewIfNeeded()
  await expect(stored).toHaveAttribute('aria-valuemax', '500000000')
  await expect(owner.getByRole('meter', { name: 'Videos', exact: true })).toHaveAttribute('aria-valuenow', '1')
  await expect(owner.getByRole('meter', { name: 'Audit log per day' })).toHaveAttribute('aria-valuemax', '20000000')
  await soundInBothThemes(owner)
  await owner.goto('/team/audit-log')
  await expect(owner.getByText('Raised by agreement, ticket 13').first()).toBeVisible()
})

test('an upload to a full service is paused, keeps what was sent, and continues when resumed', async ({ page }, info) => {
  const file = info.outputPath('long.mkv')
  // Two chunks. The transcoder refuses the bytes after the header.
  writeFileSync(file, Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(12_000_000)]))
  await newUser(page)
  let full = true
  const offsets: string[] = []
  // The server's response is tested on a small volume (server/modules/uploads/abuse.process.test.ts); this tests the page's reaction to it.
  const answer = 'The service is out of storage. Uploaded data is kept: resume the upload later, or contact your operator.'
  await page.route('**/api/upload/*', (route) => {
    const request = route.request()
    if (request.method() !== 'PATCH') return route.continue()
    offsets.push(request.headers()['upload-offset'] ?? '')
    return full && offsets.length > 1 ? route.fulfill({ status: 507, contentType: 'text/plain', body: answer }) : route.continue()
  })
  await upload(page, file, 'Waits for room')
  const tray = page.getByRole('region', { name: 'Uploads' })
  await expect(tray.getByRole('alert')).toContainText(`8.4 MB of 12.0 MB, paused. ${answer}`)
  expect(offsets).toEqual(['0', '8388608'])
  await soundInBothThemes(page)
  full = false
  await tray.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByRole('row', { name: 'Waits for room' })).toBeVisible()
  expect(offsets).toEqual(['0', '8388608', '8388608'])
})
