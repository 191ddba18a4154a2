import { hasContainer } from '../server/platform/container.ts'
import { buildContainer } from '../server/services.ts'

// The programs that create clips read the settings of this process.
if (!hasContainer()) buildContainer()
