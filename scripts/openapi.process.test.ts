import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DESCRIPTION, writtenDescription } from './openapi.ts'

const folder = mkdtempSync(join(tmpdir(), 'reelgate-openapi-'))
afterAll(() => rmSync(folder, { recursive: true }))

const written = readFileSync(DESCRIPTION, 'utf8')
const root = join(import.meta.dirname, '..')

/** Returns the linter's findings on a file, with the project's rules. Disables its telemetry. */
function lint(file: string): { ruleId: string; severity: string }[] {
  const cli = join(root, 'node_modules/@redocly/cli/bin/cli.js')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const args = [cli, 'lint', file, '--config', join(root, 'redocly.yaml'), '--format', 'json']
  try {
    return JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })).problems
  } catch (error) {
    return JSON.parse((error as { stdout: string }).stdout).problems
  }
}

it('the committed description equals the one generated from the contracts (write it with npm run openapi)', async () => {
  expect(written).toBe(await writtenDescription())
})

describe('the linter', () => {
  it('reports nothing for the committed description', () => {
    expect(lint(DESCRIPTION)).toEqual([])
  })

  /** A fault for each rule. */
  const mutants: Record<string, (api: Mutable) => void> = {
    'no-unresolved-refs': (api) => delete api.components.schemas.Video,
    'operation-operationId-unique': (api) => {
      api.paths['/v1/video'].get.operationId = 'getVideo'
    },
    'no-invalid-media-type-examples': (api) => {
      api.paths['/v1/video/{videoId}'].get.responses['200'].content['application/json'].example.data.status = 'DONE'
    },
    'path-parameters-defined': (api) => {
      api.paths['/v1/video/{videoId}'].get.parameters = []
    },
  }
  // References that lead nowhere hide what examples contain.
  const [unresolved, ...others] = Object.keys(mutants)
  it.each([[[unresolved]], [others]] as string[][][])('reports %s', { tags: ['deep'] }, (rules) => {
    const api = JSON.parse(written)
    for (const rule of rules) mutants[rule]?.(api)
    const file = join(folder, `${rules.length}.json`)
    writeFileSync(file, JSON.stringify(api))
    expect(lint(file).map(({ ruleId }) => ruleId)).toEqual(expect.arrayContaining(rules))
  })
})

// biome-ignore lint/suspicious/noExplicitAny: a document that the test changes at any path
type Mutable = any
