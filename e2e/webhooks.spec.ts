import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@playwright/test'
import Stripe from 'stripe'
import { faults, settled } from './accessibility.ts'
import { newUser, shownOnce, visit } from './person.ts'

interface Got {
  body: string
  signature: string
}

/** Starts a receiver on this machine, whose responses the test chooses. */
async function startReceiver() {
  const state = { status: 200, got: [] as Got[] }
  const server = createServer((req, res) => {
    let body = ''
    req
      .on('data', (part: Buffer) => (body += part))
      .on('end', () => {
        state.got.push({ body, signature: String(req.headers['x-service-signature']) })
        res.writeHead(state.status, { 'content-type': 'text/plain' }).end(state.status === 200 ? '' : 'out of order')
      })
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const { port } = server.address() as AddressInfo
  return { state, url: `http://localhost:${port}/hooks`, close: () => server.close() }
}

test('webhooks: an endpoint, live test events, a retry, a rotation, replays, the event log', async ({ page }) => {
  const receiver = await startReceiver()
  await newUser(page)
  await visit(page, '/')
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'No endpoints yet' })).toBeVisible()
  expect(await faults(page)).toEqual([])

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add endpoint' }).first().click()
  await dialog.getByRole('textbox', { name: 'Endpoint URL' }).fill('http://10.0.0.1/hooks')
  await dialog.getByRole('button', { name: 'Add endpoint' }).click()
  await expect(dialog.getByText('Enter a URL that starts with https://.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Endpoint URL' }).fill(receiver.url)
  await dialog.getByRole('textbox', { name: 'Description' }).fill('Staging')
  await dialog.getByRole('checkbox', { name: 'wallet.refilled' }).uncheck()
  await expect(dialog.getByRole('combobox', { name: 'Retry failed deliveries for' })).toHaveValue(
    'About three days (18 attempts), the default',
  )
  await dialog.getByRole('button', { name: 'Add endpoint' }).click()
  const secret = await shownOnce(page)
  expect(secret).toMatch(/^whsec_\w{32}$/)
  await dialog.getByRole('button', { name: 'I saved the secret' }).click()

  await page.getByRole('link', { name: receiver.url }).click()
  await expect(page.getByRole('heading', { name: receiver.url })).toBeVisible()
  await expect(page.locator('body')).not.toContainText(secret)
  await expect(page.getByText('About three days (18 attempts)')).toBeVisible()
  const sendTest = async (type: string) => {
    await page.getByRole('button', { name: 'Send test event' }).click()
    const send = dialog.getByRole('button', { name: 'Send test event' })
    // The dialog is taller than this window; its button stays in view.
    await expect(send).toBeInViewport({ ratio: 1 })
    await dialog.getByRole('radio', { name: type }).check()
    await expect(send).toBeInViewport({ ratio: 1 })
    await send.click()
    await expect(dialog).toBeHidden()
  }
  const table = page.getByRole('table', { name: 'Deliveries' })
  // Statuses update without a reload.
  await sendTest('video.processing.completed')
  await expect(table.getByRole('row', { name: /video\.processing\.completed/ })).toContainText('Delivered')
  const [first] = receiver.state.got
  Stripe.webhooks.constructEvent(first?.body ?? '', first?.signature ?? '', secret)

  receiver.state.status = 500
  await sendTest('wallet.refilled')
  const failing = table.getByRole('row', { name: /wallet\.refilled/ })
  await expect(failing).toContainText(/Failed \d of 18/)
  receiver.state.status = 200
  await expect(failing).toContainText('Delivered')
  await failing.getByRole('button', { name: 'wallet.refilled' }).click()
  await expect(dialog.getByText('Responded with 500.').first()).toBeAttached()
  await expect(dialog.getByText('out of order').first()).toBeAttached()
  const before = receiver.state.got.length
  await dialog.getByRole('button', { name: 'Replay' }).click()
  await expect.poll(() => receiver.state.got.length).toBe(before + 1)
  expect(receiver.state.got.at(-1)?.body).toBe(receiver.state.got.at(-2)?.body)
  expect(await faults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toBeHidden()

  const action = async (name: string) => {
    // A dialog that is still closing closes a menu that is opened meanwhile.
    await settled(page)
    await page.getByRole('button', { name: 'More actions' }).click()
    const item = page.getByRole('menuitem', { name })
    await expect(item).toBeVisible()
    await settled(page)
    await item.click()
  }
  await action('Rotate secret')
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  const rotated = await shownOnce(page)
  await dialog.getByRole('button', { name: 'I saved the secret' }).click()
  await sendTest('playback.token.exhausted')
  await expect(table.getByRole('row', { name: /exhausted/ })).toContainText('Delivered')
  const last = receiver.state.got.at(-1) as Got
  for (const one of [secret, rotated]) Stripe.webhooks.constructEvent(last.body, last.signature, one)

  receiver.state.status = 500
  await sendTest('video.processing.failed')
  const dead = table.getByRole('row', { name: /video\.processing\.failed/ })
  // The schedule makes the fourth attempt 25 s after the third, which is later than an expectation waits.
  await expect(dead).toContainText('Failed 3 of 18')
  await dead.getByRole('button', { name: 'video.processing.failed' }).click()
  await dialog.getByRole('button', { name: 'Retry now' }).click()
  await expect(dead).toContainText(/Failed [45] of 18/)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toBeHidden()
  // The next attempt is two minutes away: one in flight when the endpoint is disabled finishes.
  await action('Disable')
  await expect(page.getByText('It receives no events.')).toBeVisible()
  await expect(dead).toContainText('Dead letter')
  receiver.state.status = 200
  await page.getByRole('button', { name: 'Enable' }).click()
  await expect(page.getByRole('button', { name: 'Send test event' })).toBeVisible()
  await expect(page.getByText('It receives no events.')).toBeHidden()
  const replay = async () => {
    await action('Replay events')
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
    await expect(dialog).toBeHidden()
  }
  await replay()
  await expect(page.getByText('Replaying 1 event.')).toBeVisible()
  await expect(dead).toContainText('Delivered')
  await replay()
  await expect(page.getByText('No events to replay.')).toBeVisible()
  expect(await faults(page)).toEqual([])

  await page.goto('/webhooks/events')
  await expect(page.getByRole('table', { name: 'Events' }).getByRole('row')).toHaveCount(5)
  await page.getByRole('button', { name: 'wallet.refilled' }).click()
  await expect(dialog.getByText(receiver.url)).toBeVisible()
  expect(await faults(page)).toEqual([])
  await dialog.getByRole('link', { name: receiver.url }).click()

  await action('Delete')
  await dialog.getByRole('button', { name: 'Delete endpoint' }).click()
  await expect(page.getByRole('heading', { name: 'No endpoints yet' })).toBeVisible()
  receiver.close()
})
