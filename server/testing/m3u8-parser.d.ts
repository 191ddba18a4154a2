/** The parser of video.js, which has no types of its own: what tests read. */
declare module 'm3u8-parser' {
  interface Entry {
    uri: string
    duration: number
    attributes: Record<string, unknown>
  }
  interface Manifest {
    version: number
    targetDuration: number
    playlistType: string
    endList: boolean
    iFramesOnly?: boolean
    segments: Entry[]
    playlists?: Entry[]
    iFramePlaylists?: Entry[]
    mediaGroups?: Record<string, Record<string, Record<string, unknown>>>
  }
  export class Parser {
    manifest: Manifest
    push(text: string): void
    end(): void
  }
}
