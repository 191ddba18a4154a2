import { Command as Cli, Help, InvalidArgumentError, Option } from 'commander'
import type { Command, ParsedArgs } from './command.ts'

/**
 * Builds the command line of `npm run operator`. `run` receives the typed command and its arguments. Invalid arguments throw a
 * CommanderError after the error and the usage were printed on standard error. `out` and `err` replace standard output and standard error.
 */
export function makeCli(
  commands: readonly Command[],
  run: (command: Command, parsed: ParsedArgs) => Promise<void>,
  { out, err }: { out?: (text: string) => void; err?: (text: string) => void } = {},
): Cli {
  const cli = new Cli('npm run operator --')
    .description('Uses DATABASE_URL if set, otherwise the embedded database in DATA_DIR. The server may be running.')
    .exitOverride()
    .showHelpAfterError()
    .configureHelp({ visibleCommands, subcommandTerm })
    // Without a terminal, a description is one line, so that it can be searched.
    .configureOutput({
      getOutHelpWidth: () => process.stdout.columns ?? 1_000,
      getErrHelpWidth: () => process.stderr.columns ?? 1_000,
      ...(out && { writeOut: out }),
      ...(err && { writeErr: err }),
    })
  for (const command of commands) addCommand(cli, command, run)
  return cli
}

function addCommand(cli: Cli, command: Command, run: (command: Command, parsed: ParsedArgs) => Promise<void>): void {
  const { name, description, takes = [], options = {} } = command
  const [group = '', own] = name.split(' ')
  const added = (own ? groupOf(cli, group) : cli).command(own ?? group).description(description)
  for (const argument of takes) added.argument(`<${argument}>`)
  for (const [option, { type, description, required = false, conflicts = [] }] of Object.entries(options)) {
    const declared = new Option(`--${option}${type === 'string' ? ` <${option}>` : ''}`, description).conflicts([...conflicts])
    added.addOption(required ? declared.makeOptionMandatory().argParser(notEmpty) : declared)
  }
  added.action(async () => {
    const args = Object.fromEntries(takes.map((argument, position) => [argument, added.args[position] as string]))
    await run(command, { args, options: added.opts() })
  })
}

const help = new Help()

/** Returns the commands that help lists. A group's commands take its place. */
const visibleCommands = (cli: Cli) => help.visibleCommands(cli).flatMap((one) => (one.commands.length > 0 ? one.commands : [one]))

/** Returns a command's name, after that of its group, and its arguments. */
const subcommandTerm = (command: Cli) => (command.parent?.parent ? `${command.parent.name()} ` : '') + help.subcommandTerm(command)

/** Returns the command whose subcommands start with `name`, which exists once the first of them was added. */
function groupOf(cli: Cli, name: string): Cli {
  return cli.commands.find((one) => one.name() === name) ?? cli.command(name).description(`Commands of ${name}.`)
}

function notEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('It is empty.')
  return value
}
