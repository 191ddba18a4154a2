import { memo } from 'react'
import classes from './CueList.module.css'
import { type Cue, formatTime } from './cue-document'
import { problemsOf } from './problems'

interface Props {
  cue: Cue
  nextMs: number | undefined
  language: string
  isActive: boolean
  isCurrent: boolean
  isFound: boolean
  /** Both stay the same function. */
  onFocus: (id: number) => void
  onType: (id: number, text: string) => void
}

export const fieldOf = (id: number) => document.getElementById(`cue-${id}`) as HTMLTextAreaElement | null

/** Shows a caption: its times, its text in a field, and what is hard to read in it. */
export const CueRow = memo(function CueRow({ cue, nextMs, language, isActive, isCurrent, isFound, onFocus, onType }: Props) {
  const problems = problemsOf(cue, nextMs)
  const field = `cue-${cue.id}`
  return (
    <li
      className={classes.row}
      data-active={isActive || undefined}
      data-current={isCurrent || undefined}
      data-found={isFound || undefined}
      aria-current={isCurrent || undefined}
    >
      <label htmlFor={field} className={classes.times}>
        <span>{formatTime(cue.startMs)}</span>
        <span className={classes.until}>{formatTime(cue.endMs)}</span>
      </label>
      <div className={classes.words}>
        <textarea
          id={field}
          className={classes.field}
          aria-label={`Caption at ${formatTime(cue.startMs)}`}
          aria-describedby={problems.length > 0 ? `${field}-problems` : undefined}
          // The list is one stop of the Tab key; shortcuts and arrows move within it.
          tabIndex={isActive ? 0 : -1}
          rows={cue.text.split('\n').length}
          value={cue.text}
          lang={language}
          dir="auto"
          onFocus={() => onFocus(cue.id)}
          onChange={(event) => onType(cue.id, event.currentTarget.value)}
        />
        {problems.length > 0 && (
          <p id={`${field}-problems`} className={classes.problems}>
            {problems.join(' · ')}
          </p>
        )}
      </div>
    </li>
  )
})
