import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { settings } from '../server/platform/config/settings.ts'
import { ENV_EXAMPLE, envExample } from './env-example.ts'

it('.env.example equals the text generated from the table of settings (write it with npm run env-example)', () => {
  const written = readFileSync(ENV_EXAMPLE, 'utf8')
  expect(written).toBe(envExample())
  for (const name of Object.keys(settings)) expect(written).toMatch(new RegExp(`^# ${name}=`, 'm'))
})

it('contains no value that depends on this machine', () => {
  expect(envExample()).not.toContain(process.cwd())
  expect(envExample()).toContain('\n# DATA_DIR=.data\n')
})
