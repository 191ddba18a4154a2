import { randomBytes } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import './container.ts'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { settled } from './accessibility.ts'

export const newEmail = () => `person-${randomBytes(5).toString('hex')}@example.com`
/** Returns the path of an address with its fragment, to be opened on the server under test. */
export function pathOf(address: string): string {
  const { pathname, hash } = new URL(address)
  return pathname + hash
}
export const PASSWORD = 'correct horse battery staple'

/** Returns the address of the server under test. */
export const baseOf = () => test.info().project.use.baseURL as string

/** Creates a user over HTTP, for tests about something else, and signs the page's browser in. Opens no page. */
export async function newUser(page: Page, email = newEmail()): Promise<{ email: string; dashboard: Dashboard }> {
  const dashboard = await Dashboard.signUp(baseOf(), email, PASSWORD)
  await page.context().addCookies(dashboard.cookieJar())
  return { email, dashboard }
}

/** Creates an API key over HTTP and returns its value. */
export async function newKey(dashboard: Dashboard, name: string): Promise<string> {
  return (await dashboard.mutate<{ value: string }>('key.create', { name, environment: 'LIVE', scopes: ['video:read'] })).value
}

/** Signs up through the page and ends on the dashboard. */
export async function signUp(page: Page, email = newEmail()): Promise<string> {
  await visit(page, '/sign-up')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await live(page)
  return email
}

/** Returns whether React has hydrated every usable part of a page; runs in the page. Streamed content is hydrated part by part. */
export const isLive = () => {
  const propsOf = (element: Element | null) => {
    const name = element && Object.keys(element).find((key) => key.startsWith('__reactProps'))
    return name ? (element as unknown as Record<string, object>)[name] : undefined
  }
  // React owns no elements in text that is set as HTML, except the one around it.
  const owned = (element: Element) => {
    let nearest: Element | null = element
    while (nearest && !propsOf(nearest)) nearest = nearest.parentElement
    return nearest === element || 'dangerouslySetInnerHTML' in (propsOf(nearest) ?? {})
  }
  // Until a part that streams in is in its place, the document has a hidden copy of it.
  if (document.querySelector('div[hidden][id^="S:"], template[id^="B:"]')) return false
  const main = document.querySelector('main')
  return main !== null && [main, ...main.querySelectorAll('button, input, a, form')].every(owned)
}

/** Before a page is live, a click is lost. */
export const live = (page: Page) => expect.poll(() => page.evaluate(isLive)).toBe(true)

/** Opens a page of the service and waits until it is usable. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await live(page)
}

/** Uploads a file through the dialog, up to its row in the table. */
export async function upload(page: Page, file: string, title: string): Promise<void> {
  await visit(page, '/videos')
  await page.getByRole('button', { name: 'Upload video' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('input[type=file]').setInputFiles(file)
  await dialog.getByRole('textbox', { name: 'Title' }).fill(title)
  await dialog.getByRole('button', { name: /^Upload/ }).click()
}

/** Returns the secret that a dialog shows once, and which Escape, Enter and a click outside do not discard. */
export async function shownOnce(page: Page): Promise<string> {
  const secret = page.getByRole('dialog').getByTestId('secret')
  const value = (await secret.textContent()) ?? ''
  await settled(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await page.mouse.click(5, 5)
  await settled(page)
  await expect(secret).toBeVisible()
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Close' })).toHaveCount(0)
  return value
}

/** Generates a key and returns its value, which the page shows once. */
export async function generateKey(page: Page, name: string): Promise<string> {
  await visit(page, '/api-keys')
  await page.getByRole('button', { name: 'Generate New Key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('button', { name: /Generate/ }).click()
  await expect(dialog.getByText(/won’t see it again/i)).toBeVisible()
  const value = (await dialog.getByTestId('secret').textContent()) ?? ''
  expect(value).toMatch(/^ak_(?:live|test)_[0-9A-Za-z]{32}$/)
  await dialog
    .getByRole('button', { name: /done|close|saved/i })
    .last()
    .click()
  return value
}
