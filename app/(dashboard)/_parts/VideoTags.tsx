import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { Link } from '../../_ui/Link'
import classes from './VideoTags.module.css'

/** Collections, then names of metadata, that are shown. */
const MOST = 4

/** Shows the collections and the metadata of a video; each leads to the videos that have it too. Nothing for a video without. */
export function VideoTags({ video: { collections, metadata } }: { video: DashboardVideo }) {
  const tags = [
    ...collections.map(({ id, name }) => ({ key: id, kind: 'collection', text: name, query: { collection: id } })),
    ...Object.entries(metadata).map(([name, text]) => {
      return { key: `metadata ${name}`, kind: 'metadata', text: `${name}: ${text}`, query: { [`metadata[${name}]`]: text } }
    }),
  ]
  if (tags.length === 0) return null
  const more = tags.length - MOST
  return (
    <div className={classes.tags}>
      {tags.slice(0, MOST).map(({ key, kind, text, query }) => (
        <Link
          key={key}
          href={`/videos?${new URLSearchParams(query as Record<string, string>)}`}
          className={classes.tag}
          data-kind={kind}
          title={text}
        >
          {text}
        </Link>
      ))}
      {more > 0 && <span className={classes.more}>+ {more}</span>}
    </div>
  )
}
