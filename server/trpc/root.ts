import { accountRouter } from './account.ts'
import { auditRouter } from './audit.ts'
import { billingRouter } from './billing.ts'
import { captionsRouter } from './captions.ts'
import { collectionRouter } from './collection.ts'
import { router } from './init.ts'
import { keyRouter } from './key.ts'
import { libraryRouter } from './library.ts'
import { operatorRouter } from './operator.ts'
import { receiptRouter } from './receipt.ts'
import { searchRouter } from './search.ts'
import { shareRouter } from './share.ts'
import { supportRouter } from './support.ts'
import { teamRouter } from './team.ts'
import { trafficRouter } from './traffic.ts'
import { uploadRouter } from './upload.ts'
import { userRouter } from './user.ts'
import { videoRouter } from './video.ts'
import { viewingRouter } from './viewing.ts'
import { webhookRouter } from './webhook.ts'

/** Every procedure of the dashboard. */
export const appRouter = router({
  account: accountRouter,
  audit: auditRouter,
  billing: billingRouter,
  captions: captionsRouter,
  collection: collectionRouter,
  key: keyRouter,
  operator: operatorRouter,
  library: libraryRouter,
  receipt: receiptRouter,
  search: searchRouter,
  share: shareRouter,
  support: supportRouter,
  team: teamRouter,
  traffic: trafficRouter,
  upload: uploadRouter,
  user: userRouter,
  video: videoRouter,
  viewing: viewingRouter,
  webhook: webhookRouter,
})
export type AppRouter = typeof appRouter
