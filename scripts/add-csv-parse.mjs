// Adds the CSV parser of `reelgate import` to a compiled client, as one file with its license: the client has no dependencies.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , folder = ''] = process.argv
const parser = join(import.meta.dirname, '../node_modules/csv-parse')
const read = (file) => readFileSync(join(parser, file), 'utf8')
writeFileSync(join(folder, 'csv-parse.js'), `/*! csv-parse\n\n${read('LICENSE').trim()}\n*/\n${read('dist/esm/sync.js')}`)
