import { load, pageOf, trpc } from '../../../../_trpc/server'
import { SupportWebhooks } from './_parts/SupportWebhooks'

export default pageOf((asked) => load(trpc.support.webhooks.queryOptions(asked)), SupportWebhooks)
