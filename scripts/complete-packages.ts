// Completes npm packages as their install scripts would. The user who installs does this, because the one who runs the service may not.
import { completePrograms } from '../server/platform/ffmpeg/ffmpeg-programs.ts'
import { postgresBin } from '../server/platform/postgres/binaries.ts'

completePrograms()
try {
  postgresBin()
} catch {
  // This platform has no package, or the image has none. A start without DATABASE_URL reports it.
}
