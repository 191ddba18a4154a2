import { box, findBoxPath, respliced } from './movie-boxes.ts'

/** Boxes on the path to a track's data reference (QuickTime File Format, "Data Reference Atoms"). */
const PATH = ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref']

/**
 * Returns a QuickTime video (its index at its end) whose media is in the file that `path` names: an alias, as old editors wrote them.
 * Relative names are resolved from the video's folder.
 */
export function referring(file: Buffer, path: string): Buffer {
  const absolute = path.startsWith('/')
  const alias = Buffer.alloc(150)
  const name = Buffer.from(path.split('/').at(-1) ?? '')
  name.copy(alias, 51)
  alias[50] = name.length
  // Numbers of folder levels up and down that the two share.
  if (!absolute) alias.writeUInt32BE(0x0001_0001, 130)
  const tag = (type: number, text: Buffer) => {
    const head = Buffer.alloc(4)
    head.writeUInt16BE(type, 0)
    head.writeUInt16BE(text.length, 2)
    return Buffer.concat([head, text, Buffer.alloc(text.length % 2)])
  }
  const entry = box('alis', Buffer.concat([Buffer.alloc(4), alias, tag(2, Buffer.from(path)), tag(0xffff, Buffer.alloc(0))]))
  const boxes = findBoxPath(file, PATH)
  // The one entry follows the list's version and count.
  const old = (boxes.at(-1) as number) + 16
  return respliced(file, boxes, old, file.readUInt32BE(old), entry)
}
