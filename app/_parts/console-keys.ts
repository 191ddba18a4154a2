const PREFIX = 'Docs console, '

/** Returns the name of the temporary test key with which the console of the docs sends requests. */
export const consoleKeyName = (scope: string) => `${PREFIX}${scope}`

/** Returns whether a key is one of the console's, which it revokes when its page closes. */
export const isConsoleKey = ({ name, environment }: { name: string; environment: string }) =>
  environment === 'TEST' && name.startsWith(PREFIX)
