import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ZodType } from 'zod'
import { SHUTDOWN_MS } from '../server/http/drain.ts'
import { settings as table } from '../server/platform/config/settings.ts'

const settings: Record<string, { schema: ZodType }> = table
const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const yaml = (path: string) => parse(read(path), { merge: true, strict: true })

/** Read by Node, Next and the client of the object store. */
const OTHERS = ['NODE_ENV', 'NEXT_TELEMETRY_DISABLED', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
const unknown = (names: string[]) => names.filter((name) => !(name in settings) && !OTHERS.includes(name))

/** Returns the names whose value the service would refuse. */
const refused = (values: Record<string, string>) =>
  Object.entries(values).filter(([name, value]) => value !== '' && settings[name]?.schema.safeParse(value).success === false)

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}` the way Compose does. */
const interpolate = (value: string) =>
  value.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_all, name: string, fallback?: string) => fallback ?? GIVEN[name] ?? '')
const GIVEN: Record<string, string> = {
  BASE_URL: 'https://video.example.com',
  REELGATE_SECRET: 'x'.repeat(32),
  POSTGRES_PASSWORD: 'secret',
}

interface ComposeService {
  image: string
  environment?: Record<string, string>
  stop_grace_period?: string
  volumes?: string[]
}
const compose = yaml('compose.yaml') as { services: Record<string, ComposeService>; volumes: Record<string, unknown> }

const SHUTDOWN_SEC = SHUTDOWN_MS / 1_000

it('compose.yaml gives the service settings that exist, with values that it accepts', () => {
  const own = Object.entries(compose.services).filter(([, { image }]) => image === 'reelgate')
  expect(own.map(([name, { environment }]) => [name, environment?.ROLES])).toEqual([
    ['web1', 'web'],
    ['web2', 'web'],
    ['worker', 'worker'],
  ])
  for (const [, { environment = {}, stop_grace_period }] of own) {
    expect(unknown(Object.keys(environment))).toEqual([])
    const values = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, interpolate(value)]))
    expect(refused(values)).toEqual([])
    expect(Number.parseInt(stop_grace_period ?? '', 10)).toBeGreaterThan(Number(values.DRAIN_SEC) + SHUTDOWN_SEC)
  }
})

it('compose.yaml sets each variable of the Caddyfile that differs in containers, and declares its volumes', () => {
  const names = [...read('deploy/caddy/Caddyfile').matchAll(/\{\$(\w+)/g)].map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(Object.keys(compose.services.caddy?.environment ?? {})))
  const named = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0] as string))
  expect(named.filter((name) => !name.startsWith('.')).sort()).toEqual(Object.keys(compose.volumes).sort())
})

it('the Helm chart gives the service settings that exist, with values that it accepts', () => {
  const values = yaml('deploy/helm/reelgate/values.yaml')
  const given = { ...values.settings, ...values.web.settings, ...values.worker.settings }
  expect(Object.keys(given).length).toBeGreaterThan(3)
  expect(unknown(Object.keys(given))).toEqual([])
  expect(refused(given)).toEqual([])
  const templates = ['_parts.tpl', 'secrets.yaml', 'settings.yaml'].map((file) => read(`deploy/helm/reelgate/templates/${file}`)).join('\n')
  const named = [...templates.matchAll(/^ +(?:- name: )?([A-Z][A-Z_]+)(?::|$)/gm)].map(([, name = '']) => name)
  expect(named).toEqual(expect.arrayContaining(['ROLES', 'DATABASE_URL', 'REELGATE_SECRET']))
  expect(unknown(named)).toEqual([])
})

it('the versions of the Helm chart and of the package are equal', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect(yaml('deploy/helm/reelgate/Chart.yaml')).toMatchObject({ version, appVersion: version })
})

it('the templates of the Helm chart read values that exist', () => {
  const values = yaml('deploy/helm/reelgate/values.yaml')
  const at = (path: string[]) => path.reduce<unknown>((one, key) => (one as Record<string, unknown> | undefined)?.[key], values)
  for (const file of [
    '_parts.tpl',
    'settings.yaml',
    'web.yaml',
    'worker.yaml',
    'service.yaml',
    'ingress.yaml',
    'disruption.yaml',
    'autoscaling.yaml',
    'podmonitor.yaml',
  ])
    for (const [, path = ''] of read(`deploy/helm/reelgate/templates/${file}`).matchAll(/\.Values\.([\w.]+)/g))
      expect(at(path.split('.')), `${file}: ${path}`).toBeDefined()
})

it('the systemd units give the service settings that exist, and time to stop', () => {
  for (const unit of ['reelgate-web@.service', 'reelgate-worker.service']) {
    const text = read(`deploy/systemd/${unit}`)
    const pairs = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) => line.split(' ').map((pair) => pair.split('=')))
    expect(unknown(pairs.map(([name = '']) => name))).toEqual([])
    const leaving = Number(settings.DRAIN_SEC?.schema.parse(undefined)) + SHUTDOWN_SEC
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(leaving)
  }
  const example = [...read('deploy/systemd/reelgate.env.example').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name = '']) => name)
  expect(example.length).toBeGreaterThan(2)
  expect(unknown(example)).toEqual([])
})

it('the Dockerfile sets variables that exist', () => {
  const names = [...read('Dockerfile').matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=')[0] ?? ''),
  )
  expect(names.length).toBeGreaterThan(1)
  expect(unknown(names)).toEqual([])
})
