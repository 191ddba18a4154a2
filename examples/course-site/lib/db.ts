import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

/** Your database. Reelgate has the videos; each lesson names one, and the lesson's ID is the video's `externalId`. */
const db = new DatabaseSync(process.env.COURSE_DB ?? 'course.db')
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS user (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, role TEXT NOT NULL, salt BLOB NOT NULL, hash BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user, expires_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS lesson (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, video_id TEXT, state TEXT NOT NULL DEFAULT 'uploading', created_at INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS completion (user_id TEXT NOT NULL REFERENCES user, video_id TEXT NOT NULL, PRIMARY KEY (user_id, video_id));
  CREATE TABLE IF NOT EXISTS receipt (user_id TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL);`)

export type Role = 'teacher' | 'student'
export interface User {
  /** The site's own ID, by which Reelgate knows the user. Not the email address, which is personal and can change. */
  id: string
  email: string
  role: Role
}
export interface Lesson {
  id: string
  title: string
  videoId: string | null
  state: 'uploading' | 'processing' | 'ready' | 'failed'
}

const newId = () => randomBytes(9).toString('base64url')

const hashOf = (password: string, salt: Uint8Array) => scryptSync(password, salt, 32)

/** Creates the example's two users at the first start. */
export function seedUsers(): void {
  for (const role of ['teacher', 'student'] as const) {
    const password = process.env[`${role.toUpperCase()}_PASSWORD`] ?? randomBytes(9).toString('base64url')
    const salt = randomBytes(16)
    const { changes } = db
      .prepare('INSERT INTO user (id, email, role, salt, hash) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .run(newId(), `${role}@example.com`, role, salt, hashOf(password, salt))
    if (changes > 0) console.log(`Created ${role}@example.com with the password ${password}`)
  }
}

const NO_SALT = randomBytes(16)

/** Returns the user with this password. Hashes a password even without a user, so that the time doesn't reveal who has an account. */
export function checkPassword(email: string, password: string): User | undefined {
  const row = db.prepare('SELECT id, email, role, salt, hash FROM user WHERE email = ?').get(email) as
    | (User & { salt: Uint8Array; hash: Uint8Array })
    | undefined
  const hash = hashOf(password, row?.salt ?? NO_SALT)
  return row && timingSafeEqual(hash, row.hash) ? { id: row.id, email: row.email, role: row.role } : undefined
}

export function createSession({ id: userId }: User, seconds: number): string {
  const id = randomBytes(32).toString('base64url')
  db.prepare('DELETE FROM session WHERE expires_at < ?').run(Date.now())
  db.prepare('INSERT INTO session (id, user_id, expires_at) VALUES (?, ?, ?)').run(id, userId, Date.now() + seconds * 1_000)
  return id
}

export const deleteSession = (id: string) => db.prepare('DELETE FROM session WHERE id = ?').run(id)

export const userOfSession = (id: string): User | undefined =>
  db
    .prepare('SELECT u.id, u.email, u.role FROM session s JOIN user u ON u.id = s.user_id WHERE s.id = ? AND s.expires_at > ?')
    .get(id, Date.now()) as User | undefined

const LESSON = 'SELECT id, title, video_id AS videoId, state FROM lesson'

export const lessons = (): Lesson[] => db.prepare(`${LESSON} ORDER BY created_at DESC`).all() as unknown as Lesson[]
export const lesson = (id: string) => db.prepare(`${LESSON} WHERE id = ?`).get(id) as unknown as Lesson | undefined

export function createLesson(title: string): string {
  const id = newId()
  db.prepare('INSERT INTO lesson (id, title, created_at) VALUES (?, ?, ?)').run(id, title, Date.now())
  return id
}

/** Records what a webhook reports about a lesson's video. Webhooks can arrive twice and in any order, so a ready lesson stays ready. */
export function updateLesson(id: string, videoId: string | null, state: Lesson['state']): void {
  db.prepare(
    `UPDATE lesson SET video_id = coalesce(?, video_id), state = CASE WHEN state = 'ready' THEN state ELSE ? END WHERE id = ?`,
  ).run(videoId, state, id)
}

export const emailOf = (userId: string): string | undefined =>
  (db.prepare('SELECT email FROM user WHERE id = ?').get(userId) as { email: string } | undefined)?.email

/** Records that a user has completed a lesson, once however often the webhook arrives. */
export const complete = (userId: string, videoId: string) =>
  db.prepare('INSERT INTO completion SELECT id, ? FROM user WHERE id = ? ON CONFLICT DO NOTHING').run(videoId, userId)

export const completedBy = (userId: string): Set<string> =>
  new Set(
    db
      .prepare('SELECT video_id AS videoId FROM completion WHERE user_id = ?')
      .all(userId)
      .map(({ videoId }) => String(videoId)),
  )

/** Deletes what this site knows about a user's viewing, and keeps the receipt for what Reelgate deleted. */
export function forgetViewing({ id }: User, receipt: string | undefined): void {
  db.prepare('DELETE FROM completion WHERE user_id = ?').run(id)
  if (receipt) db.prepare('INSERT INTO receipt (user_id, text, at) VALUES (?, ?, ?)').run(id, receipt, Date.now())
}

export const receiptsOf = ({ id }: User): { text: string; at: number }[] =>
  db.prepare('SELECT text, at FROM receipt WHERE user_id = ? ORDER BY at DESC').all(id) as unknown as { text: string; at: number }[]
