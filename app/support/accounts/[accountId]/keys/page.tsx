import { load, pageOf, trpc } from '../../../../_trpc/server'
import { SupportKeys } from './_parts/SupportKeys'

export default pageOf((asked) => load(trpc.support.keys.queryOptions(asked)), SupportKeys)
