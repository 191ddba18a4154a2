import { Dispatcher, type Pace } from '../modules/webhooks/dispatcher.ts'
import { provide } from '../platform/config.ts'
import { notifications } from '../platform/notifications.ts'

/** The program behind `startDispatcher()`: a dispatcher in a process of its own that is there to be killed. Settings and pace are its arguments. */
provide(JSON.parse(process.argv[2] as string))
await notifications().start()
new Dispatcher(JSON.parse(process.argv[3] as string) as Pace).start()
process.send?.('ready')
// The test ended, or was ended, without stopping us.
process.on('disconnect', () => process.exit(1))
