import type { SpokenMatch } from '#server/modules/videos/list/spoken'
import { formatDuration } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import classes from './SpokenPlaces.module.css'

/** Places to show of a video. */
const SHOWN = 2

interface Props {
  videoId: string
  places: readonly SpokenMatch[] | undefined
}

/** Shows the first places where the words of the list's filter are said, as links to them; nothing without the filter. */
export function SpokenPlaces({ videoId, places = [] }: Props) {
  if (places.length === 0) return null
  return (
    <ul className={classes.places} aria-label="Said at">
      {places.slice(0, SHOWN).map(({ fromSec, language, text }) => (
        <li key={`${language} ${fromSec}`}>
          <Link href={`/videos/${videoId}?t=${Math.floor(fromSec)}`} className="rg-row-place" lang={language} title={text}>
            <span className={classes.at}>{formatDuration(Math.floor(fromSec))}</span> {text}
          </Link>
        </li>
      ))}
    </ul>
  )
}
