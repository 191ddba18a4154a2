import { csvFile, csvText } from '../../../platform/text/csv.ts'
import type { Metadata } from '../../videos/metadata-schema.ts'

/** What a row of the file is made from. */
interface Video {
  id: string
  title: string
  status: string
  durationSec: number
  qualities: readonly string[]
  sourceName: string
  sourceBytes: number
  externalId: string | null
  collections: readonly { name: string }[]
  metadata: Metadata
  createdAt: Date
  completedAt: Date | null
  deletedAt: Date | null
  failureReason: string | null
}

const COLUMNS = {
  id: ({ id }: Video) => id,
  title: ({ title }: Video) => title,
  status: ({ status }: Video) => status,
  durationSec: ({ durationSec }: Video) => durationSec,
  qualities: ({ qualities }: Video) => qualities.join(' '),
  sourceName: ({ sourceName }: Video) => sourceName,
  sourceBytes: ({ sourceBytes }: Video) => sourceBytes,
  externalId: ({ externalId }: Video) => externalId,
  collections: ({ collections }: Video) => collections.map(({ name }) => name).join('; '),
  metadata: ({ metadata }: Video) => (Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : ''),
  createdAt: ({ createdAt }: Video) => createdAt,
  completedAt: ({ completedAt }: Video) => completedAt,
  deletedAt: ({ deletedAt }: Video) => deletedAt,
  failureReason: ({ failureReason }: Video) => failureReason,
}

/** The first line of a file of videos. */
export const CSV_HEADER = csvFile([Object.keys(COLUMNS)])

/** Returns videos as lines of CSV. The same on the server, for all that match, and in a browser, for those selected. */
export const videosCsv = (videos: readonly Video[]): string =>
  csvText(videos.map((video) => Object.values(COLUMNS).map((cell) => cell(video))))
