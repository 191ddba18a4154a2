import { asOneLine } from '#server/platform/text/one-line'
import { formatBytes } from '../../../_ui/format'
import type { UploadDetails } from './options'

/** A chosen file before its upload starts. */
export interface Draft {
  key: string
  file: File
  title: string
  /** The details of an unfinished upload of the same file, with which it resumes. */
  begun?: UploadDetails
}

/** Returns a key that identifies a file; a file chosen twice counts once. */
export const fileKey = (file: File) => [file.name, file.size, file.lastModified].join('/')

const CONTAINERS = 'mp4 m4v mov 3gp 3g2 mkv webm avi ts mts m2ts mpg mpeg flv wmv asf ogv mxf'.split(' ')

/** Returns why a file cannot be uploaded; undefined when it can. The server checks the content and decides. */
export function problemWith(file: File, maxBytes: number): string | undefined {
  const extension = file.name.split('.').at(-1)?.toLowerCase() ?? ''
  if (!file.type.startsWith('video/') && !CONTAINERS.includes(extension)) {
    return `“${file.name}” is not a video. Choose an MP4, MOV, MKV, WebM or other video file.`
  }
  if (file.size === 0) return `“${file.name}” is empty.`
  if (file.size > maxBytes) return `“${file.name}” is ${formatBytes(file.size)}. The maximum size is ${formatBytes(maxBytes)}.`
}

/** Returns an initial title: the file's name, without its extension and underscores. */
export const titleFrom = (file: File) =>
  asOneLine(file.name.replace(/\.[^.]+$/, '').replace(/[_\s]+/g, ' '))
    .trim()
    .slice(0, 200)
