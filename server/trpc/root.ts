import { accountRouter } from './account.ts'
import { router } from './init.ts'
import { keyRouter } from './key.ts'
import { videoRouter } from './video.ts'

/** Everything the dashboard can ask. */
export const appRouter = router({ account: accountRouter, key: keyRouter, video: videoRouter })
export type AppRouter = typeof appRouter
