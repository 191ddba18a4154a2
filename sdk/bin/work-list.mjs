// Works through a list of files or URLs, several at a time, and records what is done, so that another run does only what is left.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Stop } from './stop.mjs'

/** What earlier runs did, in one JSON file: by service and item `{ uploadId, uploadUrl?, videoId? }`. */
export class State {
  constructor(file, service) {
    this.file = file
    this.service = service
    this.read()
  }

  read() {
    try {
      this.all = JSON.parse(readFileSync(this.file, 'utf8'))
    } catch (error) {
      if (error.code !== 'ENOENT') throw new Stop(`${this.file} cannot be read: ${error.message} Delete it to start over.`)
      this.all = {}
    }
    this.all[this.service] ??= {}
  }

  get = (key) => this.all[this.service][key]

  /**
   * Records an item, besides what other runs have recorded since; undefined removes it. The file holds URLs that take uploads, so only its
   * owner may read it.
   */
  set(key, value) {
    this.read()
    this.all[this.service][key] = value
    const written = `${this.file}.${process.pid}.new`
    writeFileSync(written, JSON.stringify(this.all, null, 2), { mode: 0o600 })
    renameSync(written, this.file)
  }
}

/** Shows a bar for each item under way on a terminal, and one line for each finished item everywhere. */
class Board {
  constructor() {
    this.bars = new Map()
    this.drawn = 0
    this.isTerminal = process.stderr.isTTY === true
  }

  show(label, done) {
    this.bars.set(label, done)
    this.draw()
  }

  finish(label, line) {
    this.bars.delete(label)
    this.note(line)
  }

  note(line) {
    this.clear()
    console.log(line)
    this.draw()
  }

  clear() {
    if (this.isTerminal && this.drawn > 0) process.stderr.write(`\x1b[${this.drawn}A\x1b[J`)
    this.drawn = 0
  }

  draw() {
    if (!this.isTerminal) return
    this.clear()
    const width = 24
    for (const [label, done] of this.bars) {
      const filled = Math.round(width * done)
      const percent = String(Math.round(100 * done)).padStart(3)
      process.stderr.write(`${'█'.repeat(filled)}${'·'.repeat(width - filled)} ${percent} %  ${label.slice(-48)}\n`)
    }
    this.drawn = this.bars.size
  }
}

/**
 * Runs `work(item, onProgress, note)` for each item, `parallel` at a time. `work` returns the id of a video, or throws the reason; `note` prints
 * a line about an item under way. One failure does not stop the rest. Returns the number of failures.
 */
export async function workThrough(items, { parallel, state, work }) {
  const board = new Board()
  const open = items.filter(({ key }) => !state.get(key)?.videoId)
  const failed = []
  const next = open.values()
  const runner = async () => {
    for (const item of next) {
      board.show(item.label, 0)
      try {
        const onProgress = (done) => board.show(item.label, done)
        const videoId = await work(item, onProgress, (text) => board.note(`waits   ${item.label}  ${text}`))
        state.set(item.key, { ...state.get(item.key), videoId, uploadUrl: undefined })
        board.finish(item.label, `done    ${item.label}  ${videoId}`)
      } catch (error) {
        if (error instanceof Stop) throw error
        failed.push(item)
        board.finish(item.label, `failed  ${item.label}  ${error.message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, open.length) }, runner))
  const skipped = items.length - open.length
  const left = failed.length > 0 ? ` Run the command again to repeat the failed ones.` : ''
  console.log(`${open.length - failed.length} done, ${failed.length} failed, ${skipped} done before.${left}`)
  return failed.length
}
