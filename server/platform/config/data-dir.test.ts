import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { provide } from '../../testing/settings.ts'
import { openDataDir } from './data-dir.ts'

let folder: string
let umask: number
beforeEach(() => {
  umask = process.umask()
  folder = mkdtempSync(join(tmpdir(), 'reelgate-data-'))
  provide({ BASE_URL: 'http://localhost', DATA_DIR: folder })
})
afterEach(() => {
  process.umask(umask)
  rmSync(folder, { recursive: true, force: true })
})

const modeOf = (...path: string[]) => (statSync(join(folder, ...path)).mode & 0o777).toString(8)
const opened = () => {
  const lines: string[] = []
  openDataDir((line) => lines.push(line))
  return lines
}

describe('openDataDir', () => {
  it('creates new files and folders for this user alone', () => {
    process.umask(0o022)
    expect(opened()).toEqual([])
    mkdirSync(join(folder, 'work'))
    writeFileSync(join(folder, 'work', 'clip.mp4'), 'x')
    expect([modeOf('work'), modeOf('work', 'clip.mp4')]).toEqual(['700', '600'])
  })

  it('closes what is open to other users, once, and reports what', () => {
    process.umask(0o022)
    for (const name of ['media', 'uploads']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'secret'), 'x', { mode: 0o600 })
    chmodSync(folder, 0o755)
    const [line] = opened()
    expect(line).toContain(`permissions restricted: ${folder}, media, uploads`)
    expect([modeOf(), modeOf('media'), modeOf('uploads'), modeOf('secret')]).toEqual(['711', '700', '700', '600'])
    expect(opened()).toEqual([])
  })
})
