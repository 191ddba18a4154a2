import { formatCount } from '../../_ui/format'
import classes from './ProcessingPanel.module.css'

/** Entries that are shown. */
const SHOWN = 4

/** Lists what could not be decoded of a video, and what is played instead. */
export function DamageList({ texts }: { texts: readonly string[] }) {
  return (
    <ul className={classes.list}>
      {texts.slice(0, SHOWN).map((text) => (
        <li key={text}>{text}</li>
      ))}
      {texts.length > SHOWN && <li className={classes.quiet}>and {formatCount(texts.length - SHOWN)} more</li>}
    </ul>
  )
}
