// What follows `--` in `npm run NAME -- …`. Plain JavaScript for Node 20, without dependencies, because it runs before any is installed.
import { parseArgs } from 'node:util'

/**
 * Returns `{ values, positionals }` of the command line, as `parseArgs`. Prints the reason and `usage`, and exits with 2, for an argument that
 * the command does not have; prints `usage` and exits with 0 for --help.
 * @param {string} usage the line to type, and what each option does
 * @param {import('node:util').ParseArgsConfig['options']} options
 * @param {(given: { values: object, positionals: string[] }) => string | undefined} problem what is wrong with the arguments otherwise
 */
export function readArguments(usage, options = {}, problem = ({ positionals }) => unexpected(positionals)) {
  const fail = (message) => {
    process.stderr.write(`${message}\n\n${usage}\n`)
    process.exit(2)
  }
  let given
  try {
    given = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } }, allowPositionals: true })
  } catch (error) {
    if (!error.code?.startsWith('ERR_PARSE_ARGS')) throw error
    return fail(error.message)
  }
  if (given.values.help) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  const message = problem(given)
  return message ? fail(message) : given
}

const unexpected = ([first]) => first && `Unexpected argument '${first}'.`
