import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Download, expect, type Page, test } from '@playwright/test'
import { faults } from './accessibility.ts'
import { newKey, newUser, visit } from './person.ts'

const run = promisify(execFile)

/** Verifies a downloaded receipt as its recipient does. */
async function verified(download: Download, jwks: string): Promise<string> {
  const command = join(import.meta.dirname, '../sdk/bin/reelgate.mjs')
  return (await run(process.execPath, [command, 'verify-receipt', await download.path(), '--jwks', jwks])).stdout
}

async function downloaded(page: Page, name: RegExp): Promise<Download> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name }).click()
  return download
}

test('a revoked key shows within seconds that every process refuses it, and its receipt verifies', async ({ page, request }, info) => {
  const { dashboard } = await newUser(page)
  const key = await newKey(dashboard, 'Checkout')
  expect((await request.get('/v1/video', { headers: { 'x-service-key': key } })).status()).toBe(200)
  await visit(page, '/api-keys')
  await page.getByRole('link', { name: 'Checkout', exact: true }).click()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('textbox', { name: 'Type Checkout to confirm' }).fill('Checkout')
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await expect(page.getByText(/^1 of 1 running process has confirmed/)).toBeVisible()
  const row = page.getByRole('table', { name: 'Processes' }).getByRole('row').last()
  await expect(row).toContainText('Confirmed')
  await expect(row).toContainText(/\d ms later|s later/)
  await expect(page.getByText(/stay valid until \d\d:\d\d/)).toBeVisible()
  expect(await faults(page)).toEqual([])
  await page.screenshot({ path: info.outputPath('revoked.png'), fullPage: true })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: info.outputPath('revoked-dark.png') })
  await page.emulateMedia({ colorScheme: 'light' })

  const jwks = info.outputPath('jwks.json')
  writeFileSync(jwks, await (await request.get('/.well-known/jwks.json')).text())
  const file = await downloaded(page, /^Download receipt/)
  expect(JSON.parse(readFileSync(await file.path(), 'utf8'))).toMatchObject({
    receipt: { kind: 'key.revocation', keyPrefix: key.slice(0, 12) },
  })
  expect(await verified(file, jwks)).toMatch(/^Valid\. Signed by http/)

  await visit(page, '/settings/receipts')
  await expect(page.getByRole('row', { name: /Key revoked/ })).toContainText('Checkout')
  expect(await faults(page)).toEqual([])
  await page.screenshot({ path: info.outputPath('receipts.png'), fullPage: true })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: info.outputPath('receipts-dark.png'), fullPage: true })
  expect(await verified(await downloaded(page, /Download receipt for Checkout/), jwks)).toMatch(/^Valid/)
})
