import { formatBytes } from '../../../_ui/format'
import type { UploadDetails } from './options'

/** A file that was chosen, before its upload begins. */
export interface Draft {
  key: string
  file: File
  title: string
  /** What stands with an unfinished upload of this very file: it goes on under that. */
  begun?: UploadDetails
}

/** Tells files apart; one that was chosen twice is one. */
export const fileKey = (file: File) => [file.name, file.size, file.lastModified].join('/')

const CONTAINERS = 'mp4 m4v mov 3gp 3g2 mkv webm avi ts mts m2ts mpg mpeg flv wmv asf ogv mxf'.split(' ')

/** Why a file cannot be uploaded; undefined when it can. The server looks at the content and has the last word. */
export function problemWith(file: File, maxBytes: number): string | undefined {
  const extension = file.name.split('.').at(-1)?.toLowerCase() ?? ''
  if (!file.type.startsWith('video/') && !CONTAINERS.includes(extension)) {
    return `“${file.name}” is not a video. Choose an MP4, MOV, MKV, WebM or other video file.`
  }
  if (file.size === 0) return `“${file.name}” is empty.`
  if (file.size > maxBytes) return `“${file.name}” has ${formatBytes(file.size)}; at most ${formatBytes(maxBytes)} are accepted.`
}

/** A title to begin with: the file's name, without its ending and underscores. */
export const titleFrom = (file: File) =>
  file.name
    .replace(/\.[^.]+$/, '')
    .replace(/[_\s]+/g, ' ')
    .trim()
    .slice(0, 200)
