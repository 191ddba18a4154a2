import { CODEC_TITLES, type RenditionSums, renditionTitle } from '#server/modules/analytics/delivered/delivered-schema'
import { formatBytes } from './format'
import { type Column, Table } from './Table'

const columnsOf = (delivered: string): Column<RenditionSums>[] => [
  {
    title: 'Rendition',
    cell: ({ codec, rendition }) => (
      <>
        <b style={{ fontWeight: 550 }}>{renditionTitle(rendition)}</b> {CODEC_TITLES[codec]}
      </>
    ),
    phone: 'title',
  },
  { title: 'Stored', number: true, cell: ({ stored }) => formatBytes(stored) },
  { title: delivered, number: true, cell: (row) => formatBytes(row.delivered) },
  { title: 'Saved by AV1', number: true, cell: ({ codec, saved }) => (codec === 'av1' ? formatBytes(saved) : '–') },
]

interface Props {
  renditions: readonly RenditionSums[]
  /** Heading of the delivered bytes. */
  delivered?: string
}

/** Lists what is stored now and what was delivered of many videos, by rendition and codec. */
export function RenditionTable({ renditions, delivered = 'Delivered' }: Props) {
  return (
    <Table
      label="Bytes by rendition"
      columns={columnsOf(delivered)}
      rows={renditions}
      keyOf={({ codec, rendition }) => `${codec} ${rendition}`}
      bare
      dense
    />
  )
}
