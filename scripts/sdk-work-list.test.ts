import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { State } from '../sdk/bin/work-list.mjs'

it('keeps what another run of the command records at the same time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'state.json')
  const open = () => new State(file, 'https://video.example.com')
  const [one, other] = [open(), open()]
  one.set('a.mp4', { videoId: 'vid_a' })
  other.set('b.mp4', { videoId: 'vid_b' })
  one.set('c.mp4', undefined)
  expect(['a.mp4', 'b.mp4'].map(open().get)).toEqual([{ videoId: 'vid_a' }, { videoId: 'vid_b' }])
})
