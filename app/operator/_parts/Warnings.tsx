import { Anchor } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { Warning } from '#server/modules/backoffice/operator/warnings'
import { Link } from '../../_ui/Link'
import { Marked } from '../../_ui/Marked'
import classes from './Warnings.module.css'

/** Lists what needs the operator's attention, and what to do about it. */
export function Warnings({ warnings }: { warnings: Warning[] }) {
  if (warnings.length === 0)
    return (
      <p className={classes.fine}>
        <IconCircleCheck size={17} aria-hidden="true" />
        Nothing needs your attention.
      </p>
    )
  return (
    <section aria-label="Needs attention">
      <ul className={classes.warnings}>
        {warnings.map(({ id, level, title, detail, steps, guide, page }) => (
          <li key={id} className={classes.warning} data-level={level}>
            <IconAlertTriangle size={17} aria-hidden="true" className={classes.icon} />
            <div className={classes.body}>
              <h2 className={classes.title}>{title}</h2>
              <p className={classes.detail}>{detail}</p>
              <ol className={classes.steps} aria-label="What to do">
                {steps.map((step) => (
                  <li key={step}>
                    <Marked>{step}</Marked>
                  </li>
                ))}
              </ol>
              <p className={classes.more}>
                {page && (
                  <Anchor component={Link} href={page} inherit>
                    Show details
                  </Anchor>
                )}
                <Anchor component={Link} href={`/operator/guides/${guide}`} inherit aria-label={`Open the guide: ${title}`}>
                  Open the guide
                </Anchor>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
