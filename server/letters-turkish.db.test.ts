import { testDatabase } from './testing/database.ts'
import { testLetters } from './testing/media/letters.ts'

// In Turkish the small letter of I is ı. PostgreSQL 14 has no databases in the order of ICU.
const icu = process.env.REELGATE_TEST_STRATEGY ? `LOCALE_PROVIDER icu ICU_LOCALE 'tr' ` : ''
await testDatabase({ locale: `${icu}LOCALE 'C'` })

testLetters()
