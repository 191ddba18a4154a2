/** What a dialog does with a video. */
export type VideoTask =
  | 'share'
  | 'embed'
  | 'edit'
  | 'metadata'
  | 'captions'
  | 'generate'
  | 'frame'
  | 'collection'
  | 'replace'
  | 'end'
  | 'delete'
