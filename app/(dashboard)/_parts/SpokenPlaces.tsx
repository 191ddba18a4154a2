import type { SpokenMatch } from '#server/modules/videos/list/spoken'
import { formatDuration } from '../../_ui/format'
import classes from './SpokenPlaces.module.css'

/** Places to show of a video. */
const SHOWN = 2

/** Shows the first places where the words of the list's filter are said; nothing without the filter. */
export function SpokenPlaces({ places = [] }: { places: readonly SpokenMatch[] | undefined }) {
  if (places.length === 0) return null
  return (
    <ul className={classes.places} aria-label="Said at">
      {places.slice(0, SHOWN).map(({ fromSec, language, text }) => (
        <li key={`${language} ${fromSec}`} lang={language} title={text}>
          <span className={classes.at}>{formatDuration(Math.floor(fromSec))}</span> {text}
        </li>
      ))}
    </ul>
  )
}
