import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ERRORS } from '../server/errors.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`)

it('a push runs npm test, and each night runs every test and keeps the report', () => {
  expect(read('.github/workflows/test.yml')).toMatch(/^ {2}push:$[\s\S]*^ {6}- run: npm test$/m)
  expect(read('.github/workflows/nightly.yml')).toMatch(/^ {2}schedule:$[\s\S]*^ {6}- run: npm run test:all$[\s\S]*if: always\(\)/m)
})

/** What the imports of a test file show of its tier. */
const STARTS_PROCESSES = /from '(?:node:child_process|[^']*testing\/(?:clips|dispatchers|next-host|processes|service|working)(?:\.ts)?)'/
const USES_DATABASE = /from '[^']*testing\/database(?:\.ts)?'/

it('the name of a test file says whether it uses a database or starts processes', () => {
  const files = globSync('{app,scripts,server}/**/*.test.ts', { cwd: root })
  expect(files.length).toBeGreaterThan(200)
  const wrong = files.filter((file) => {
    const text = read(file)
    if (/\.(?:process|built)\.test\.ts$/.test(file)) return false
    return STARTS_PROCESSES.test(text) || (!file.endsWith('.db.test.ts') && USES_DATABASE.test(text))
  })
  expect(wrong).toEqual([])
})

it.each(workflows)('%s has read permission alone, and names each action by its commit', (path) => {
  const text = read(path)
  expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m)
  expect(text.match(/permissions:/g)).toHaveLength(1)
  const actions = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action)
  expect(actions.length).toBeGreaterThan(0)
  for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

it('the documents link to files that exist', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'sdk/*.md', 'examples/*/*.md'], { cwd: root, exclude: ['**/node_modules'] })
  expect(documents.length).toBeGreaterThan(30)
  const broken = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)]
      .map(([, target = '']) => join(document, '..', target))
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${document}: ${target}`),
  )
  expect(broken).toEqual([])
})

it('each section of the specification that a comment cites exists', () => {
  const specification = read('docs/specification.md')
  const exists = (section: string) => new RegExp(`^(?:#+ |- \\*\\*)${section.replace('.', '\\.')}(?:\\.|\\*| )`, 'm').test(specification)
  const files = globSync('{app,bench,e2e,prisma,scripts,sdk,server}/**/*.{ts,tsx,mjs,prisma,sql}', {
    cwd: root,
    exclude: ['**/node_modules'],
  })
  const cited = files.flatMap((file) =>
    [...read(file).matchAll(/specification §(\d(?:\.\d)?)(?:, §(\d(?:\.\d)?))*/gi)].flatMap(([text]) =>
      [...text.matchAll(/\d(?:\.\d)?/g)].map(([section]) => ({ file, section })),
    ),
  )
  expect(cited.length).toBeGreaterThan(40)
  expect(cited.filter(({ section }) => !exists(section))).toEqual([])
})

it('the specification has every endpoint and every error that is not additive', () => {
  const specification = read('docs/specification.md')
  const { paths } = JSON.parse(read('server/http/openapi.json')) as { paths: Record<string, Record<string, { 'x-additive'?: true }>> }
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => (operation['x-additive'] ? [] : `${method.toUpperCase()} ${path}`)),
  )
  expect(endpoints).toHaveLength(6)
  expect(endpoints.filter((endpoint) => !specification.includes(`\`${endpoint}\``))).toEqual([])
  const listed = [...specification.matchAll(/^\| \d{3} +\| `(\w+)`/gm)].map(([, code]) => code)
  const codes = Object.entries(ERRORS).flatMap(([code, error]) => ('additive' in error ? [] : code))
  expect(listed.sort()).toEqual(codes.sort())
})

it('a comment gives its reason and cites no decision', () => {
  const files = globSync('{app,bench,e2e,prisma,scripts,sdk,server}/**/*.{ts,tsx,mjs,prisma,sql}', {
    cwd: root,
    exclude: ['**/node_modules', 'server/platform/prisma', '**/*.test.ts'],
  })
  expect(files.filter((file) => /docs\/decisions|\bdecisions? \d/i.test(read(file)))).toEqual([])
})

it('the commands in CONTRIBUTING.md exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const commands = [...read('CONTRIBUTING.md').matchAll(/npm run ([\w-]+)/g)].map(([, name = '']) => name)
  expect(commands.length).toBeGreaterThan(3)
  expect(commands.filter((name) => !(name in scripts))).toEqual([])
})
