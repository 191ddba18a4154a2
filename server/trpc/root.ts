import { accountRouter } from './account.ts'
import { router } from './init.ts'
import { keyRouter } from './key.ts'
import { videoRouter } from './video.ts'
import { viewingRouter } from './viewing.ts'

/** Everything the dashboard can ask. */
export const appRouter = router({ account: accountRouter, key: keyRouter, video: videoRouter, viewing: viewingRouter })
export type AppRouter = typeof appRouter
