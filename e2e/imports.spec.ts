import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page } from '@playwright/test'
import { soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { baseOf, newUser, visit } from './person.ts'
import { sourceFile } from './source-file.ts'

const row = (page: Page, title: string) => page.getByRole('table', { name: 'Uploads' }).getByRole('row').filter({ hasText: title })

/** Starts a server of one file, which answers as `respond` does now. */
async function fileServer(respond: RequestListener) {
  const state = { url: '', respond }
  const server = createServer((req, res) => state.respond(req, res)).listen(0, 'localhost')
  await new Promise((resolve) => server.once('listening', resolve))
  state.url = `http://localhost:${(server.address() as AddressInfo).port}/takes/harbour.mp4`
  return { state, stop: () => server.close() }
}

test('a member imports a file, sees why it failed, and starts it again', async ({ page }) => {
  const source = await fileServer((_req, res) => void res.writeHead(404).end())
  await newUser(page)
  await visit(page, '/videos')
  await page.getByRole('navigation', { name: 'Videos' }).getByRole('link', { name: 'Uploads' }).click()
  await expect(page.getByRole('heading', { name: 'No uploads yet' })).toBeVisible()
  await page.getByRole('button', { name: 'Import from URL' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Upload videos' })
  const url = dialog.getByRole('textbox', { name: 'URL' })
  const submit = dialog.getByRole('button', { name: 'Import', exact: true })
  await url.fill('storage.example.com/clip.mp4')
  await submit.click()
  await expect(dialog.getByText('Enter a complete URL')).toBeVisible()
  // The server's own check.
  await url.fill('https://10.0.0.1/clip.mp4')
  await submit.click()
  await expect(url).toHaveAttribute('aria-invalid', 'true')
  await soundInBothThemes(page)
  await url.fill(`${source.state.url}?signature=s3cret`)
  await submit.click()
  await expect(dialog).toBeHidden()

  const failed = row(page, 'harbour.mp4')
  await expect(failed).toContainText('Failed')
  await expect(failed).toContainText('Check the URL, then import the file again.')
  await expect(failed).toContainText('Import from localhost')
  expect(await page.locator('main').innerHTML()).not.toContain('s3cret')
  await soundInBothThemes(page)

  const file = readFileSync(await sourceFile({ kind: 'clip', seconds: 1, height: 240 }))
  source.state.respond = (_req, res) => void res.writeHead(200, { 'content-length': file.length }).end(file)
  await failed.getByRole('button', { name: 'Import again: harbour.mp4' }).click()
  const again = page.getByRole('dialog', { name: 'Import again' })
  // The query may be a signature, so it is not there any more.
  await expect(again.getByRole('textbox', { name: 'URL' })).toHaveValue('')
  await again.getByRole('textbox', { name: 'URL' }).fill(source.state.url)
  await again.getByRole('textbox', { name: 'Title' }).fill('Harbour at dawn')
  await again.getByRole('button', { name: 'Import again' }).click()
  await expect(again).toBeHidden()
  const completed = row(page, 'Harbour at dawn')
  await expect(completed).toContainText('Completed')
  await completed.getByRole('link', { name: 'Harbour at dawn' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Harbour at dawn' })).toBeVisible()
  source.stop()
})

test('an upload of the API is listed while it waits, and is cancelled from its row', async ({ page }) => {
  const { dashboard } = await newUser(page)
  const key = await dashboard.mutate<{ value: string }>('key.create', { name: 'Course site', environment: 'LIVE', scopes: ['video:write'] })
  const headers = { 'x-service-key': key.value, 'content-type': 'application/json' }
  const create = () => fetch(`${baseOf()}/v1/upload`, { method: 'POST', headers, body: JSON.stringify({ title: 'Lesson 4' }) })
  await visit(page, '/videos/uploads')
  expect((await create()).status).toBe(201)
  // The page finds it without a reload.
  const waiting = row(page, 'Lesson 4')
  await expect(waiting).toContainText('Waiting')
  await expect(waiting.getByRole('link', { name: 'Course site' })).toBeVisible()
  await waiting.getByRole('button', { name: 'Cancel Lesson 4' }).click()
  await expect(waiting).toContainText('Cancelled')
  await page.getByRole('radiogroup', { name: 'State' }).getByText('Completed', { exact: true }).click()
  await expect(page.getByText('No uploads or imports completed in the last 30 days.')).toBeVisible()
})
