import { load, pageOf, trpc } from '../../../../_trpc/server'
import { SupportWallet } from './_parts/SupportWallet'

export default pageOf((asked) => load(trpc.support.wallet.queryOptions(asked)), SupportWallet)
