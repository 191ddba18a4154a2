import { Dispatcher, type Pace } from '../../modules/webhooks/delivery/dispatcher.ts'
import { notifications } from '../../platform/database/notifications.ts'
import { buildContainer } from '../../services.ts'

/**
 * The program behind `startDispatcherProcess()`: a dispatcher in its own process, which tests kill. Its arguments are the settings and the
 * pace.
 */
buildContainer(JSON.parse(process.argv[2] as string))
await notifications().start()
new Dispatcher(JSON.parse(process.argv[3] as string) as Pace).start()
process.send?.('ready')
// The test ended, or was ended, without stopping this process.
process.on('disconnect', () => process.exit(1))
