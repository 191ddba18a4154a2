import { load, pageOf, trpc } from '../_trpc/server'
import { Status } from './_parts/Status'

export default pageOf(() => load(trpc.operator.status.queryOptions()), Status)
