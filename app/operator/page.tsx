import { Hydrate, load, trpc } from '../_trpc/server'
import { Status } from './_parts/Status'

export default async function StatusPage() {
  await load(trpc.operator.status.queryOptions())
  return (
    <Hydrate>
      <Status />
    </Hydrate>
  )
}
