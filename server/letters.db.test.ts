import { testDatabase } from './testing/database.ts'
import { testLetters } from './testing/letters.ts'

await testDatabase()

testLetters()
