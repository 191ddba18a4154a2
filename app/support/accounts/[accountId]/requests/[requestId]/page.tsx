import { load, pageOf, trpc } from '../../../../../_trpc/server'
import { SupportRequest } from './_parts/SupportRequest'

export default pageOf((asked) => load(trpc.support.request.queryOptions(asked)), SupportRequest)
