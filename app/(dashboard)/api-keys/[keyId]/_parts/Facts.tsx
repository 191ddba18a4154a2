import { Button } from '@mantine/core'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { SCOPES } from '#server/scopes'
import { Fact } from '../../../../_ui/Fact'
import { IdChip } from '../../../../_ui/IdChip'
import { Link } from '../../../../_ui/Link'
import { Panel } from '../../../../_ui/Panel'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import classes from './Facts.module.css'

/** Shows a key's properties and its limits. `onEdit` is undefined for users who may not edit. */
export function Facts({ subject, onEdit }: { subject: ListedKey; onEdit: ((what: 'scopes' | 'limits') => void) | undefined }) {
  const { id, prefix, scopes, createdAt, createdBy, expiresAt, allowedIps } = subject
  return (
    <div className={classes.two}>
      <Panel
        title="Key"
        action={
          onEdit && (
            <Button size="compact-sm" variant="default" onClick={() => onEdit('scopes')}>
              Change scopes
            </Button>
          )
        }
      >
        <dl className={classes.facts}>
          <Fact title="Prefix">
            <IdChip id={prefix} />
          </Fact>
          <Fact title="ID">
            <IdChip id={id} />
          </Fact>
          <Fact title="Scopes">
            {scopes.map((scope) => (
              <div key={scope}>
                <code className={classes.code}>{scope}</code> <span className={classes.dim}>{SCOPES[scope]?.opens}</span>
              </div>
            ))}
          </Fact>
          <Fact title="Created">
            <RelativeTime date={createdAt} />
            {createdBy && <span className={classes.dim}> by {createdBy}</span>}
          </Fact>
          <Fact title="Changes">
            <Link href={`/team/audit-log?subject=${id}`} className="rg-touch">
              Who changed this key
            </Link>
          </Fact>
        </dl>
      </Panel>
      <Panel
        title="Limits"
        action={
          onEdit && (
            <Button size="compact-sm" variant="default" onClick={() => onEdit('limits')}>
              Change limits
            </Button>
          )
        }
      >
        <dl className={classes.facts}>
          <Fact title="Expires">{expiresAt ? <RelativeTime date={expiresAt} /> : 'Never'}</Fact>
          <Fact title="Allowed addresses">
            {allowedIps.length === 0 ? (
              'Any address'
            ) : (
              <ul className={classes.ranges}>
                {allowedIps.map((range) => (
                  <li key={range}>
                    <code className={classes.code}>{range}</code>
                  </li>
                ))}
              </ul>
            )}
          </Fact>
        </dl>
      </Panel>
    </div>
  )
}
