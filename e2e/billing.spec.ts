import { readFile } from 'node:fs/promises'
import { type APIRequestContext, expect, type Page } from '@playwright/test'
import Stripe from 'stripe'
import { stripeApi } from '../server/testing/billing/stripe-api.ts'
import { checkoutEvent } from '../server/testing/billing/stripe-events.ts'
import { settled, soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { operator } from './operator.ts'
import { baseOf, newKey, newUser, visit } from './person.ts'
import { giveVideo } from './prepared-video.ts'
import { newStaff } from './second-factor.ts'

// A running server has its data, and its payment provider, elsewhere.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')

/** Returns the value next to a title among the figures at the top of the page. */
const figure = (page: Page, title: string) => page.locator('main').getByText(title, { exact: true }).first().locator('..')

const tab = (page: Page, name: string) => page.getByRole('navigation', { name: 'Billing' }).getByRole('link', { name })

/** Sends Stripe's confirmation of a payment, signed as Stripe signs it. */
async function confirm(request: APIRequestContext, payment: string, amount: number): Promise<void> {
  const data = JSON.stringify(checkoutEvent(`evt_${payment}`, { payment, amount }))
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: data, secret: 'whsec_e2e' })
  const headers = { 'stripe-signature': signature, 'content-type': 'application/json' }
  expect(await (await request.post('/api/stripe', { data, headers })).json()).toEqual({ received: true, taken: true })
}

test('an owner chooses the paid tier, tops up, sets limits, spends, and reads the spending', async ({ page, request }) => {
  const stripe = await stripeApi(Number(process.env.REELGATE_E2E_STRIPE_PORT))
  const { dashboard } = await newUser(page)
  const key = await newKey(dashboard, 'Backend')
  await giveVideo(dashboard, 'Trailer', { kind: 'clip', seconds: 6, targetQuality: '240p' }, { base: baseOf() })
  await visit(page, '/videos')
  await expect(page.getByRole('row', { name: 'Trailer' }).getByText('Completed')).toBeVisible()

  await test.step('the empty state', async () => {
    await page.goto('/billing/ledger')
    await expect(page.getByRole('heading', { name: 'No entries yet' })).toBeVisible()
    await tab(page, 'Overview').click()
    await expect(figure(page, 'Tier')).toContainText('Free')
    await soundInBothThemes(page)
  })

  await test.step('the paid tier', async () => {
    await page.getByRole('radio', { name: 'Paid' }).click()
    await page.getByRole('button', { name: 'Change tier' }).click()
    await expect(figure(page, 'Tier')).toContainText('Paid')
    await expect(page.getByText('Your balance is empty.')).toBeVisible()
    await expect(page.getByText('Paid tier', { exact: true })).toBeVisible()
    await soundInBothThemes(page)
  })

  await test.step('a top-up', async () => {
    await page.route('https://checkout.stripe.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>Pay</title><h1>Card number</h1>' }),
    )
    await page.getByRole('button', { name: 'Top up' }).click()
    const dialog = page.getByRole('dialog', { name: 'Top up' })
    await dialog.getByRole('textbox', { name: 'Credits' }).fill('1')
    await dialog.getByRole('button', { name: 'Continue to payment' }).click()
    await expect(dialog.getByText('Buy at least 5 credits.')).toBeVisible()
    await soundInBothThemes(page)
    stripe.refuse(true)
    await dialog.getByRole('textbox', { name: 'Credits' }).fill('50')
    await dialog.getByRole('button', { name: 'Continue to payment' }).click()
    await expect(dialog.getByText('The payment provider is not responding')).toBeVisible()
    stripe.refuse(false)
    await dialog.getByRole('button', { name: 'Continue to payment' }).click()
    await expect(page.getByRole('heading', { name: 'Card number' })).toBeVisible()
    const { form } = stripe.requests.at(-1) as { form: Record<string, string> }
    // The return from the form before Stripe's confirmation credits nothing.
    await page.goto(new URL(form.success_url as string).pathname + new URL(form.success_url as string).search)
    await expect(page.getByText('Thank you.').filter({ visible: true })).toBeVisible()
    await expect(figure(page, 'Balance')).toContainText(/^Balance0/)
    await confirm(request, form.client_reference_id as string, 5_000)
    await expect(figure(page, 'Balance')).toContainText('50')
    await page.goto('/billing/ledger')
    await expect(page.getByRole('table', { name: 'Ledger' }).getByRole('row', { name: /Top-up/ })).toContainText('+50')
    await expect(page.getByText('Your balance is empty.')).toBeHidden()
  })

  await test.step('limits, and the cap of a key from its own page', async () => {
    await tab(page, 'Limits').click()
    await page.getByRole('textbox', { name: 'Low balance' }).fill('ten')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await expect(page.getByText('Enter credits as a number')).toBeVisible()
    await soundInBothThemes(page)
    await page.getByRole('textbox', { name: 'Low balance' }).fill('10')
    await page.getByRole('textbox', { name: 'Monthly spending cap' }).fill('20')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await tab(page, 'Overview').click()
    await expect(figure(page, 'Spent this month')).toContainText('of 20 credits')
    await page.goto('/api-keys')
    await page
      .getByRole('row', { name: /Backend/ })
      .getByRole('link')
      .first()
      .click()
    await page.getByRole('button', { name: 'Set cap' }).click()
    const dialog = page.getByRole('dialog', { name: 'Spending cap for Backend' })
    await dialog.getByRole('textbox', { name: 'Credits per month' }).fill('0.0075')
    await soundInBothThemes(page)
    await dialog.getByRole('button', { name: 'Save cap' }).click()
    await expect(page.getByText('0 of 0.0075 credits spent this month (UTC).')).toBeVisible()
  })

  await test.step('tokens, up to the cap and then with the free quota', async () => {
    const headers = { 'x-service-key': key }
    const { data: videos } = await (await request.get('/v1/video', { headers })).json()
    const issue = () => request.post(`/v1/video/${videos[0].id}/playback-token`, { headers })
    const answers = await Promise.all(Array.from({ length: 16 }, issue))
    expect(answers.map((answer) => answer.status())).toEqual(Array(16).fill(200))
    await page.goto('/billing')
    await expect(figure(page, 'Balance')).toContainText('49.9925')
    await expect(figure(page, 'Estimated time left')).toContainText('at 0.0075 per day (7-day average)')
    await expect(page.getByText('for 15 tokens').first()).toBeVisible()
    await page.getByRole('button', { name: 'Show Credits spent as a table' }).click()
    await expect(page.getByRole('table', { name: 'Credits spent' }).getByRole('row').nth(1)).toContainText('0.0075')
    await page.getByText('90 days', { exact: true }).click()
    await soundInBothThemes(page)
    await tab(page, 'Limits').click()
    await expect(page.getByRole('row', { name: /Backend/ }).filter({ hasText: 'ak_live' })).toContainText('0.0075')
    await tab(page, 'Ledger').click()
    await expect(page.getByText(/0\.0075 credits charged in the current hour/).filter({ visible: true })).toBeVisible()
  })

  await test.step('the simulator', async () => {
    await tab(page, 'Estimate').click()
    const panel = page.locator('section').filter({ hasText: 'Cost simulator' })
    await expect(panel.getByText('16 tokens issued, 0 refused in 1 day')).toBeVisible()
    await panel.getByRole('slider').focus()
    for (let step = 0; step < 10; step++) await page.keyboard.press('ArrowRight')
    await expect(panel.getByText('Volume: 200%')).toBeVisible()
    await expect(panel.getByText('of 32 tokens, over quota')).toBeVisible()
    await panel.getByRole('textbox', { name: 'Tokens per key and day' }).fill('10')
    await expect(panel.getByText(/projected from 0\.005 in 1 day/)).toBeVisible()
    await soundInBothThemes(page)
  })

  await test.step('the ledger as a file, and a statement to print', async () => {
    await tab(page, 'Ledger').click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    const file = await downloading
    expect(file.suggestedFilename()).toBe('ledger.csv')
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
    expect(lines.at(-1)).toMatch(/^1,20.*Z,Top-up,50,50,/)
    await tab(page, 'Statements').click()
    await page.getByRole('table', { name: 'Statements' }).getByRole('link').click()
    await expect(page.getByRole('heading', { name: /^Statement for / })).toBeVisible()
    await expect(page.getByRole('row', { name: /Playback tokens of Backend/ })).toContainText('−0.0075')
    await expect(page.getByRole('row', { name: /Current balance/ })).toContainText('49.9925')
    await expect(page.getByRole('row', { name: /pay_/ }).last()).toContainText('$50.00')
    await soundInBothThemes(page)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
    expect(await page.locator('article').evaluate((sheet) => getComputedStyle(sheet).backgroundColor)).toBe('rgb(255, 255, 255)')
    await page.emulateMedia({ media: null, colorScheme: 'light' })
  })
  stripe.close()
})

test('an owner requests a higher quota on the key’s page, support grants it, and the owner sees it', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage()
  const { email, dashboard } = await newUser(page)
  await newKey(dashboard, 'Backend')
  await visit(page, '/api-keys')
  await page
    .getByRole('row', { name: /Backend/ })
    .getByRole('link')
    .first()
    .click()
  await expect(page.getByText('Only the paid tier has higher quotas.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Request increase' })).toHaveCount(0)
  await operator('set-tier', email, 'paid')
  await visit(page, page.url())
  await page.getByRole('button', { name: 'Request increase' }).click()
  const dialog = page.getByRole('dialog', { name: 'Request a higher quota for “Backend”' })
  await dialog.getByRole('button', { name: 'Send request' }).click()
  await expect(dialog.getByText('Describe your use case')).toBeVisible()
  await soundInBothThemes(page)
  await dialog.getByRole('textbox', { name: 'Tokens per day' }).fill('250000')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('A festival with many viewers')
  await dialog.getByRole('button', { name: 'Send request' }).click()
  await expect(page.getByText('Pending', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Request increase' })).toBeHidden()
  await expect(dialog).toBeHidden()
  await soundInBothThemes(page)

  const staff = await (await browser.newContext()).newPage()
  await newStaff(staff)
  await staff.goto('/support/quota-requests')
  const row = staff.getByRole('row', { name: /A festival with many viewers/ })
  await expect(row).toContainText('250,000')
  await row.getByRole('button', { name: /^Review/ }).click()
  const answer = staff.getByRole('dialog')
  await answer.getByRole('textbox', { name: 'Tokens per day' }).fill('200000')
  await answer.getByRole('textbox', { name: 'Reply' }).fill('For the festival; tell us if it is too few.')
  await settled(staff)
  await soundInBothThemes(staff)
  await answer.getByRole('button', { name: 'Approve' }).click()
  await expect(row).toBeHidden()

  // Streamed content is in the document twice, once hidden, until it is moved to its place.
  await visit(page, page.url())
  await expect(page.getByText('Approved', { exact: true }).filter({ visible: true })).toBeVisible()
  await expect(
    page.getByText('200,000 per day approved. For the festival; tell us if it is too few.').filter({ visible: true }),
  ).toBeVisible()
  await expect(page.getByRole('button', { name: 'Request increase' })).toBeVisible()
  await soundInBothThemes(page)
  await page.context().close()
  await staff.context().close()
})
