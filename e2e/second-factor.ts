import { expect, type Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import type { Dashboard } from '../scripts/demo-dashboard.ts'
import { operator } from './operator.ts'
import { live, newUser, PASSWORD } from './person.ts'

export const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret.replace(/\s/g, '')) }).generate()

/** Sets up two-factor sign-in on the page to which a user without the required factor is redirected. */
export async function setUpRequired(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Set up two-factor sign-in' })).toBeVisible()
  await live(page)
  await page.getByRole('button', { name: 'Set up' }).click()
  await setUpHere(page)
}

/** Completes the steps that follow on “Set up”. */
export async function setUpHere(page: Page): Promise<void> {
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  const secret = (await page.getByTestId('totp-secret').textContent()) ?? ''
  await page.getByLabel('Code', { exact: true }).fill(codeOf(secret))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('button', { name: 'I saved the codes' }).click()
}

/**
 * Creates a member of support staff, or an operator, over HTTP, with the required second factor, and signs the page's browser in. Returns
 * their e-mail.
 */
export async function newStaff(page: Page, role: 'support' | 'operator' = 'support'): Promise<string> {
  const { email, dashboard } = await newUser(page)
  await operator(`grant-${role}`, email, '--unverified')
  await setUpTotp(dashboard)
  return email
}

/** Sets up two-factor sign-in through the dashboard's procedures. */
export async function setUpTotp(dashboard: Dashboard): Promise<void> {
  const { secret } = await dashboard.mutate<{ secret: string }>('user.beginTotp', { password: PASSWORD })
  await dashboard.mutate('user.confirmTotp', { code: codeOf(secret) })
}
