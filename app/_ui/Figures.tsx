import classes from './Figures.module.css'

export interface FigureProps {
  title: string
  value: string
  note?: string
  alarming?: boolean
}

/** Shows numbers in a row, each with what it counts. */
export function Figures({ figures }: { figures: FigureProps[] }) {
  return (
    <dl className={classes.figures}>
      {figures.map(({ title, value, note, alarming }) => (
        <div key={title} className={classes.figure}>
          <dt>{title}</dt>
          {/* It may be a time relative to now, which is slightly earlier on the server. */}
          <dd className={classes.value} data-alarming={alarming || undefined} suppressHydrationWarning>
            {value}
          </dd>
          {note && <dd className={classes.note}>{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
