import type { ListedEndpoint } from '#server/modules/webhooks/endpoints/list-endpoints'
import { Fact } from '../../../_ui/Fact'
import { IdChip } from '../../../_ui/IdChip'
import { Panel } from '../../../_ui/Panel'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { scheduleTitle } from './retry-schedules'
import classes from './Webhooks.module.css'

/** Shows the other properties of an endpoint. */
export function EndpointFacts({ endpoint }: { endpoint: ListedEndpoint }) {
  const { previousUntil } = endpoint
  const rotating = previousUntil && previousUntil.getTime() > Date.now()
  return (
    <Panel title="Details">
      <dl className={classes.facts}>
        <Fact title="Endpoint ID">
          <IdChip id={endpoint.id} />
        </Fact>
        <Fact title="Events">
          {endpoint.events.map((type) => (
            <code key={type} className={classes.type}>
              {type}
            </code>
          ))}
        </Fact>
        <Fact title="Signing secret">
          {rotating ? (
            <>
              Rotated. The previous secret also signs until <RelativeTime date={previousUntil} />
            </>
          ) : (
            'Shown once, when you added the endpoint. If you lost it, rotate it.'
          )}
        </Fact>
        <Fact title="Retries">{scheduleTitle(endpoint.retrySchedule)}</Fact>
        <Fact title="Created">
          <RelativeTime date={endpoint.createdAt} />
        </Fact>
      </dl>
    </Panel>
  )
}
