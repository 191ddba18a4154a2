import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { provide } from '../../testing/settings.ts'
import { withThrowAwayFolder } from './throw-away-folder.ts'

it('removes what killed drills left, and leaves a drill that runs alone', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'reelgate-drills-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  provide({ DATA_DIR: dataDir, BASE_URL: 'http://localhost' })
  const killed = join(dataDir, 'drill/restored-killed')
  mkdirSync(killed, { recursive: true })
  utimesSync(killed, 1, 1)
  await withThrowAwayFolder(async (running) => {
    await withThrowAwayFolder(async () => {})
    expect([existsSync(running), existsSync(killed)]).toEqual([true, false])
  })
})
