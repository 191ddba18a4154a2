import { load, pageOf, trpc } from '../../../../../_trpc/server'
import { SupportVideo } from './_parts/SupportVideo'

export default pageOf((asked) => load(trpc.support.video.queryOptions(asked)), SupportVideo)
