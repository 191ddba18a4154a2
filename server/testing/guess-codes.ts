import { throttledCode } from '../modules/identity/sign-in/verify-second-factor.ts'
import { closeDb } from '../platform/database/database.ts'
import { buildContainer } from '../services.ts'

/**
 * A program for server/modules/identity/sign-in/code-throttle.process.test.ts. Under the settings in its first argument, it guesses one
 * user's codes concurrently, each from another address. Prints how many guesses were accepted.
 */
const [settings = '{}', userId = '', times = '0'] = process.argv.slice(2)
buildContainer(JSON.parse(settings))
let checked = 0
const guess = () =>
  throttledCode(userId, { address: `${process.pid}-${checked}-${Math.random()}`, known: undefined }, async () => {
    checked++
    return false
  }).catch((error) => {
    if (error.code !== 'TOO_MANY_ATTEMPTS') throw error
  })
await Promise.all(Array.from({ length: Number(times) }, guess))
await closeDb()
process.stdout.write(String(checked))
