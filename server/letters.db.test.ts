import { testDatabase } from './testing/database.ts'
import { testLetters } from './testing/media/letters.ts'

await testDatabase()

testLetters()
