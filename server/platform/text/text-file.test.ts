import { expect, it } from 'vitest'
import { textOfFile } from './text-file.ts'

const utf16 = (text: string) => Buffer.from(text, 'utf16le')

it.each<[string, Buffer, string | undefined]>([
  ['UTF-8', Buffer.from('Příliš žluťoučký'), 'Příliš žluťoučký'],
  ['UTF-8 with a byte order mark', Buffer.from('\uFEFFkůň'), 'kůň'],
  ['UTF-16, little-endian', utf16('\uFEFFkůň'), 'kůň'],
  ['UTF-16, big-endian', utf16('\uFEFFkůň').swap16(), 'kůň'],
  ['nothing', Buffer.alloc(0), ''],
  ['Latin-2', Buffer.from('k\xf9\xf2', 'latin1'), undefined],
  ['UTF-16 without a byte order mark', utf16('kun'), undefined],
  ['UTF-16 that is cut off', utf16('\uFEFFkůň').subarray(0, -1), undefined],
  ['UTF-8 that is cut off', Buffer.from('kůň').subarray(0, -1), undefined],
])('reads %s', (_, bytes, text) => {
  expect(textOfFile(bytes)).toBe(text)
})
