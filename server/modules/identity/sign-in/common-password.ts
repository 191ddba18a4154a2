import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'

/** Shorter words occur in too many unrelated passwords. */
const WORD_MIN = 4
/** Characters before and after a common password that do not make it a different one: `Password123!`. */
const MAX_ADDED = 4
/** How many letters and digits of a password must be left without the words that an attacker knows about its owner. */
const OWN_MIN = 6

/** Lowercase passwords from published leaks, some 49,000. Loaded when the first password is chosen. */
let loading: Promise<ReadonlySet<string>> | undefined

// A constant: a second copy in the pages' module graph costs memory only.
function common(): Promise<ReadonlySet<string>> {
  loading ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return loading
}

/**
 * Refuses a password that attackers try first: from published leaks, with little added, a sequence of letters or digits, or made up of the
 * user's email and the service's name (NIST SP 800-63B §3.1.1.2). `words`: more words related to the user, such as the account's name.
 * Errors: INVALID_REQUEST at `password`.
 */
export async function refuseCommonPassword(password: string, email: string, words: string[] = []): Promise<void> {
  const text = password.normalize('NFKC').toLowerCase()
  if (isRun(text) || isCommon(text, await common()))
    throw problem('This password is too common. Choose another one, for example a few random words.')
  const known = [email, ...words, new URL(env().BASE_URL).hostname, 'reelgate'].flatMap((name) => name.split(/[^\p{L}\p{N}]+/u))
  if (isComposedOf(text, known))
    throw problem(
      'This password is too close to your email address or to a well-known name. Choose another one, for example a few random words.',
    )
}

function isCommon(text: string, list: ReadonlySet<string>): boolean {
  if (list.has(text)) return true
  const [, before = '', core = '', after = ''] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/u.exec(text) ?? []
  return core.length >= WORD_MIN && before.length + after.length <= MAX_ADDED && list.has(core)
}

/**
 * Returns whether few characters repeat (`aaaaaaaaaa`, `abcabcabcabc`) or each is adjacent to the one before (`abcdefghij`, `9876543210`).
 */
function isRun(text: string): boolean {
  if (new Set(text).size <= 3) return true
  const steps = Array.from(text.slice(1), (character, at) => character.charCodeAt(0) - text.charCodeAt(at))
  const turns = steps.filter((step, at) => at > 0 && step !== steps[at - 1]).length
  return turns <= 2 && steps.filter((step) => Math.abs(step) > 1).length <= 1
}

function isComposedOf(text: string, words: string[]): boolean {
  let rest = text
  const longestFirst = words.map((word) => word.toLowerCase()).sort((one, other) => other.length - one.length)
  for (const word of longestFirst) if (word.length >= WORD_MIN) rest = rest.replaceAll(word, ' ')
  return rest !== text && rest.replace(/[^\p{L}\p{N}]/gu, '').length < OWN_MIN
}

const problem = (message: string) => new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'body', path: 'password', message }] })
