import { Anchor, Text } from '@mantine/core'
import type { Overview } from '#server/modules/dashboard/overview'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { QuotaBar } from '../../_ui/QuotaBar'
import classes from './Overview.module.css'

/** Shows how much of each key's daily quota is used. */
export function KeyQuotas({ quotas, keys }: Pick<Overview, 'quotas' | 'keys'>) {
  return (
    <Panel
      title="Quota used today"
      action={
        <Anchor component={Link} href="/api-keys" size="sm">
          {keys > quotas.length ? `All ${keys} keys` : 'API Keys'}
        </Anchor>
      }
    >
      {quotas.length === 0 ? (
        <Text size="sm" c="dimmed">
          No active keys. Each active key has a daily quota of playback tokens.
        </Text>
      ) : (
        <ul className={classes.rows}>
          {quotas.map(({ id, name, environment, issued, limit, exhaustedAt }) => (
            <li key={id} className={classes.quota}>
              <Link href={`/api-keys/${id}`} className={classes.link}>
                {name}
              </Link>
              <span className={classes.kind}>{environment === 'TEST' && 'Test'}</span>
              <QuotaBar used={issued} limit={limit} of={name} exhaustedAt={exhaustedAt} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
